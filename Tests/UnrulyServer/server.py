#!/usr/bin/env python3
"""A web server that misbehaves as requested: `server.py FOLDER` serves the folder's files on a loopback port, whose
number is its first line of output; each request is logged as a line, too. The first part of a path selects the
behavior: /plain/NAME, /chop/NAME, …"""

import fcntl
import gzip
import os
import random
import socket
import sys
import termios
import threading
import time

import chains
import segments

FOLDER = sys.argv[1]
LOCK = threading.Lock()
SEEN = {}


def say(text):
    with LOCK:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def count(path):
    """Number of earlier requests for a path."""
    with LOCK:
        SEEN[path] = SEEN.get(path, 0) + 1
        return SEEN[path] - 1


def reset(connection):
    """Closes a connection with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def parts(name, headers, ranges=True, tag="one"):
    """The requested bytes of a file, and the headers of the response."""
    with open(os.path.join(FOLDER, name), "rb") as file:
        data = file.read()
    wanted = headers.get("range", "")
    tag = '"%s"' % tag
    if ranges and wanted.startswith("bytes=") and headers.get("if-range", tag) == tag:
        first = int(wanted[6:].split("-")[0])
        if first >= len(data):
            return b"", "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n"
        head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %d-%d/%d\r\n" % (first, len(data) - 1, len(data))
        data = data[first:]
    else:
        head = "HTTP/1.1 200 OK\r\n"
    head += "Content-Length: %d\r\nETag: %s\r\n" % (len(data), tag)
    return data, head + ("Accept-Ranges: bytes\r\n" if ranges else "")


def send(connection, head, data=b""):
    # The connection closes after the response; without this header a client would send its next request on a closed
    # connection.
    if head.startswith("HTTP/1.1 30"):
        head += "Connection: close\r\n"
    connection.sendall((head + "\r\n").encode() + data)


def paced(connection, data, rate):
    """Sends data at a rate in bytes per second."""
    begin = time.monotonic()
    for index in range(0, len(data), 1000):
        time.sleep(max(0, begin + index / rate - time.monotonic()))
        connection.sendall(data[index:index + 1000])


def plain(connection, name, headers, number):
    data, head = parts(name, headers)
    send(connection, head, data)


def linear(connection, name, headers, number):
    data, head = parts(name, headers, ranges=False)
    send(connection, head, data)


def unmeasured(connection, name, headers, number):
    """A file without a length header: it ends with the connection."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.0 200 OK\r\n", data)


