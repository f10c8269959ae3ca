"""Scenario: the package is purged with a USB stick plugged in; only the music and the user remain."""

from scenarios.stick import is_gone, plug

TITLE = "purged with a stick in the board: nothing is left but the music"


def run(board, note) -> None:
    plug(board)
    board.run("apt-get purge -y swiftlet 2>&1", seconds=200)
    board.is_installed = False
    board.wait(lambda: is_gone(board), "tidy /media")
    board.unplug()
    left = board.run(
        "find / -xdev -path /proc -prune -o \\( -ipath '*swiftlet*' ! -path '/var/log/*' ! -path '/var/cache/*' ! -path '/mnt/*' \\) -print"
    ).splitlines()
    assert not left, left
    units = board.run("systemctl list-units --all --no-legend --plain 'swiftlet*'")
    assert not units.strip() or "not-found" in units, units
    assert board.holds("[ -e /srv/music/long.wav ]") and board.holds("getent passwd swiftlet >/dev/null")
    note("no file, no unit, no mount; music and user stay")
