"""Extracts commands for the board from documentation pages: fenced blocks after a mark such as `<!-- Typed on the
board. -->`.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def lines(page: Path, mark: str = "Typed") -> list[str]:
    """Returns the lines of all blocks with a mark, from top to bottom."""
    blocks = re.findall(rf"^<!-- {mark} on the board\. -->\n```\w*\n(.*?)^```", page.read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def give_sudo(board) -> None:
    """Provides a `sudo` command: the board's small system has none, and commands run as root anyway."""
    board.run("printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo; chmod +x /usr/local/bin/sudo")
