"""Scenario: runs the commands of boards/raspberry-pi.md and docs/using/announcements.md for the board, from top to bottom.
scripts/check-pages runs the other commands of the first page.
"""

from pages import REPOSITORY, give_sudo, lines

TITLE = "the commands of two pages for the board, typed as they stand"
NEEDS = "nothing"
PAGE = REPOSITORY / "boards/raspberry-pi.md"
ANNOUNCEMENTS = REPOSITORY / "docs/using/announcements.md"
# Interactive.
UNTYPED = ["sudo nano /boot/firmware/config.txt"]


def run(board, note) -> None:
    commands = lines(PAGE)
    assert len(commands) > 5, f"{PAGE} marks {len(commands)} commands for the board"
    if not board.process:
        board.renew()
        board.power_on()
    # The libraries, which a real board would download.
    board.run("apt-get install -y /mnt/needed/*.deb 2>&1", seconds=300)
    give_sudo(board)
    board.run("cp /mnt/newer/*.deb /root; sync")
    typed = 0
    for line in commands:
        if line in UNTYPED:
            continue
        if line == "sudo reboot":
            board.reboot()
        else:
            # doctor reports hardware that this board lacks; that is no failure of the page.
            answer = board.run(f"cd /root; export USER=root; {line}", seconds=300, check="doctor" not in line)
        typed += 1
        if line == "sudo swiftlet doctor":
            assert "sndrpihifiberry" in answer, f"doctor does not name the sound card that is missing: {answer}"
    board.is_installed = True
    board.wait_active()
    assert "hw:CARD=sndrpihifiberry" in board.run("swiftlet ctl show output.device")
    spoken = lines(ANNOUNCEMENTS)
    assert len(spoken) > 3, f"{ANNOUNCEMENTS} marks {len(spoken)} commands for the board"
    for line in spoken:
        board.run(f"cd /root; {line}", seconds=60)
    # The folder must exist after the next boot, writable for any user and readable for the daemon.
    board.reboot()
    board.wait_active()
    board.run("runuser -u nobody -- sh -c 'echo x >/run/announcements/said.wav'; runuser -u swiftlet -- cat /run/announcements/said.wav")
    assert "/run/announcements" in board.run("swiftlet ctl show media.root")
    note(f"{typed} of {len(commands)} commands; doctor names the sound card that this board has not")
