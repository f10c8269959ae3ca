"""Scenario: a folder was unpacked onto a card by hand, as on Windows. cloud-init finds the vendor data, and the first
start installs everything without network, despite several power cuts.

Replaces a test with Raspberry Pi OS, whose image is not available here: Debian 13's cloud-init with the configuration
of Raspberry Pi OS and the files that Raspberry Pi Imager writes.
"""

import os
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

from disk import make_fat
from scenarios.card import CONFIG, REPOSITORY, check_changes, read, works

TITLE = "a folder unpacked onto a card: cloud-init starts the installation, which outlives ten power cuts"
NEEDS = "cloud-init"
# As in Raspberry Pi OS, where a separate file says where cloud-init's files are.
CLOUD = "datasource_list: [ NoCloud, None ]\ndatasource:\n  NoCloud:\n    seedfrom: file:///boot/firmware\n"
# As written by Imager.
META = "instance-id: rpi-imager-1761234567890\n"
USER = (
    "#cloud-config\nmanage_resolv_conf: false\nhostname: kitchen\nmanage_etc_hosts: true\nusers:\n- name: maker\n  groups: users,adm\n"
    "  shell: /bin/bash\n  lock_passwd: true\nruncmd:\n- [ touch, /run/imagers-own-command ]\n"
)
NETWORK = "network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      optional: true\n"
WORDS = "ds=nocloud;i=rpi-imager-1761234567890"
# Seconds after a boot, from the kernel to the end of the installation. SWIFTLET_CUTS is the number of them to use,
# evenly distributed.
CUTS = (8, 16, 24, 32, 40, 50, 60, 72, 85, 100)


def run(board, note) -> None:
    folder = board.folder / "card"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    theirs = {"cmdline.txt": f"rootwait {WORDS}\n", "config.txt": CONFIG, "meta-data": META, "user-data": USER, "network-config": NETWORK}
    for name, text in theirs.items():
        (folder / name).write_text(text)
    archive = board.folder / "card.zip"
    subprocess.run(
        [REPOSITORY / "scripts/make-card-zip", "emulated", "--packages", board.deb.parent, "--debian", board.debian, "--out", archive],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    zipfile.ZipFile(archive).extractall(folder)
    (folder / "sound-card.txt").write_bytes(b"dtparam=audio=off\r\ndtoverlay=hifiberry-dac\r\n")
    image = board.folder / "card.img"
    make_fat(image, sorted(folder.iterdir()), 64)
    board.renew(files={"etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg": CLOUD})
    cuts = 0
    count = int(os.environ.get("SWIFTLET_CUTS", len(CUTS)))
    for seconds in [CUTS[(number * 2 + 1) * len(CUTS) // (2 * count)] for number in range(count)]:
        board.power_on(WORDS, card=image, waits=False)
        try:
            board.wait_off(seconds)
        except AssertionError:
            board.power_cut()
            cuts += 1
            continue
        # Installed, and rebooted for the sound card.
        break
    else:
        board.power_on(WORDS, card=image, waits=False)
        board.wait_off(900)
    log = read(image, "swiftlet/log.txt")
    assert "done: swiftlet" in log and "FAILED" not in log, log
    assert "dtoverlay=hifiberry-dac\n" in read(image, "config.txt")
    for name in ("cmdline.txt", "meta-data", "user-data", "network-config"):
        assert read(image, name) == theirs[name], f"{name} is Imager's"
    note(f"installed after {cuts} power cuts")

    board.power_on(WORDS, card=image)
    board.is_installed = True
    board.wait_active()
    assert board.run("hostname") == "kitchen"
    assert "swiftlet" in board.run("id -nG maker"), "the first user may not use swiftlet ctl"
    board.wait(lambda: board.holds("[ -e /run/imagers-own-command ] || [ -e /var/lib/cloud/instance/sem/config_scripts_user ]"), "command of Imager's")
    codecs = board.run("swiftlet codecs")
    assert "aac" in codecs.lower() and "wavpack" in codecs.lower(), codecs
    assert board.holds("[ -e /usr/lib/swiftlet/transports/libSwiftletTransportHTTP.so ]"), "no radio"
    works(board)
    board.plug(board.stick)
    board.wait(lambda: board.holds("ls /media/sd?1/long.wav"), "stick")
    began = time.monotonic()
    board.press("play")
    board.wait(board.plays, "music by a button", 30)
    note(f"music {time.monotonic() - began:.0f} s after a button was pressed")
    board.unplug()
    check_changes(board, image, note)
    # Undo must restore the card byte for byte.
    board.power_cut()
    shutil.rmtree(folder)
    folder.mkdir()
    subprocess.run(["mcopy", "-s", "-i", str(image), "::*", str(folder)], check=True)
    subprocess.run([REPOSITORY / "scripts/make-card", "--undo", folder], check=True, stdout=subprocess.DEVNULL)
    (folder / "swiftlet.conf").unlink()
    (folder / "sound-card.txt").unlink()
    # fsck of the boot partition stores remains of an interrupted write as FSCK0000.REC and so on.
    left = {path.name: path.read_text() for path in folder.iterdir() if path.suffix != ".REC"}
    assert left == theirs, sorted(left)
    note("--undo leaves the card as Imager wrote it")
