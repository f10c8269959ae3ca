"""The board's serial lines from outside: the box's console, and a shell for the test harness."""

import json
import socket
import time
from pathlib import Path


class SerialError(Exception):
    """The other end did not answer as expected."""


class SerialLine:
    """Lines of text over a local socket; everything received is logged."""

    def __init__(self, connection: socket.socket, log: Path):
        self.connection = connection
        self._rest = b""
        self._log = open(log, "ab", buffering=0)

    def send(self, text: str) -> None:
        self._log.write(f">>> {text}\n".encode())
        self.connection.sendall(text.encode() + b"\n")

    def read(self, seconds: float) -> str | None:
        """Returns the next line without its end; None after a timeout."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            self.connection.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                some = self.connection.recv(65536)
            except TimeoutError:
                return None
            if not some:
                raise SerialError("QEMU has closed the serial line")
            self._log.write(some)
            self._rest += some
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace").strip("\r")

    def close(self) -> None:
        self.connection.close()
        self._log.close()


class Shell:
    """Runs commands on the board as root."""

    def __init__(self, line: SerialLine):
        self._line = line

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self._line.read(1) == "shell ready":
                return
        raise SerialError(f"the board has not started a shell within {seconds:.0f} s")

    def run(self, command: str, seconds: float = 60, check: bool = True) -> str:
        """Runs a command and returns its output."""
        self._line.send(command)
        lines: list[str] = []
        while True:
            line = self._line.read(seconds)
            if line is None:
                raise SerialError(f"no answer to '{command}' within {seconds:.0f} s")
            if line.startswith("=== "):
                if check and line != "=== 0":
                    raise SerialError(f"'{command}' failed: {line[4:]}: {' / '.join(lines)}")
                return "\n".join(lines)
            lines.append(line)


class Console:
    """The box's console, in JSON format."""

    def __init__(self, line: SerialLine):
        self._line = line
        self.connection = line.connection
        self.events: list[dict] = []

    def wait(self, seconds: float) -> None:
        """Waits until the daemon answers, and switches to JSON."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._line.send("format json")
            quiet = time.monotonic() + 2
            while time.monotonic() < quiet:
                line = self._line.read(0.5)
                if line is not None and '{"ok":true' in line:
                    # Earlier requests may be answered, too.
                    self.drain()
                    return
        raise SerialError(f"the console has not answered within {seconds:.0f} s")

    def drain(self) -> None:
        while self._line.read(0.3) is not None:
            pass

    def ask(self, command: str, seconds: float = 60) -> dict:
        """Types a command and returns its answer, whether ok or an error."""
        self._line.send(command)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            line = self._line.read(deadline - time.monotonic())
            if line is None:
                break
            try:
                message = json.loads(line[max(0, line.find("{")) :])
            except ValueError:
                continue  # Echoed input, the prompt, or the log.
            if not isinstance(message, dict):
                continue
            if "event" in message:
                self.events.append(message)
            elif "ok" in message:
                return message
        raise SerialError(f"no answer to '{command}' within {seconds:.0f} s")

    def run(self, command: str) -> dict:
        """Types a command that must succeed; returns the fields of its answer."""
        answer = self.ask(command)
        if not answer["ok"]:
            raise SerialError(f"'{command}' was refused: {answer.get('error')}")
        return answer.get("fields", {})
