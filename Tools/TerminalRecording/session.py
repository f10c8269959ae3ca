# Runs a program in a pseudo-terminal with simulated typing, and records its screens over time.
import fcntl
import os
import pty
import select
import struct
import termios
import time

from screen import Screen

# Minimum seconds between two recorded screens.
INTERVAL = 0.2
NAMES = {
    "space": " ", "enter": "\r", "left": "\x1b[D", "right": "\x1b[C", "up": "\x1b[A", "down": "\x1b[B",
    "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "pgup": "\x1b[5~", "pgdn": "\x1b[6~",
    "ctrl-c": "\x03",
}


def typing(path):
    """Returns (seconds, bytes) of each key in a file of `SECONDS KEY…` lines.

    KEY is a name, or a text in quotes that is typed letter by letter.
    """
    keys = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if not line:
                continue
            moment, rest = line.split(None, 1)
            if rest.startswith('"'):
                keys += [(float(moment) + 0.09 * place, letter.encode())
                         for place, letter in enumerate(rest.strip('"'))]
            else:
                keys.append((float(moment), NAMES.get(rest, rest).encode()))
    return sorted(keys)


def recorded(program, columns, rows, keys):
    """Returns the screens as (seconds, snapshot), the length in seconds, and the exit status."""
    screen = Screen(columns, rows)
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", COLUMNS=str(columns), LINES=str(rows))
        os.execv(program[0], program)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    begin = time.monotonic()
    waiting = typing(keys)
    screens = []
    taken = -INTERVAL

    def take(now):
        nonlocal taken
        snapshot = screen.snapshot()
        if now - taken >= INTERVAL and (not screens or screens[-1][1] != snapshot):
            screens.append((now, snapshot))
            taken = now

    while True:
        now = time.monotonic() - begin
        while waiting and waiting[0][0] <= now:
            os.write(terminal, waiting.pop(0)[1])
        readable, _, _ = select.select([terminal], [], [], 0.05)
        if readable:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            screen.feed(data)
        take(time.monotonic() - begin)
    length = time.monotonic() - begin
    _, status = os.waitpid(child, 0)
    # The keys may have ended the program with Ctrl-C.
    code = os.waitstatus_to_exitcode(status)
    return screens, length, code
