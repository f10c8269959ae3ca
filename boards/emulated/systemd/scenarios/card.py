"""A card that scripts/make-card prepared is started: systemd runs the first start, without network, and the box comes up."""

import shutil
import subprocess
from pathlib import Path

from disk import make_fat

TITLE = "a card from scripts/make-card: the first start installs it all without network, the second one is a box"
NEEDS = "nothing"
REPOSITORY = Path(__file__).resolve().parents[4]
# As on the image of Raspberry Pi OS Lite.
CONFIG = "dtparam=audio=on\ncamera_auto_detect=1\ndtoverlay=vc4-kms-v3d\n\n[cm4]\notg_mode=1\n\n[all]\n"


def run(board, note) -> None:
    folder = board.folder / "card"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "cmdline.txt").write_text("rootwait\n")
    (folder / "config.txt").write_text(CONFIG)
    subprocess.run(
        [REPOSITORY / "scripts/make-card", "emulated", folder, "--packages", board.deb.parent],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    # A person edits it, on a PC that ends lines otherwise.
    conf = folder / "swiftlet.conf"
    conf.write_bytes(conf.read_bytes().replace(b"# set media.root", b"set volume.maximum 66\n# set media.root").replace(b"\n", b"\r\n"))
    image = board.folder / "card.img"
    make_fat(image, sorted(folder.iterdir()), 48)
    board.renew()
    # The first start: no shell in it, and it ends by itself.
    board.power_on((folder / "cmdline.txt").read_text().strip(), card=image, waits=False)
    board.wait_off(300)
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
    failed = board.run("systemctl --failed --no-legend --plain")
    assert not failed.strip(), failed
    note("one start to install, the next one plays; the configuration is the one of the card")
    board.power_cut()


def read(image: Path, name: str) -> str:
    done = subprocess.run(["mtype", "-i", str(image), f"::{name}"], check=True, capture_output=True)
    return done.stdout.decode()
