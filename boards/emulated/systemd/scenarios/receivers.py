"""Scenario: runs the commands and configuration of docs/using/live.md for AirPlay, Bluetooth and other programs. Debian's
receivers run within the service's confinement, and their own players do not occupy the card. There is no phone to
send from.
"""

import shlex

from pages import REPOSITORY, give_sudo, lines

TITLE = "the live sources of docs/using/live.md, typed and configured as they stand"
PAGE = REPOSITORY / "docs/using/live.md"
CONFIGURATION = "/var/lib/swiftlet/swiftlet.conf"


def run(board, note) -> None:
    typed, configured = lines(PAGE), lines(PAGE, "Configured")
    assert len(typed) > 5 and len(configured) > 3, f"{PAGE} marks {len(typed)} commands and {len(configured)} lines for the board"
    give_sudo(board)
    # The board has no network, and apt has no terminal for its questions.
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
    # AirPlay is announced under its name only if a receiver runs. If a program ends, the daemon reports how.
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
    # Sound from another program is heard. Each round writes 0.4 s of it, because a round may take 0.3 s on a busy
    # host: the daemon does not count slower than real time as sound.
    sound = "while :; do head -c 70560 /dev/zero | tr '\\0' '\\1'; sleep 0.05; done"
    board.run(f"({sound}) >/run/radio.pcm 2>/dev/null & echo $! >/run/radio.pid")
    board.wait(lambda: "radio" in board.run("swiftlet ctl status"), "sound of the FIFO", 60)
    board.run("kill $(cat /run/radio.pid)")
    note(f"{len(typed)} commands, {len(configured)} lines")
