#!/usr/bin/python3
"""Runs in place of a box's integration and misbehaves as the file `misdeed` next to it says; for `none` it runs the
integration itself.

Logs its process id and start time in the file `starts`.
"""
import os, pathlib, random, signal, socket, sys, time

PLACE = pathlib.Path(__file__).parent
ME = PLACE / "integration.py"


def control():
    """Opens a session with the box."""
    session = socket.socket(socket.AF_UNIX)
    session.connect(sys.argv[sys.argv.index("--socket") + 1])
    return session


def say(data):
    """Writes to the box's report pipe."""
    while data:
        data = data[os.write(1, data):]


def beat():
    say(b".\n")


def rest():
    while True:
        beat()
        time.sleep(1)


def flood(session, data):
    beat()
    while True:
        session.sendall(data)


def exits(): os._exit(0)
def fails(): os._exit(70)
def crashes(): os.kill(os.getpid(), signal.SIGSEGV)


def babbles():
    while True:
        say(random.randbytes(65536))


def says_one_line():
    while True:
        say(b"=" * 65536)


def says_escapes():
    say(b"=\x1b[2J\x1b]0;owned\x07 \xff\xfe\r all is well\n")
    rest()


def counts_on():
    """Reports a different status each time, which floods the log."""
    number = 0
    while True:
        say(b"-trouble number %d\n" % number)
        number += 1


def closes_its_report():
    os.close(1)
    time.sleep(1000)


def stops():
    beat()
    os.kill(os.getpid(), signal.SIGSTOP)


def forks():
    """Forks children with its descriptors, and exits. The sandbox of the real integration prevents this."""
    for _ in range(10):
        if os.fork() == 0:
            time.sleep(1000)
    os._exit(0)


def forks_and_stays():
    """Forks children that still exist when it is killed."""
    for _ in range(10):
        if os.fork() == 0:
            time.sleep(1000)
    rest()


def garbles():
    flood(control(), random.randbytes(65536))


def gives_one_line():
    flood(control(), b"x" * 65536)


def never_reads():
    """Sends commands endlessly without reading responses."""
    flood(control(), b"status\n" * 1000)


def listens_and_never_reads():
    session = control()
    session.sendall(b"watch all\nidle\nwatch position\n")
    other = control()
    flood(other, b"queue shuffle on\nqueue shuffle off\n" * 100)


def closes_half():
    beat()
    while True:
        session = control()
        session.sendall(b"status\nstat")
        session.shutdown(random.choice([socket.SHUT_WR, socket.SHUT_RD]))
        time.sleep(0.01)


def hoards():
    """Opens as many sessions as possible."""
    sessions = []
    while True:
        try:
            sessions.append(control())
        except OSError:
            sessions = sessions[-500:]
        if len(sessions) % 200 == 1:
            beat()
        time.sleep(0.001)


def gives_orders():
    """Sends commands that change the settings or shut down: from a child, from itself, and as its last output."""
    orders = b"set volume.maximum 7\nset media.root /tmp\nreport\nshutdown\n" * 20
    if os.fork() == 0:
        control().sendall(orders)
        time.sleep(1000)
    control().sendall(orders)
    time.sleep(0.5)
    control().sendall(orders)
    os._exit(0)


MISDEEDS = dict(
    exits=exits, fails=fails, crashes=crashes, babbles=babbles, says_one_line=says_one_line, says_escapes=says_escapes, counts_on=counts_on,
    closes_its_report=closes_its_report, stops=stops, forks=forks, forks_and_stays=forks_and_stays, garbles=garbles, gives_one_line=gives_one_line, never_reads=never_reads,
    listens_and_never_reads=listens_and_never_reads, closes_half=closes_half, hoards=hoards,
    gives_orders=gives_orders)


def main():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with open(PLACE / "starts", "a") as starts:
        starts.write(f"{os.getpid()} {time.monotonic()}\n")
    misdeed = (PLACE / "misdeed").read_text()
    if misdeed == "none":
        os.execv((PLACE / "swiftlet").resolve(), ["swiftlet", *sys.argv[1:]])
    while True:
        try:
            MISDEEDS[misdeed]()
        except OSError:
            # The box has closed the session or no longer accepts data.
            time.sleep(0.05)


if __name__ == "__main__":
    main()
