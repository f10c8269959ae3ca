"""What docs/live.md has a person type and configure for AirPlay, Bluetooth and other programs, as it stands: Debian's receivers run below the
service's confinement, and its own players do not take the card. No phone is there to send."""

import re
import shlex
from pathlib import Path

TITLE = "the live sources of docs/live.md, typed and configured as they stand"
PAGE = Path(__file__).resolve().parents[4] / "docs/live.md"
CONFIGURATION = "/var/lib/swiftlet/swiftlet.conf"


def blocks(mark: str) -> list[str]:
    found = re.findall(rf"^<!-- {mark} on the board\. -->\n```\w*\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    return [line for block in found for line in block.splitlines()]


def run(board, note) -> None:
    typed, configured = blocks("Typed"), blocks("Configured")
    assert len(typed) > 5 and len(configured) > 3, f"{PAGE} marks {len(typed)} commands and {len(configured)} lines for the board"
    board.run("printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo; chmod +x /usr/local/bin/sudo")
    # The board has no network; nobody answers apt's question.
    board.run("echo 'deb [trusted=yes] file:/mnt/receivers ./' >/etc/apt/sources.list; rm -f /etc/apt/sources.list.d/*")
    board.run("""echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/99-assume-yes; apt-get -qq update 2>&1""", seconds=120)
    for line in typed:
        board.run(f"export DEBIAN_FRONTEND=noninteractive; {line} 2>&1", seconds=600)
    for service in ("shairport-sync", "bluealsa-aplay"):
        unit = board.unit("ActiveState", "UnitFileState", unit=f"{service}.service")
        assert unit["ActiveState"] != "active" and unit["UnitFileState"] == "disabled", f"{service}: {unit}"
    for line in configured:
        board.run(f"printf '%s\\n' {shlex.quote(line)} >>{CONFIGURATION}")
    board.run("systemctl restart swiftlet")
    board.wait_active()
    # AirPlay is found by its name, which takes a receiver that runs; the daemon says of a program that ends how it ended.
    runs = "grep -qsa '[K]itchen' /proc/[0-9]*/cmdline"
    board.wait(lambda: board.holds(runs), "AirPlay receiver", 30)
    board.wait(lambda: board.holds("grep -qsa 'while.*[b]luealsa' /proc/[0-9]*/cmdline"), "Bluetooth receiver", 30)
    board.run("sleep 5")
    sources = board.run("swiftlet ctl sources")
    assert board.holds(runs), sources
    for name in ("airplay", "bluetooth", "radio"):
        assert name in sources, sources
    for word in ("ended", "failed", "status"):
        assert word not in sources, sources
    # What another program writes is heard.
    board.run("(head -c 4000000 /dev/zero | tr '\\0' '\\1' >/run/radio.pcm) 2>/dev/null & true")
    board.wait(lambda: "radio" in board.run("swiftlet ctl status"), "sound of the FIFO", 30)
    note(f"{len(typed)} commands, {len(configured)} lines")
