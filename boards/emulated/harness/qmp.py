"""QEMU's control protocol (QMP): JSON objects, one per line, over a local socket."""

import json
import socket
import threading


class QMPError(Exception):
    """QEMU refused a command."""


class QMP:
    """A QMP connection; not thread-safe."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._socket.settimeout(60)
        self._lines = self._socket.makefile("rb")
        self._read()
        self.run("qmp_capabilities")

    def run(self, command: str, **arguments):
        """Runs a command and returns its result. Underscores in argument names stand for hyphens."""
        message = {"execute": command, "arguments": {k.replace("_", "-"): v for k, v in arguments.items()}}
        self._socket.sendall(json.dumps(message).encode() + b"\n")
        while True:
            answer = self._read()
            if "error" in answer:
                raise QMPError(f"{command}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]

    def find(self, kind: str) -> str:
        """Returns the path of the machine's device of a kind, such as `pl061`."""
        for child in self.run("qom-list", path="/machine/unattached"):
            if child["type"] == f"child<{kind}>":
                return f"/machine/unattached/{child['name']}"
        raise QMPError(f"the machine has no {kind}")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def _read(self) -> dict:
        line = self._lines.readline()
        if not line:
            raise QMPError("QEMU has closed the connection")
        return json.loads(line)


class Pulse(threading.Thread):
    """Wakes QEMU's main loop periodically.

    Works around a bug of QEMU 7.2 with icount: if a device moves its timer to a later time while the CPU idles, the
    clock warp comes too early, and QEMU sleeps until the next event.
    """

    SECONDS = 0.01

    def __init__(self, connection: socket.socket):
        super().__init__(daemon=True)
        self._qmp = QMP(connection)
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        try:
            while not self._over.wait(self.SECONDS):
                self._qmp.run("query-status")
        except (OSError, QMPError):
            pass  # QEMU has ended.

    def close(self) -> None:
        self._over.set()
        self.join()
        self._qmp.close()