def chunked(connection, name, headers, number):
    """A file with chunked encoding, as for generated content."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
    for index in range(0, len(data), 30011):
        piece = data[index:index + 30011]
        connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    connection.sendall(b"0\r\n\r\n")


def chunkedcut(connection, name, headers, number):
    """Closes the connection in the middle of a chunk, after half of the file."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", b"%x\r\n" % len(data) + data[:len(data) // 2])


def linearcut(connection, name, headers, number):
    data, head = parts(name, headers, ranges=False)
    send(connection, head, data[:len(data) // 2] if number == 0 else data)
    reset(connection)


def alwayscut(connection, name, headers, number):
    """Closes each connection after half of the file, without ranges."""
    data, head = parts(name, headers, ranges=False)
    send(connection, head, data[:len(data) // 2])


def dryparts(connection, name, headers, number):
    """Sends half of the file, and then parts without a byte."""
    data, head = parts(name, headers)
    send(connection, head, data[:len(data) // 2] if number == 0 else b"")


def chop(connection, name, headers, number):
    """Closes or resets the connection at some position; each response has at least some bytes."""
    data, head = parts(name, headers)
    where = random.Random(number).randrange(1000, max(1001, len(open(os.path.join(FOLDER, name), "rb").read()) // 12))
    send(connection, head, data[:where])
    if number % 2:
        reset(connection)


def shred(connection, name, headers, number):
    """Resets the connection more than a hundred times."""
    data, head = parts(name, headers)
    where = random.Random(number).randrange(500, max(501, os.path.getsize(os.path.join(FOLDER, name)) // 60))
    send(connection, head, data[:where])
    if number % 2:
        reset(connection)


def changesformat(connection, name, headers, number):
    """A station that changes its format after a second and a half."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Changes\r\n", data[:300000])
    paced(connection, b"fLaC\0\0\0\x22" + random.Random(3).randbytes(2000000), 176400)


def stall(connection, name, headers, number):
    """Stops sending in the middle once, and keeps the connection open."""
    data, head = parts(name, headers)
    send(connection, head, data if number else data[:len(data) // 2])
    if number == 0:
        time.sleep(60)


def half(connection, name, headers, number):
    """Sends a CD-quality WAV file at half its bit rate."""
    data, head = parts(name, headers)
    send(connection, head)
    paced(connection, data, 44100 * 4 / 2)


def garbage(connection, name, headers, number):
    send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n", random.Random(1).randbytes(100000))


def nonsense(connection, name, headers, number):
    connection.sendall(random.Random(2).randbytes(5000))


def circle(connection, name, headers, number):
    send(connection, "HTTP/1.1 302 Found\r\nLocation: /circle/%s\r\nContent-Length: 0\r\n" % name)


def elsewhere(connection, name, headers, number):
    send(connection, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n")


def moved(connection, name, headers, number):
    send(connection, "HTTP/1.1 301 Moved Permanently\r\nLocation: /plain/%s\r\nContent-Length: 0\r\n" % name)


def hops(connection, name, headers, number):
    """/hops/N/NAME: N redirects, then the file."""
    left, name = name.split("/", 1)
    target = "/hops/%d/%s" % (int(left) - 1, name) if int(left) > 1 else "/plain/" + name
    send(connection, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n" % target)


def zipped(connection, name, headers, number):
    """A compressed file, although the client has not requested compression."""
    data = gzip.compress(parts(name, {})[0])
    say("asked for: " + headers.get("accept-encoding", "-"))
    send(connection, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\nAccept-Ranges: bytes\r\n" % len(data), data)


OUTAGES = {}


def outage(connection, name, headers, number):
    """Sends fifteen seconds of CD quality, closes the connection, refuses connections for ten seconds, and then sends
    the rest."""
    data, head = parts(name, headers)
    if number == 0:
        send(connection, head, data[:44 + 15 * 44100 * 4])
        # Unsent data would be lost with the connection.
        while int.from_bytes(fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)), sys.byteorder):
            time.sleep(0.01)
        OUTAGES[name] = time.monotonic()
        reset(connection)
    elif time.monotonic() - OUTAGES[name] < 10:
        reset(connection)
    else:
        send(connection, head, data)


def silent(connection, name, headers, number):
    time.sleep(60)


def lies(connection, name, headers, number):
    """Announces ten times the actual length."""
    data, head = parts(name, headers)
    if " 200 " in head:
        head = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nAccept-Ranges: bytes\r\nETag: \"one\"\r\n" % (10 * len(data))
    send(connection, head, data)


def manyheaders(connection, name, headers, number):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: and more\r\n" * 100)


def longhead(connection, name, headers, number):
    """longhead/BYTES/NAME: a file, after that many bytes of response headers."""
    wanted, name = name.split("/", 1)
    data, head = parts(name, headers)
    left = int(wanted) - len(head) - 2
    while left > 0:
        # A remainder of less than 40 bytes would be too short for another header.
        size = left if left < 1080 else 1000
        head += "X-More: " + "x" * (size - 10) + "\r\n"
        left -= size
    send(connection, head, data)


def longheader(connection, name, headers, number):
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        connection.sendall(b"x" * 1000)


def changes(connection, name, headers, number):
    """Different content after the first half."""
    data, head = parts(name, headers, tag="two" if number else "one")
    send(connection, head, data if number else data[:len(data) // 2])
    reset(connection)


def status(connection, name, headers, number):
    """status/404/NAME: a response with that status only."""
    send(connection, "HTTP/1.1 %s No Sound\r\nContent-Length: 5\r\n" % name.split("/")[0], b"none\n")


def away(connection, name, headers, number):
    """A station that is restarted in the middle, and not found in the meantime."""
    data, _ = parts(name, {})
    if number in (1, 2):
        send(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n")
        return
    half = len(data) // 2
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Away\r\n", data[:44] + data[half:] + bytes(8000) if number else data[:half])
    if number:
        time.sleep(60)


def gone(connection, name, headers, number):
    """A station that breaks off after half of the file, and is not found from then on."""
    data, _ = parts(name, {})
    if number:
        send(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n")
    else:
        send(connection, "HTTP/1.0 200 OK\r\nicy-name: Gone\r\n", data[:len(data) // 2])


def icy(data, interval, titles):
    """Sound with ICY titles between, as Shoutcast sends it."""
    out = bytearray()
    for index in range(0, len(data), interval):
        out += data[index:index + interval]
        if len(data) - index >= interval:
            text = next(titles)
            out.append((len(text) + 15) // 16)
            out += text + bytes(-len(text) % 16)
    return bytes(out)


def station(connection, name, headers, number):
    """A station that plays a file once, with a title every 4000 bytes."""
    data, _ = parts(name, {})
    names = iter(lambda: ("StreamTitle='It's %d';" % time.monotonic_ns()).encode(), None)
    send(connection, "ICY 200 OK\r\nicy-name: Test Radio\r\nicy-metaint: 4000\r\nContent-Type: audio/mpeg\r\n",
         icy(data, 4000, names))
    time.sleep(60)


def whole(connection, name, headers, number):
    """A station that sends a file all at once, then waits."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Whole\r\n", data)
    time.sleep(60)


def anew(connection, name, headers, number):
    """anew/A+B: sends the first file at once; after a reconnect, the second one. The first connection is held open
    until a file off.A exists."""
    first, second = name.split("+")
    data, _ = parts(second if number else first, {})
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Anew\r\n", data)
    for _ in range(600):
        if number == 0 and os.path.exists(os.path.join(FOLDER, "off." + first)):
            break
        time.sleep(0.1)


def songs(connection, name, headers, number):
    """A station that plays a file once, with a title every 8000 bytes."""
    data, _ = parts(name, {})
    names = iter([b"StreamTitle='Song %d';" % count for count in range(1000)])
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Test Radio\r\nicy-metaint: 8000\r\nContent-Type: audio/wav\r\n",
         icy(data, 8000, names))
    time.sleep(60)


TYPES = {"m3u": "audio/x-mpegurl", "m3u8": "application/vnd.apple.mpegurl", "pls": "audio/x-scpls; charset=utf-8", "xspf": "application/xspf+xml"}


def list(connection, name, headers, number):
    """A file with the media type of its extension."""
    with open(os.path.join(FOLDER, name), "rb") as file:
        data = file.read()
    kind = TYPES.get(name.rsplit(".", 1)[-1], "text/plain")
    send(connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n" % (kind, len(data)), data)


def movedlist(connection, name, headers, number):
    send(connection, "HTTP/1.1 302 Found\r\nLocation: /list/%s\r\nContent-Length: 0\r\n" % name)


def page(connection, name, headers, number):
    data, _ = parts(name, {})
    send(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(data), data)


def portal(connection, name, headers, number):
    """A station that breaks off in the middle; for two connections, a network's login page is served instead."""
    if number in (1, 2):
        page = b"<html><body>Please log in.</body></html>"
        send(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n" % len(page), page)
    else:
        away(connection, name, headers, 3 if number else 0)


def switched(connection, name, headers, number):
    """A station with a constant sound in real time, as long as a file on.NAME exists in the folder."""
    data, _ = parts(name, {})
    if not os.path.exists(os.path.join(FOLDER, "on." + name)):
        reset(connection)
        return
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Switched\r\n", data[:40] + b"\xff\xff\xff\xff")
    begin = time.monotonic()
    sent = 0
    while os.path.exists(os.path.join(FOLDER, "on." + name)):
        # Two seconds ahead, as stations are.
        due = int((time.monotonic() - begin + 2) * 44100) * 4
        while sent < due:
            connection.sendall(data[44:8044])
            sent += 8000
        time.sleep(0.05)
    reset(connection)


def endlesslist(connection, name, headers, number):
    send(connection, "HTTP/1.1 200 OK\r\nContent-Type: audio/x-mpegurl\r\n", b"#EXTM3U\n")
    while True:
        connection.sendall(b"http://127.0.0.1:1/%s\n" % name.encode() * 100)


def endlesswav(connection, name, headers, number):
    """A station that sends silence endlessly, declared as a WAV file of two gigabytes."""
    data, _ = parts(name, {})
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Endless\r\n", data[:40] + b"\0\xf0\xff\x7f" + data[44:])
    while True:
        connection.sendall(bytes(48000))
        time.sleep(0.1)


def endlesstitle(connection, name, headers, number):
    """Titles of maximum length, all different, with hardly any sound between them."""
    data, _ = parts(name, {})
    names = iter(lambda: (b"StreamTitle='" + random.randbytes(4060))[:4080], None)
    send(connection, "HTTP/1.0 200 OK\r\nicy-name: Titles\r\nicy-metaint: 256\r\n", icy(data, 256, names))
    time.sleep(60)


def serve(connection):
    with connection:
        try:
            connection.settimeout(90)
            request = b""
            while b"\r\n\r\n" not in request and len(request) < 20000:
                more = connection.recv(4000)
                if not more:
                    return
                request += more
            lines = request.decode("latin-1").split("\r\n")
            path = lines[0].split(" ")[1]
            headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:] if ":" in line}
            say("%s %s" % (path, headers.get("range", "-")))
            # Requests to a proxy contain the whole address.
            behaviour, name = path.split("?")[0].removeprefix("http://radio.invalid").split("/", 2)[1:]
            BEHAVIOURS[behaviour](connection, name, headers, count(path))
        except OSError:
            pass


BEHAVIOURS = {
    function.__name__: function
    for function in (
        plain, linear, unmeasured, chunked, chunkedcut, linearcut, alwayscut, dryparts, chop, shred, changesformat, stall, half, garbage, nonsense, circle, elsewhere, moved, hops, zipped, outage, silent, lies, manyheaders,
        longhead, longheader, changes, status, away, gone, station, whole, anew, songs, list, movedlist, page, portal, switched, endlesslist, endlesswav, endlesstitle, *chains.MANNERS, *segments.MANNERS)
}


def accept(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port = listener.getsockname()[1]
    try:
        other = socket.create_server(("::1", port), family=socket.AF_INET6, backlog=64)
        threading.Thread(target=accept, args=(other,), daemon=True).start()
    except OSError:
        # Another program uses this IPv6 port, or the machine has no IPv6.
        pass
    say(str(port))
    accept(listener)


main()
