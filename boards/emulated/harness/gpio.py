"""The board's GPIO lines, from outside: presses with bounce, knob turns, and the level of lights. Over QEMU's qtest
protocol (one command a line); the lines are those of the PL061, of which Linux makes gpiochip0."""

import random
import socket
import time

# Where the virt machine has its PL061, and the register that shows all lines at once (ARM DDI 0190, 3.3.1).
PL061 = 0x09030000
DATA = PL061 + 0x3FC

LINES = 8
LIGHT = 6


def quadrature(is_right: bool) -> list[tuple[int, int]]:
    """A and B during one detent; to the right, A leads."""
    return [(0, 1), (0, 0), (1, 0), (1, 1)] if is_right else [(1, 0), (0, 0), (0, 1), (1, 1)]


class GPIO:
    """One connection. Buttons are active-low: they pull a line down that idles high."""

    def __init__(self, connection: socket.socket, seed: int):
        self._socket = connection
        self._socket.settimeout(60)
        self._file = self._socket.makefile("rb")
        self._random = random.Random(seed)
        self._device = ""
        self._phase = [0, 0]

    def attach(self, device: str) -> None:
        """Learns the chip's path, and lets all lines idle high, as pull-ups would."""
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
        """Presses a button and lets it go after `held` seconds."""
        self.down(line)
        time.sleep(held)
        self.up(line)

    def chord(self, lines: tuple[int, ...], held: float) -> None:
        """Holds several buttons, as fingers do: not down and up at the same moment."""
        for line in lines:
            self.down(line)
            time.sleep(0.02)
        time.sleep(held)
        for line in lines:
            self.up(line)
            time.sleep(0.02)

    def turn(self, lines: tuple[int, int], detents: int, interval: float = 0.03) -> None:
        """Turns a knob: four quadrature steps a detent; positive is the direction in which A leads B."""
        for _ in range(abs(detents)):
            for levels in quadrature(detents > 0):
                for line, level in zip(lines, levels):
                    self.set(line, level)
                time.sleep(interval / 4)

    def level(self, line: int) -> int:
        """The level of a line, also of one that the board drives."""
        value = int(self._command(f"readb {DATA:#x}").split()[1], 16)
        return (value >> line) & 1

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def _bounce(self, line: int, level: int) -> None:
        """A contact that closes or opens: 2 to 12 edges within 8 ms, as cheap tactile switches do."""
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
