"""Interactive session with the emulated board: the box's console in this terminal, its buttons on function keys."""

import os
import select
import sys
import termios
import threading
import tty

from box import BUTTONS, KNOB

KEYS = {
    b"\x1bOP": ("play", 0.12),
    b"\x1bOQ": ("next", 0.12),
    b"\x1bOR": ("prev", 0.12),
    b"\x1bOS": ("play", 1.2),
    b"\x1b[15~": ("chord", 1.2),
    b"\x1b[17~": ("left", 0),
    b"\x1b[18~": ("right", 0),
}

GREETING = """
F1 play · F2 next · F3 previous · F4 play held · F5 next and previous held · F6 F7 the knob · Ctrl-] ends
The music is /srv/music: try `play one.wav`, `status`, `help`. What is heard is recorded in {path}.
"""


def attach(box) -> int:
    """Runs until Ctrl-]."""
    machine = box.on
    if not sys.stdin.isatty():
        print("test-board: --shell wants a terminal", file=sys.stderr)
        return 64
    machine.console.connection.sendall(b"format text\n")
    print(GREETING.format(path=machine.recording.path))
    line = machine.console.connection
    line.setblocking(False)
    line.sendall(b"\n")
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        while True:
            ready, _, _ = select.select([sys.stdin, line], [], [])
            if line in ready:
                os.write(1, line.recv(4096))
            if sys.stdin in ready:
                typed = os.read(0, 64)
                if typed == b"\x1d":
                    return 0
                if typed in KEYS:
                    threading.Thread(target=act, args=(machine.gpio, *KEYS[typed])).start()
                else:
                    line.sendall(typed)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        print()


def act(gpio, what: str, held: float) -> None:
    if what in BUTTONS:
        gpio.press(BUTTONS[what], held)
    elif what == "chord":
        gpio.chord((BUTTONS["next"], BUTTONS["prev"]), held)
    else:
        gpio.turn(KNOB, 1 if what == "right" else -1)
