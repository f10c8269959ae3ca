"""What boards/raspberry-pi.md and docs/announcements.md have a person type on the board, top to bottom, as it stands; scripts/check-pages types
the rest of the first."""

from pages import REPOSITORY, give_sudo, lines

TITLE = "the commands of two pages for the board, typed as they stand"
NEEDS = "nothing"
PAGE = REPOSITORY / "boards/raspberry-pi.md"
ANNOUNCEMENTS = REPOSITORY / "docs/announcements.md"
# Wants a person.
UNTYPED = ["sudo nano /boot/firmware/config.txt"]


def run(board, note) -> None:
    commands = lines(PAGE)
    assert len(commands) > 5, f"{PAGE} marks {len(commands)} commands for the board"
    if not board.process:
        board.renew()
        board.power_on()
    # The libraries, which the board would download.
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
            # What doctor finds missing on this board is its answer, not a failure of the page.
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
    # The folder is there after the next start, any user may write there, and the daemon may read.
    board.reboot()
    board.wait_active()
    board.run("runuser -u nobody -- sh -c 'echo x >/run/announcements/said.wav'; runuser -u swiftlet -- cat /run/announcements/said.wav")
    assert "/run/announcements" in board.run("swiftlet ctl show media.root")
    note(f"{typed} of {len(commands)} commands; doctor names the sound card that this board has not")
