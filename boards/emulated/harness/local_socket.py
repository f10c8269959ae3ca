"""Connects to the local sockets that QEMU opens."""

import os
import socket
import time
from pathlib import Path

SECONDS = 30


class QEMUError(Exception):
    """QEMU did not start, or has ended."""


def connect(path: Path, check) -> socket.socket:
    """Connects once the socket exists. `check` is called while it does not, and raises if it never will."""
    # Socket paths are limited to 107 bytes.
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
    """Raises an error with QEMU's output if QEMU has ended."""
    if process.poll() is not None:
        raise QEMUError(f"QEMU has ended with {process.returncode}: {log.read_text().strip()}")
