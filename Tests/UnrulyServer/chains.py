"""Chained Ogg stations (RFC 3533): each track has its own headers. Built from the folder's files, or from headers only."""

import os
import struct
import sys
import time

FOLDER = sys.argv[1]
STATION = b"HTTP/1.0 200 OK\r\nicy-name: Chain\r\nContent-Type: application/ogg\r\n\r\n"


def checksum_table():
    table = []
    for index in range(256):
        value = index << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 0x80000000 else 0)) & 0xFFFFFFFF
        table.append(value)
    return table


TABLE = checksum_table()


def checksum(page):
    value = 0
    for byte in page:
        value = (value << 8 & 0xFFFFFFFF) ^ TABLE[value >> 24 ^ byte]
    return value


def page(serial, number, kind, position, lacing, body):
    head = struct.pack("<4sBBqIII", b"OggS", 0, kind, position, serial, number, 0) + bytes([len(lacing)]) + bytes(lacing)
    return head[:22] + struct.pack("<I", checksum(head + body)) + head[26:] + body


def packet(serial, number, data):
    """The pages of one header packet."""
    lacing = [255] * (len(data) // 255) + [len(data) % 255]
    pages = []
    for first in range(0, len(lacing), 255):
        part = lacing[first:first + 255]
        body, data = data[:sum(part)], data[sum(part):]
        kind = (1 if first else 0) | (2 if number == 0 and not first else 0)
        pages.append(page(serial, number + len(pages), kind, 0 if first + 255 >= len(lacing) else -1, part, body))
    pages[0] = pages[0] if number else page(serial, 0, 2, 0, lacing, pages[0][27 + len(lacing):])
    return pages


def headers(serial, comments):
    """The first two packets of a mono Opus link."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 312, 48000, 0, 0)
    tags = b"OpusTags" + struct.pack("<I", 4) + b"test" + struct.pack("<I", len(comments))
    for comment in comments:
        tags += struct.pack("<I", len(comment)) + comment
    return packet(serial, 0, head) + packet(serial, 1, tags)


def silence(serial, first, packets):
    """The pages of an Opus link: silent packets of 20 ms each."""
    pages = []
    for index in range(packets):
        kind = 4 if index == packets - 1 else 0
        pages.append(page(serial, first + index, kind, 312 + 960 * (index + 1), [3], b"\xf8\xff\xfe"))
    return pages


def read(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def chain(connection, name, headers_, number):
    """chain/A+B: sends these files one after another, then nothing. A name may end in a colon and the number of its
    bytes to send."""
    connection.sendall(STATION)
    for part in name.split("+"):
        part, _, count = part.partition(":")
        connection.sendall(read(part)[:int(count) if count else None])
    time.sleep(60)


def nameless(connection, name, headers_, number):
    """Like `chain`, from a station without a name."""
    connection.sendall(STATION.replace(b"icy-name: Chain", b"icy-br: 128") + b"".join(read(part) for part in name.split("+")))
    time.sleep(60)


def drip(connection, name, headers_, number):
    """Like `chain`, in pieces of 1 to 31 bytes."""
    connection.sendall(STATION)
    data = b"".join(read(part) for part in name.split("+"))
    place = 0
    while place < len(data):
        size = 1 + place % 31 if place % 4096 < 1024 else 1024
        connection.sendall(data[place:place + size])
        place += size
    time.sleep(60)


def relinks(connection, name, headers_, number):
    """Sound, then ten thousand links per second, each with a title and without sound."""
    connection.sendall(STATION + read(name))
    begin = time.monotonic()
    for serial in range(1 << 30):
        if serial % 100 == 0:
            links = b"".join(b"".join(headers(serial + index, [b"TITLE=%d" % (serial + index)])) for index in range(100))
            connection.sendall(links)
            time.sleep(max(0, begin + serial / 10000 - time.monotonic()))


def bigcomments(connection, name, headers_, number):
    """Between two tracks, one with comments of a megabyte, the last of which is its title."""
    connection.sendall(STATION + read(name))
    pages = headers(77, [b"X=" + b"x" * 600000, b"TITLE=" + b"t" * 400000, b"ARTIST=Big"])
    connection.sendall(b"".join(pages + silence(77, len(pages), 50)) + read(name))
    time.sleep(60)


MANNERS = (chain, nameless, drip, relinks, bigcomments)
