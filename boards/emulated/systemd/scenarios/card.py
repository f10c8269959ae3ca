"""Scenario: boots a card prepared by scripts/make-card. systemd runs the first start without network, and the box
plays; later starts apply the user's changes to the card.
"""

import re
import shutil
import subprocess
from pathlib import Path

from disk import make_fat

TITLE = "a card from scripts/make-card: the first start installs it all without network, later ones take what changes on it"
NEEDS = "nothing"
REPOSITORY = Path(__file__).resolve().parents[4]
# As in the image of Raspberry Pi OS Lite.
CONFIG = "dtparam=audio=on\ncamera_auto_detect=1\ndtoverlay=vc4-kms-v3d\n\n[cm4]\notg_mode=1\n\n[all]\n"


def run(board, note) -> None:
    folder = board.folder / "card"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "cmdline.txt").write_text("rootwait\n")
    (folder / "config.txt").write_text(CONFIG)
    subprocess.run(
        [REPOSITORY / "scripts/make-card", "emulated", folder, "--packages", board.deb.parent, "--debian", board.debian],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    # The user edits it on a PC with other line ends.
    conf = folder / "swiftlet.conf"
    conf.write_bytes(conf.read_bytes().replace(b"# set media.root", b"set volume.maximum 66\r\n# set media.root"))
    image = board.folder / "card.img"
    make_fat(image, sorted(folder.iterdir()), 64)
    board.renew()
    # The first start has no shell, and ends by itself.
    board.power_on((folder / "cmdline.txt").read_text().strip(), card=image, waits=False)
    board.wait_off(900)
    log = read(image, "swiftlet/log.txt")
    assert "done: swiftlet" in log and "FAILED" not in log, log
    words = read(image, "cmdline.txt")
    assert words == "rootwait\n", words
    board.power_on(words.strip(), card=image)
    board.is_installed = True
    board.wait_active()
    assert board.status()["output"].startswith("ALSA hw:0"), board.status()
    assert "66" in board.run("swiftlet ctl show volume.maximum")
    configuration = board.run("stat -c '%a %U' /var/lib/swiftlet/swiftlet.conf; grep -c \"$(printf '\\r')\" /var/lib/swiftlet/swiftlet.conf; true")
    assert configuration.split() == ["640", "swiftlet", "0"], configuration
    works(board)
    note("one start to install, the next one plays; the configuration is the one of the card")
    check_changes(board, image, note)
    board.power_cut()


def check_changes(board, image: Path, note) -> None:
    """Checks a mistyped and then a corrected line, each applied at the next start."""
    board.run("swiftlet ctl set fade.length 3 && swiftlet ctl save")
    restart(board, image, b"board emulated\r\nset volum.maximum 60\r\nset volume.maximum 61\r\n")
    assert "61" in board.run("swiftlet ctl show volume.maximum")
    length = board.run("swiftlet ctl show fade.length")
    assert re.search(r"fade\.length +3\b", length), f"what was saved is lost: {length}"
    status = board.status()
    assert "volum.maximum" in status.get("configuration", ""), status
    said = board.run("cat /boot/firmware/swiftlet-errors.txt")
    assert "Line 2" in said and "volume.maximum" in said, said
    works(board)
    restart(board, image, b"board emulated\nset volume.maximum 60\n")
    assert "60" in board.run("swiftlet ctl show volume.maximum")
    assert "configuration" not in board.status(), board.status()
    assert not board.holds("[ -e /boot/firmware/swiftlet-errors.txt ]")
    note("a mistyped line is said in a file, in status and by a cue, the others count; a mended one is taken")


def works(board) -> None:
    """Checks that no unit has failed, except cloud-init's own: it needs a growable partition and the command ip."""
    failed = board.run("SYSTEMD_COLORS=0 systemctl --failed --no-legend --plain")
    failed = [line for line in failed.splitlines() if line.strip() and not line.startswith("cloud-")]
    assert not failed, failed


def restart(board, image: Path, configuration: bytes) -> None:
    """Cuts the power, writes the card's swiftlet.conf like a user on a computer, and boots the board again."""
    board.run("sync")
    board.power_cut()
    unpacked = image.with_suffix(".file")
    unpacked.write_bytes(configuration)
    subprocess.run(["mcopy", "-o", "-i", str(image), str(unpacked), "::swiftlet.conf"], check=True)
    board.power_on(card=image)
    board.wait_active()


def read(image: Path, name: str) -> str:
    done = subprocess.run(["mtype", "-i", str(image), f"::{name}"], check=True, capture_output=True)
    return done.stdout.decode()
