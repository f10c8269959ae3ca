"""The two serial lines, from outside: the box's console, and a shell for the harness."""

import json
import socket
import time
from pathlib import Path


class SerialError(Exception):
    """The other end did not answer as it should."""


class SerialLine:
    """Text in lines over a local socket; all that came is kept in a log."""

    def __init__(self, connection: socket.socket, log: Path):
        self.connection = connection
        self._rest = b""
        self._log = open(log, "ab", buffering=0)

    def send(self, text: str) -> None:
        self._log.write(f">>> {text}\n".encode())
        self.connection.sendall(text.encode() + b"\n")

    def read(self, seconds: float) -> str | None:
        """The next line, without its end; nil after so many seconds."""
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
        """Runs a command and answers what it printed."""
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
    """The box's own console, in JSON."""

    def __init__(self, line: SerialLine):
        self._line = line
        self.connection = line.connection
        self.events: list[dict] = []

    def wait(self, seconds: float) -> None:
        """Waits until the daemon answers; changes to JSON."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._line.send("format json")
            quiet = time.monotonic() + 2
            while time.monotonic() < quiet:
                line = self._line.read(0.5)
                if line is not None and '{"ok":true' in line:
                    # An earlier try may be answered, too.
                    self.drain()
                    return
        raise SerialError(f"the console has not answered within {seconds:.0f} s")

    def drain(self) -> None:
        while self._line.read(0.3) is not None:
            pass

    def ask(self, command: str, seconds: float = 60) -> dict:
        """Types a command and answers its reply, whichever it is."""
        self._line.send(command)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            line = self._line.read(deadline - time.monotonic())
            if line is None:
                break
            try:
                message = json.loads(line[max(0, line.find("{")) :])
            except ValueError:
                continue  # The echo of what was typed, the prompt, the log.
            if not isinstance(message, dict):
                continue
            if "event" in message:
                self.events.append(message)
            elif "ok" in message:
                return message
        raise SerialError(f"no answer to '{command}' within {seconds:.0f} s")

    def run(self, command: str) -> dict:
        """Types a command that must be understood; answers its fields."""
        answer = self.ask(command)
        if not answer["ok"]:
            raise SerialError(f"'{command}' was refused: {answer.get('error')}")
        return answer.get("fields", {})
