"""Controls the board's GPIO lines from outside: button presses with bounce, knob turns, and levels of lights.

Uses QEMU's qtest protocol (one command per line) on the PL061, which is gpiochip0 in Linux.
"""

import random
import socket
import time

# Address of the virt machine's PL061, and the register that reads all lines at once (ARM DDI 0190, 3.3.1).
PL061 = 0x09030000
DATA = PL061 + 0x3FC

LINES = 8
LIGHT = 6


def quadrature(is_right: bool) -> list[tuple[int, int]]:
    """Returns the levels of A and B during one detent; to the right, A leads."""
    return [(0, 1), (0, 0), (1, 0), (1, 1)] if is_right else [(1, 0), (0, 0), (0, 1), (1, 1)]


class GPIO:
    """A qtest connection. Buttons are active-low: they pull down a line that idles high."""

    def __init__(self, connection: socket.socket, seed: int):
        self._socket = connection
        self._socket.settimeout(60)
        self._file = self._socket.makefile("rb")
        self._random = random.Random(seed)
        self._device = ""
        self._phase = [0, 0]

    def attach(self, device: str) -> None:
        """Sets the chip's QOM path, and lets all lines idle high, like pull-up resistors."""
        self._device = device
        for line in range(LINES):
            if line != LIGHT:
                self.set(line, 1)

    def set(self, line: int, level: int) -> None:
        self._command(f"set_irq_in {self._device} unnamed-gpio-in {line} {level}")

    def down(self, line: int) -> None:
        self._bounce(line, 0)

    def up(self, line: int) -> None:
        self._bounce(line, 1)

    def press(self, line: int, held: float = 0.12) -> None:
        """Presses a button and releases it after `held` seconds."""
        self.down(line)
        time.sleep(held)
        self.up(line)

    def chord(self, lines: tuple[int, ...], held: float) -> None:
        """Holds several buttons, pressed and released at slightly different times."""
        for line in lines:
            self.down(line)
            time.sleep(0.02)
        time.sleep(held)
        for line in lines:
            self.up(line)
            time.sleep(0.02)

    def turn(self, lines: tuple[int, int], detents: int, interval: float = 0.03) -> None:
        """Turns a knob by four quadrature steps per detent; positive is the direction in which A leads B."""
        for _ in range(abs(detents)):
            for levels in quadrature(detents > 0):
                for line, level in zip(lines, levels):
                    self.set(line, level)
                time.sleep(interval / 4)

    def level(self, line: int) -> int:
        """Returns the level of a line, including those that the board drives."""
        value = int(self._command(f"readb {DATA:#x}").split()[1], 16)
        return (value >> line) & 1

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def _bounce(self, line: int, level: int) -> None:
        """Bounces like a cheap tactile switch: 2 to 12 edges within 8 ms."""
        for _ in range(self._random.randint(1, 6)):
            self.set(line, level)
            time.sleep(self._random.uniform(0.0001, 0.0008))
            self.set(line, 1 - level)
            time.sleep(self._random.uniform(0.0001, 0.0005))
        self.set(line, level)

    def _command(self, text: str) -> str:
        self._socket.sendall(text.encode() + b"\n")
        while True:
            line = self._file.readline().decode()
            if not line:
                raise ConnectionError("QEMU has closed the qtest connection")
            if line.startswith("IRQ"):
                continue
            if not line.startswith("OK"):
                raise ConnectionError(f"qtest: '{text}': {line.strip()}")
            return line.strip()
