"""What boards/raspberry-pi.md has a person type on the board, top to bottom, as it stands; scripts/check-pages types the rest."""

import re
from pathlib import Path

TITLE = "the commands of the Raspberry Pi's page for the board, typed as they stand"
NEEDS = "nothing"
PAGE = Path(__file__).resolve().parents[3] / "raspberry-pi.md"
# Wants a person.
UNTYPED = ["sudo nano /boot/firmware/config.txt"]


def commands() -> list[str]:
    blocks = re.findall(r"^<!-- Typed on the board\. -->\n```sh\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def run(board, note) -> None:
    lines = commands()
    assert len(lines) > 5, f"{PAGE} marks {len(lines)} commands for the board"
    if not board.process:
        board.renew()
        board.power_on()
    # The libraries, which the board would download; root needs no sudo, and this small system has none.
    board.run("apt-get install -y /mnt/needed/*.deb 2>&1", seconds=300)
    board.run("printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo; chmod +x /usr/local/bin/sudo; cp /mnt/newer/*.deb /root; sync")
    typed = 0
    for line in lines:
        if line in UNTYPED:
            continue
        if line == "sudo reboot":
            board.reboot()
        else:
            # What doctor finds missing on this board is its answer, not a failure of the page.
            answer = board.run(f"cd /root; export USER=root; {line}", seconds=300, check="doctor" not in line)
        typed += 1
        if line == "sudo swiftlet doctor":
            assert "sndrpihifiberry" in answer, f"doctor does not name the sound card that is missing: {answer}"
    board.is_installed = True
    board.wait_active()
    assert "hw:CARD=sndrpihifiberry" in board.run("swiftlet ctl show output.device")
    note(f"{typed} of {len(lines)} commands; doctor names the sound card that this board has not")
