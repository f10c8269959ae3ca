"""Scenario: the recipe in boards/README.md lets the buttons and `shutdown` switch the machine off, while a restart of
the service does not.
"""

import base64
import re
from pathlib import Path

from scenarios.button import hold

TITLE = "with the recipe of the boards' page: the buttons switch the machine off; a restart of the service does not"
PAGE = Path(__file__).resolve().parents[3] / "README.md"


def switched_off(board, how) -> None:
    log = board.log / "kernel.log"
    how()
    board.wait_off()
    last = log.read_text(errors="replace")[-2000:]
    assert "Power down" in last, f"the machine has ended otherwise than by switching off: {last[-300:]}"
    board.power_on()
    board.wait_active()


def run(board, note) -> None:
    recipe = re.search(r"```ini\n(\[Service\]\nExecStopPost=.*?)```", PAGE.read_text(), re.S)
    assert recipe, f"{PAGE} has no recipe for switching off"
    typed = base64.b64encode(recipe[1].encode()).decode()
    folder = "/etc/systemd/system/swiftlet.service.d"
    board.run(f"mkdir -p {folder}; echo {typed} | base64 -d >{folder}/override.conf; systemctl daemon-reload")
    before = board.unit("MainPID")["MainPID"]
    board.run("systemctl restart swiftlet")
    board.wait_active()
    assert board.unit("MainPID")["MainPID"] != before
    board.run("sleep 3")
    switched_off(board, lambda: hold(board))
    switched_off(board, lambda: board.run("swiftlet ctl shutdown"))
    board.run(f"rm -r {folder}; systemctl daemon-reload")
    note("off by buttons, off by 'swiftlet ctl shutdown', on after 'systemctl restart'")
