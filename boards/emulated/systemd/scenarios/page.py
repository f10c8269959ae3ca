"""What boards/raspberry-pi.md and docs/announcements.md have a person type on the board, top to bottom, as it stands; scripts/check-pages types
the rest of the first."""

import re
from pathlib import Path

TITLE = "the commands of two pages for the board, typed as they stand"
NEEDS = "nothing"
BOARDS = Path(__file__).resolve().parents[3]
PAGE = BOARDS / "raspberry-pi.md"
ANNOUNCEMENTS = BOARDS.parent / "docs/announcements.md"
# Wants a person.
UNTYPED = ["sudo nano /boot/firmware/config.txt"]


def commands(page: Path) -> list[str]:
    blocks = re.findall(r"^<!-- Typed on the board\. -->\n```sh\n(.*?)^```", page.read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def run(board, note) -> None:
    lines = commands(PAGE)
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
    spoken = commands(ANNOUNCEMENTS)
    assert len(spoken) > 3, f"{ANNOUNCEMENTS} marks {len(spoken)} commands for the board"
    for line in spoken:
        board.run(f"cd /root; {line}", seconds=60)
    # The folder is there after the next start, any user may write there, and the daemon may read.
    board.reboot()
    board.wait_active()
    board.run("runuser -u nobody -- sh -c 'echo x >/run/announcements/said.wav'; runuser -u swiftlet -- cat /run/announcements/said.wav")
    assert "/run/announcements" in board.run("swiftlet ctl show media.root")
    note(f"{typed} of {len(lines)} commands; doctor names the sound card that this board has not")
