"""Sliding HLS playlists (RFC 8216), and misbehaving HLS servers."""

import os
import sys
import time

FOLDER = sys.argv[1]
TYPE = "Content-Type: application/vnd.apple.mpegurl\r\n"
WINDOW = 3


def respond(connection, text):
    connection.sendall(("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (TYPE, len(text), text)).encode())


def segments(name):
    """The segments of a playlist in the folder, each with the lines before it."""
    found, lines = [], []
    with open(os.path.join(FOLDER, name)) as file:
        for line in file.read().split("\n"):
            if line.startswith("#EXTM3U") or line.startswith("#EXT-X-TARGETDURATION") or not line:
                continue
            lines.append(line)
            if not line.startswith("#"):
                found.append("\n".join(lines))
                lines = []
    return found


def window(first, last, found, end=""):
    return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:%d\n%s\n%s" % (first, "\n".join(found[first:last]), end)


def slide(connection, name, headers, number):
    """A window of segments that advances by one with each request; the last one has an end marker."""
    found = segments(name)
    last = WINDOW + number
    respond(connection, window(max(0, last - WINDOW), last, found, "#EXT-X-ENDLIST\n" if last >= len(found) else ""))


def standstill(connection, name, headers, number):
    """The same segments each time."""
    respond(connection, window(0, WINDOW, segments(name)))


def leap(connection, name, headers, number):
    """A window that has jumped far ahead at the second request."""
    found = segments(name)
    respond(connection, window(0, WINDOW, found) if number == 0 else window(len(found) - WINDOW, len(found), found, "#EXT-X-ENDLIST\n"))


def endlesshls(connection, name, headers, number):
    connection.sendall(("HTTP/1.1 200 OK\r\n%s\r\n#EXTM3U\n#EXT-X-TARGETDURATION:1\n" % TYPE).encode())
    while True:
        connection.sendall(b"#EXTINF:1,\n/plain/a.wav\n" * 1000)


def dripping(connection, name, headers, number):
    """A segment that starts and never ends."""
    with open(os.path.join(FOLDER, name), "rb") as file:
        data = file.read()
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + data)
    while True:
        connection.sendall(bytes(4000))
        time.sleep(0.1)


MANNERS = (slide, standstill, leap, endlesshls, dripping)
