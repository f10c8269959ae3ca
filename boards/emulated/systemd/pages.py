"""What pages have a person type and configure on the board: fenced blocks behind a mark such as `<!-- Typed on the board. -->`."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def lines(page: Path, mark: str = "Typed") -> list[str]:
    """The lines of all blocks with a mark, top to bottom."""
    blocks = re.findall(rf"^<!-- {mark} on the board\. -->\n```\w*\n(.*?)^```", page.read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def give_sudo(board) -> None:
    """Root needs no sudo, and the board's small system has none."""
    board.run("printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo; chmod +x /usr/local/bin/sudo")
