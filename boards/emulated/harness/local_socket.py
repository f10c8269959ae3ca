"""The local sockets that QEMU opens."""

import os
import socket
import time
from pathlib import Path

SECONDS = 30


class QEMUError(Exception):
    """QEMU did not start or has ended."""


def connect(path: Path, check) -> socket.socket:
    """Connects as soon as the socket is there. `check` is called while it is not, and raises where it never will be."""
    # Their paths are limited to 107 bytes.
    name = os.path.relpath(path)
    deadline = time.monotonic() + SECONDS
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(name)
            return connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            check()
            if time.monotonic() > deadline:
                raise QEMUError(f"QEMU has not opened {path.name} within {SECONDS} s") from None
            time.sleep(0.02)


def check_running(process, log: Path) -> None:
    """Raises what QEMU has said if it has ended."""
    if process.poll() is not None:
        raise QEMUError(f"QEMU has ended with {process.returncode}: {log.read_text().strip()}")
