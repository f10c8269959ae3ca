"""Tests of scripts/make-card in one process and without packages: cards of supported images, prepared twice,
interrupted at each step, and undone byte for byte. Run by scripts/check-card and by BootCardTests."""

import ast
import contextlib
import errno
import hashlib
import io
import os
import random
import re
import shutil
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from loaded import REPOSITORY, make_card

# Syncing is slow, and these tests are about the order of steps.
make_card.os.fsync = lambda file: None
make_card.os.sync = lambda: None

# The kernel command line of the images.
STOCK = "console=serial0,115200 console=tty1 root=PARTUUID=4e639091-02 rootfstype=ext4 fsck.repair=yes rootwait"
FIRSTBOOT = " quiet init=/usr/lib/raspberrypi-sys-mods/firstboot"
IMAGER = " systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target"
CONFIG = "dtparam=audio=on\ncamera_auto_detect=1\ndtoverlay=vc4-kms-v3d\n\n[cm4]\notg_mode=1\n\n[cm5]\ndtoverlay=dwc2,dr_mode=host\n\n[all]\n"
META = "dsmode: local\ninstance_id: rpios-image\n"
# As Raspberry Pi Imager 2 writes it.
IMAGER_USER = (
    "#cloud-config\nmanage_resolv_conf: false\n\nhostname: box\nmanage_etc_hosts: true\n\nusers:\n- name: pi\n  groups: users,adm\n"
    "  shell: /bin/bash\n  lock_passwd: false\n  passwd: $5$salt$hash\n\nenable_ssh: true\nssh_pwauth: true\nruncmd:\n- [ rfkill, unblock, wifi ]\n"
)
IMAGER_NETWORK = 'network:\n  version: 2\n  wifis:\n    wlan0:\n      dhcp4: true\n      regulatory-domain: "DE"\n      access-points:\n        "home":\n          password: "0123"\n'
CARDS = {
    "bookworm": {"cmdline.txt": STOCK + FIRSTBOOT + "\n", "config.txt": CONFIG},
    "bookworm by Imager": {"cmdline.txt": STOCK + FIRSTBOOT + IMAGER, "config.txt": CONFIG, "firstrun.sh": "#!/bin/bash\n"},
    "bookworm started once": {"cmdline.txt": STOCK + "\n", "config.txt": CONFIG},
    "edited elsewhere": {"cmdline.txt": STOCK, "config.txt": CONFIG.replace("\n", "\r\n") + "dtoverlay=hifiberry-dac\r\n[pi4]\r\narm_boost=1"},
    "trixie": {
        "cmdline.txt": STOCK + " resize\n", "config.txt": CONFIG, "meta-data": META, "user-data": "#cloud-config\n", "network-config": "# none\n",
    },
    "trixie by Imager": {
        "cmdline.txt": STOCK + " resize cfg80211.ieee80211_regdom=DE ds=nocloud;i=rpi-imager-1761234567890\n", "config.txt": CONFIG,
        "meta-data": "instance-id: rpi-imager-1761234567890\n", "user-data": IMAGER_USER, "network-config": IMAGER_NETWORK,
    },
    "Armbian": {"boot/armbianEnv.txt": "verbosity=1\nrootdev=UUID=1\nrootfstype=ext4\n"},
    "Armbian with words": {"boot/armbianEnv.txt": "verbosity=1\nextraargs=cma=128M\nrootdev=UUID=1"},
    "Armbian with empty words": {"boot/armbianEnv.txt": "extraargs=\nrootdev=UUID=1\n"},
    "Armbian, mounted as /boot": {"armbianEnv.txt": "verbosity=1\n"},
}  # fmt: skip
SYSTEMS = ("cmdline.txt", "config.txt", "meta-data", "user-data", "network-config", "firstrun.sh", "armbianEnv.txt")


def sums(files):
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()


def folder(board="raspberry-pi-4", system="any", version="1"):
    """The files for a card, with a placeholder as the package."""
    texts = {
        "swiftlet.conf": f"# A comment\r\n\r\n# set clock.timezone Europe/Berlin\r\nboard {board}\r\n".encode(),
        "wifi.txt": b"#name=My network\r\n#password=the password\r\n#country=DE\r\n",
        "sound-card.txt": b"# The card\r\n\r\ndtparam=audio=off\r\ndtoverlay=hifiberry-dac\r\n",
    }
    inner = {
        "bookworm/swiftlet_1_arm64.deb": b"package " * 5000 + version.encode(),
        "first-start": b"#!/bin/sh\n",
        "card.txt": f"board={board}\nsystem={system}\nversion={version}\n".encode(),
        **{f"offered/{name}": data for name, data in texts.items()},
    }
    inner["SHA256SUMS"] = sums(inner)
    files = {**{f"swiftlet/{name}": data for name, data in inner.items()}, **texts}
    return {**files, "SWIFTLET-README.txt": make_card.OTHERS["SWIFTLET-README.txt"] + version.encode(), "vendor-data": (REPOSITORY / "packaging/card/vendor-data").read_bytes()}


def packed(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def contents(place):
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


class Cut(Exception):
    """Simulates a power cut."""


class CardTest(unittest.TestCase):
    def setUp(self):
        # In memory where possible, because these tests write tens of thousands of files.
        self.place = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.addCleanup(shutil.rmtree, self.place)
        self.zip = self.place / "card.zip"
        self.zip.write_bytes(packed(folder()))

    def card(self, name):
        card = self.place / "card"
        shutil.rmtree(card, ignore_errors=True)
        for file, text in CARDS[name].items():
            (card / file).parent.mkdir(parents=True, exist_ok=True)
            (card / file).write_bytes(text.encode())
        return card

    def run_it(self, *words):
        said, former = io.StringIO(), sys.argv
        sys.argv = ["make-card", *map(str, words)]
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                try:
                    status = make_card.main()
                except SystemExit as end:
                    status = end.code
        finally:
            sys.argv = former
        return status, said.getvalue()

    def good(self, *words):
        status, said = self.run_it(*words)
        self.assertEqual(status, 0, said)
        return said

    def refused(self, why, *words, status=1):
        got, said = self.run_it(*words)
        self.assertEqual(got, status, said)
        self.assertIn(why, said)

    def test_every_card_is_prepared_twice_and_undone(self):
        for name in CARDS:
            with self.subTest(name):
                card = self.card(name)
                before = contents(card)
                self.good(self.zip, card)
                first = contents(card)
                self.assertIn("nothing to do", self.good(self.zip, card))
                self.assertEqual(contents(card), first)
                prefix = "boot/" if name.startswith("Armbian") and "mounted" not in name else ""
                starts = [file for file, data in first.items() if b"swiftlet/first-start" in data and file.split("/")[-1] in SYSTEMS]
                if name.startswith("trixie"):
                    self.assertEqual(starts, [], "cloud-init starts it")
                    self.assertIn("vendor-data", first)
                    for file, data in before.items():
                        self.assertEqual(first[file], data, f"{file} is Imager's")
                else:
                    self.assertEqual(len(starts), 1)
                    self.assertEqual(first[starts[0]].count(b"swiftlet/first-start"), 1)
                    self.assertNotIn(prefix + "vendor-data", first)
                self.assertEqual(prefix + "sound-card.txt" in first, not name.startswith("Armbian"))
                if name == "bookworm by Imager":
                    self.assertIn(b"systemd.run=/boot/firstrun.sh systemd.run=/boot/swiftlet/first-start systemd.run_succ", first["cmdline.txt"])
                self.good("--undo", card)
                self.assertEqual(contents(card), before)

    def test_a_folder_unpacked_by_hand_is_undone(self):
        for name in ("trixie", "trixie by Imager"):
            card = self.card(name)
            before = contents(card)
            zipfile.ZipFile(self.zip).extractall(card)
            self.good("--undo", card)
            self.assertEqual(contents(card), before)

    def test_what_was_edited_stays(self):
        for edited in make_card.OFFERED:
            card = self.card("trixie")
            self.good(self.zip, card)
            (card / edited).write_bytes(b"mine\n")
            self.zip.write_bytes(packed(folder(version="2")))
            self.assertIn(f"keeps {card / edited}", self.good(self.zip, card))
            self.assertEqual((card / edited).read_bytes(), b"mine\n")
            self.assertIn(b"version=2", (card / "swiftlet/card.txt").read_bytes())
            self.good("--undo", card)
            self.assertEqual(set(contents(card)) - set(CARDS["trixie"]), {edited})

    def test_answers_are_written(self):
        card = self.card("trixie")
        os.environ["WIFI_PASSWORD"] = "pass word \\1"
        self.addCleanup(os.environ.pop, "WIFI_PASSWORD")
        self.good(self.zip, card, "--wifi", "Käse & Co", "--country", "de", "--timezone", "Europe/Berlin", "--overlay", "hifiberry-dacplus")
        self.assertEqual((card / "wifi.txt").read_bytes(), "name=Käse & Co\r\npassword=pass word \\1\r\ncountry=DE\r\n".encode())
        self.assertIn(b"\r\nset clock.timezone Europe/Berlin\r\nboard", (card / "swiftlet.conf").read_bytes())
        self.assertIn(b"dtoverlay=hifiberry-dacplus\r\n", (card / "sound-card.txt").read_bytes())
        for why, *words in [
            ("8 to 63", "--wifi", "short"), ("no time zone", "--timezone", "../x"), ("no country", "--country", "Germany"),
            ("no overlay", "--overlay", "a b"),
        ]:  # fmt: skip
            os.environ["WIFI_PASSWORD"] = "short"
            self.refused(why, self.zip, card, *words)

    def wifi(self, card, password, *words, why=None):
        os.environ["WIFI_PASSWORD"] = password
        self.addCleanup(os.environ.pop, "WIFI_PASSWORD", None)
        self.refused(why, self.zip, card, *words) if why else self.good(self.zip, card, *words)

    def test_a_network_that_the_box_would_not_take_is_refused(self):
        card = self.card("trixie")
        before = contents(card)
        for why, password, *words in [
            ("8 to 63", "\u00e4" * 40, "--wifi", "home", "--country", "DE"), ("8 to 63", "g" * 64, "--wifi", "home", "--country", "DE"),
            ("begins or ends", "password ", "--wifi", "home", "--country", "DE"), ("begins or ends", "password", "--wifi", " home", "--country", "DE"),
            ("line break", "pass\rword", "--wifi", "home", "--country", "DE"), ("1 to 32", "password", "--wifi", "", "--country", "DE"),
            ("--wifi needs --country", "password", "--wifi", "home"), ("--country needs --wifi", "password", "--country", "DE"),
            ("--hidden needs --wifi", "password", "--hidden"),
        ]:  # fmt: skip
            self.wifi(card, password, *words, why=why)
            self.assertEqual(contents(card), before)

    def test_answers_change_one_line_of_an_edited_file(self):
        card = self.card("trixie")
        self.wifi(card, "password", "--wifi", "home", "--country", "DE")
        self.good(self.zip, card, "--country", "AT")
        self.assertEqual((card / "wifi.txt").read_bytes(), b"name=home\r\npassword=password\r\ncountry=AT\r\n")
        self.wifi(card, "password", "--wifi", "home", "--country", "AT", "--hidden")
        self.assertEqual((card / "wifi.txt").read_bytes(), b"name=home\r\npassword=password\r\ncountry=AT\r\nhidden=yes\r\n")
        for before, after in [
            (b"set volume.maximum 20\n", b"set volume.maximum 20\nset clock.timezone Europe/Rome\n"),
            (b"a\r\nset clock.timezone x\r\nset  clock.timezone y # z\r\nb", b"a\r\nset clock.timezone x\r\nset clock.timezone Europe/Rome\r\nb"),
            (b"\xe4\r\n# set clock.timezone x", b"\xe4\r\nset clock.timezone Europe/Rome"),
        ]:
            (card / "swiftlet.conf").write_bytes(before)
            for _ in range(2):
                self.good(self.zip, card, "--timezone", "Europe/Rome")
                self.assertEqual((card / "swiftlet.conf").read_bytes(), after)
        (card / "swiftlet.conf").write_bytes("\ufeffa\r\n".encode("utf-16-le"))
        self.refused("UTF-16", self.zip, card, "--timezone", "Europe/Rome")
        self.assertEqual((card / "swiftlet.conf").read_bytes(), "\ufeffa\r\n".encode("utf-16-le"))

    def test_undo_says_what_it_kept(self):
        card = self.card("trixie")
        before = contents(card)
        self.wifi(card, "password", "--wifi", "home", "--country", "DE")
        (card / f"cmdline.txt{make_card.UNFINISHED}").write_bytes(b"half")
        said = self.good("--undo", card)
        self.assertIn(f"keeps {card / 'wifi.txt'}", said)
        self.assertIn("as it was, but for what was kept", said)
        (card / "wifi.txt").unlink()
        self.assertEqual(contents(card), before)
        self.assertTrue(self.good("--undo", card).endswith("as it was\n"))
        self.assertEqual(contents(card), before)

    def test_the_first_line_may_end_as_on_windows(self):
        for words in (STOCK, STOCK + IMAGER):
            card = self.card("bookworm by Imager")
            (card / "cmdline.txt").write_bytes(f"{words}\r\n".encode())
            self.good(self.zip, card)
            text = (card / "cmdline.txt").read_bytes().decode()
            self.assertIn("swiftlet/first-start", text)
            self.assertEqual(text.count("\r"), 1)
            self.assertTrue(text.endswith("\r\n"))
            self.good("--undo", card)
            self.assertEqual((card / "cmdline.txt").read_bytes(), f"{words}\r\n".encode())
        # As an earlier version wrote it.
        former = f"{STOCK}\r systemd.run=/boot/firmware/{make_card.SCRIPT} {make_card.ACTION} {make_card.TARGET}\n"
        self.assertEqual(make_card.without_first_start(former), f"{STOCK}\r\n")

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        card = self.card("bookworm")
        before = contents(card)
        damaged = self.zip.read_bytes()
        for why, data in [
            ("no zip file", b"text"),
            ("damaged", damaged[: len(damaged) // 2]),
            ("no card folder", packed({"a": b"b"})),
            ("checksum", packed({**folder(), "swiftlet/first-start": b"other"})),
            ("which no card may have", packed({**folder(), "../out": b"x"})),
            ("which no card may have", packed({**folder(), "/out": b"x"})),
            ("which no card may have", packed({**folder(), "a\\..\\b": b"x"})),
        ]:
            other = self.place / "other.zip"
            other.write_bytes(data)
            with self.subTest(why):
                self.refused(why, other, card)
                self.assertEqual(contents(card), before)
        self.refused("There is no file", self.place / "none.zip", card)
        self.refused("There is no folder", self.zip, self.place / "nowhere")
        # The program itself in the root of a drive.
        self.addCleanup(setattr, make_card, "__file__", make_card.__file__)
        make_card.__file__ = os.path.join(os.path.abspath(os.sep), "make-card.py")
        self.refused("There is no file", "missing.zip", card)
        make_card.__file__ = str(REPOSITORY / "scripts/make-card")
        (self.place / "empty").mkdir()
        self.refused("no boot partition", self.zip, self.place / "empty")
        self.refused("two are wanted", self.zip, card, "third", status=64)
        self.refused("missing", status=64)
        for system, name in [("armbian", "bookworm"), ("raspberry-pi-os", "Armbian")]:
            self.zip.write_bytes(packed(folder(system=system)))
            card = self.card(name)
            before = contents(card)
            self.refused("does not start with", self.zip, card)
            self.assertEqual(contents(card), before)
        self.zip.write_bytes(packed(folder()))
        card = self.card("trixie")
        (card / "vendor-data").write_text("#cloud-config\n")
        self.refused("is there already", self.zip, card)

    def test_any_damage_of_a_zip_is_refused(self):
        files = folder()
        inner = {name[len("swiftlet/") :]: data for name, data in files.items() if name.startswith("swiftlet/") and not name.endswith("SUMS")}
        inner["bookworm/swiftlet_1_arm64.deb"] = b"package"
        files.update({f"swiftlet/{name}": data for name, data in inner.items()})
        files["swiftlet/SHA256SUMS"] = sums(inner)
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        whole = data.getvalue()
        for place in range(len(whole)):
            for bits in (0x01, 0x08, 0xFF):
                damaged = bytearray(whole)
                damaged[place] ^= bits
                try:
                    self.assertEqual(make_card.read_zip(io.BytesIO(damaged)), files, (place, bits))
                except make_card.CardError:
                    continue
        self.refused("is a folder", self.place, self.card("trixie"))

    def test_a_failed_write_leaves_no_half_file(self):
        card = self.card("trixie")
        before, replace = contents(card), make_card.os.replace
        self.addCleanup(setattr, make_card.os, "replace", replace)

        def full(old, new):
            raise OSError(errno.ENOSPC, "No space left on device")

        make_card.os.replace = full
        self.refused("The card is full", self.zip, card)
        make_card.os.replace = replace
        self.assertEqual(contents(card), before)

    def test_a_full_card_is_refused(self):
        card = self.card("trixie")
        before, usage = contents(card), shutil.disk_usage
        self.addCleanup(setattr, make_card.shutil, "disk_usage", usage)
        make_card.shutil.disk_usage = lambda path: usage(path)._replace(free=1 << 20)
        self.refused("MB are needed", self.zip, card)
        self.assertEqual(contents(card), before)

    def test_the_only_card_is_found(self):
        card = self.card("trixie")
        self.addCleanup(setattr, make_card, "mounted_cards", make_card.mounted_cards)
        for found, why in [([], "No card"), ([card, card], "several")]:
            make_card.mounted_cards = lambda found=found: found
            self.refused(why, self.zip)
        make_card.mounted_cards = lambda: [card]
        self.good(self.zip)
        self.good("--undo")

    def test_pulled_at_every_step(self):
        """Each file has its old or its new content, the trigger of the first start is written last, and another run
        finishes."""
        replace = make_card.os.replace
        self.addCleanup(setattr, make_card.os, "replace", replace)
        for name in CARDS:
            card = self.card(name)
            before = contents(card)
            self.good(self.zip, card)
            complete = contents(card)
            steps = len(complete)
            for step in range(steps + 1):
                card = self.card(name)
                count = [0]

                def stopping(old, new, count=count, step=step):
                    if count[0] == step:
                        raise Cut
                    count[0] += 1
                    replace(old, new)

                make_card.os.replace = stopping
                with contextlib.suppress(Cut):
                    self.run_it(self.zip, card)
                make_card.os.replace = replace
                now = {file: data for file, data in contents(card).items() if not file.endswith(make_card.UNFINISHED)}
                for file, data in now.items():
                    self.assertIn(data, (before.get(file), complete.get(file)), f"{name}, step {step}: {file}")
                if now != complete and step < steps:
                    starts = [file for file in now if now[file] != before.get(file) and file.split("/")[-1] in (*SYSTEMS, "vendor-data")]
                    self.assertEqual(starts, [], f"{name}, step {step}: it would start with files missing")
                self.good(self.zip, card)
                self.assertEqual(contents(card), complete, f"{name}, step {step}")
                self.good("--undo", card)
                self.assertEqual(contents(card), before, f"{name}, step {step}")

    def interrupted(self, step, error, *words):
        """Runs make-card and interrupts it before its step of that number. Returns whether it had so many steps.

        After a power cut nothing works any more; after Ctrl+C make-card may tidy up.
        """
        names, count, is_cut = ("replace", "unlink", "rmdir", "fsync", "mkdir"), [0], [False]
        real = {name: getattr(make_card.os, name) for name in names}

        def stepping(name):
            def call(*arguments, **more):
                count[0] += 1
                if is_cut[0] or count[0] == step + 1:
                    is_cut[0] = error is Cut
                    raise error
                return real[name](*arguments, **more)

            return call

        for name in names:
            setattr(make_card.os, name, stepping(name))
        try:
            with contextlib.suppress(Cut):
                self.run_it(*words)
        finally:
            for name in names:
                setattr(make_card.os, name, real[name])
        return count[0] > step

    def test_interrupted_at_every_step(self):
        """The first run, the change to another board's zip, and --undo, each interrupted at every step and followed by
        --undo, the same run, or either zip: the result is the one without an interruption, byte for byte."""
        other = self.place / "other.zip"
        files = folder("raspberry-pi-5", version="2")
        del files["sound-card.txt"], files["swiftlet/offered/sound-card.txt"]
        files["wifi.txt"] = files["swiftlet/offered/wifi.txt"] = files["wifi.txt"] + b"# a newer text\r\n"
        files["vendor-data"] += b"# a newer line\n"
        files["swiftlet/trixie/new_1.deb"] = files.pop("swiftlet/bookworm/swiftlet_1_arm64.deb")
        names = [name for name in files if name.startswith("swiftlet/") and not name.endswith("SUMS")]
        files["swiftlet/SHA256SUMS"] = sums({name[len("swiftlet/") :]: files[name] for name in names})
        other.write_bytes(packed(files))
        own = {
            "swiftlet/my-song.mp3": "music", "swiftlet/bookworm/mine": "mine", "wifi.txt.new": "a draft", "cmdline.txt.new": "an experiment",
            "swiftlet/log.txt.txt": "mine",
        }  # fmt: skip
        CARDS["trixie with the user's files"] = {**CARDS["trixie by Imager"], **own}
        self.addCleanup(CARDS.pop, "trixie with the user's files")
        for name in ("trixie with the user's files", "bookworm by Imager", "Armbian with words"):
            card = self.card(name)
            before, complete = contents(card), {}
            self.addCleanup(shutil.rmtree, self.place / "saved", True)
            for archive in (self.zip, other):
                card = self.card(name)
                self.good(archive, card)
                complete[archive] = contents(card)
            for title, prepared, words, result in [
                ("first run", None, (self.zip, card), complete[self.zip]), ("other zip", self.zip, (other, card), complete[other]),
                ("undo", self.zip, ("--undo", card), before), ("undo by hand", "unpacked", ("--undo", card), before),
                ("from by hand", "unpacked", (other, card), complete[other]),
            ]:  # fmt: skip
                is_by_hand = prepared == "unpacked"
                if not name.startswith("trixie") and title not in ("first run", "other zip"):
                    continue
                step, has_steps = 0, True
                while has_steps:
                    error = (Cut, KeyboardInterrupt)[step % 2]
                    card = self.card(name)
                    if is_by_hand:
                        zipfile.ZipFile(self.zip).extractall(card)
                    elif prepared:
                        self.good(prepared, card)
                    has_steps = self.interrupted(step, error, *words)
                    shutil.rmtree(self.place / "saved", ignore_errors=True)
                    shutil.copytree(card, self.place / "saved")
                    archive = (self.zip, other)[step // 2 % 2]
                    for then, expected in [(("--undo", card), before), (words, result), ((archive, card), complete[archive])]:
                        shutil.rmtree(card)
                        shutil.copytree(self.place / "saved", card)
                        place = f"{name}, {title}, step {step} ({error.__name__}), then {then[0]}"
                        said = self.good(*then)
                        self.assertNotIn("which was edited", said, place)
                        self.assertEqual(contents(card), expected, place)
                        if expected is not before and then is words and step % 4 == 0:
                            self.assertIn("nothing to do", self.good(*then), place)
                            self.good("--undo", card)
                            self.assertEqual(contents(card), before, place)
                    step += 1
                self.assertGreater(step, 8, title)

    def test_an_interrupted_run_keeps_what_the_user_has_written(self):
        """Edited files and those of options survive any interruption, and --undo keeps them."""
        card = self.card("trixie")
        before = contents(card)
        step, has_steps = 0, True
        other = self.place / "other.zip"
        other.write_bytes(packed(folder(version="2")))
        while has_steps:
            card = self.card("trixie")
            self.good(self.zip, card)
            (card / "wifi.txt").write_bytes(b"name=home\n")
            has_steps = self.interrupted(step, KeyboardInterrupt, other, card, "--timezone", "Europe/Berlin")
            self.assertEqual((card / "wifi.txt").read_bytes(), b"name=home\n")
            if step % 2:
                self.good(other, card, "--timezone", "Europe/Berlin")
                self.assertIn(b"set clock.timezone Europe/Berlin\r\n", (card / "swiftlet.conf").read_bytes())
            self.assertIn(f"keeps {card / 'wifi.txt'}, which was edited", self.good("--undo", card))
            left = contents(card)
            self.assertEqual(left.pop("wifi.txt"), b"name=home\n")
            self.assertIn(b"Europe/Berlin", left.pop("swiftlet.conf", b"Europe/Berlin"))
            self.assertEqual(left, before, step)
            step += 1

    def test_files_of_the_user_are_neither_replaced_nor_removed(self):
        """Files with Swiftlet's names or words in them that are not Swiftlet's: kept, or the card is refused."""
        card = self.card("trixie")
        cloud = "#cloud-config\nhostname: swiftlet-kitchen\nruncmd:\n- my own things\n"
        for name, text, is_refused in [
            ("vendor-data", cloud, True), ("vendor-data", "#cloud-boothook\n#!/bin/sh\n# my swiftlet box\n", True),
            ("swiftlet/card.txt", "my card", True), ("swiftlet/make-card.txt", "my notes", True), ("swiftlet/SHA256SUMS", "mine", True),
            ("SWIFTLET-README.txt", "my own notes on the Swiftlet box: pin 1234", False), ("swiftlet/my-song.mp3", "music", False),
            ("swiftlet/offered/mine.txt", "mine", False), ("swiftlet/log.txt", "mine", False), ("swiftlet-errors.txt", "my errors with swiftlet", False),
            ("swiftlet.conf.new", "a draft", False), ("config.txt.new", "", False), ("wifi.txt", "name=x\n", False),
        ]:  # fmt: skip
            with self.subTest(name):
                card = self.card("trixie")
                (card / name).parent.mkdir(parents=True, exist_ok=True)
                (card / name).write_text(text)
                before = contents(card)
                self.good("--undo", card)
                self.assertEqual(contents(card), before, "undone without a run before")
                if is_refused:
                    self.refused(f"{card / name} is there already and not Swiftlet's", self.zip, card)
                    self.assertEqual(contents(card), before)
                    continue
                said = self.good(self.zip, card)
                self.assertEqual((card / name).read_text(), text)
                self.assertEqual("SWIFTLET-README.txt" in said, name == "SWIFTLET-README.txt")
                self.zip.write_bytes(packed(folder("raspberry-pi-5", version="2")))
                self.good(self.zip, card)
                self.assertEqual((card / name).read_text(), text)
                said = self.good("--undo", card)
                if name == "swiftlet/log.txt":
                    # The box's log has this name.
                    del before[name]
                self.assertEqual(contents(card), before)
                if name == "swiftlet/my-song.mp3":
                    self.assertIn(f"keeps {card / name}", said)
        # A README that the user has edited, and one of an earlier version on a card that was unpacked by hand.
        card = self.card("trixie")
        before = contents(card)
        self.good(self.zip, card)
        with open(card / "SWIFTLET-README.txt", "a") as readme:
            readme.write("my notes")
        self.assertIn("SWIFTLET-README.txt", self.good(self.zip, card))
        self.good("--undo", card)
        self.assertTrue((card / "SWIFTLET-README.txt").read_text().endswith("my notes"))
        self.assertEqual(set(contents(card)) - set(before), {"SWIFTLET-README.txt"})

    def test_files_that_a_power_cut_on_the_box_leaves_are_removed(self):
        for name in ("bookworm", "trixie", "Armbian"):
            for own in ((), ("config.txt.new",), make_card.HALF_FILES):
                for is_prepared_again in (False, True):
                    with self.subTest(name, own=own, is_prepared_again=is_prepared_again):
                        card = self.card(name)
                        boot = card / "boot" if name == "Armbian" else card
                        for file in own:
                            (boot / file).write_bytes(b"mine")
                        before = contents(card)
                        self.good(self.zip, card)
                        for file in make_card.HALF_FILES:
                            if file not in own:
                                (boot / file).write_bytes(b"half")
                        if is_prepared_again:
                            self.good(self.zip, card)
                            self.good(self.zip, card, "--timezone", "Europe/Berlin")
                            self.zip.write_bytes(packed(folder(version="2")))
                            self.good(self.zip, card)
                            (boot / "swiftlet.conf").unlink()
                        self.good("--undo", card)
                        self.assertEqual(contents(card), before)
                        self.zip.write_bytes(packed(folder()))
        # On a card that was unpacked by hand, nothing tells whose they are.
        card = self.card("trixie")
        zipfile.ZipFile(self.zip).extractall(card)
        (card / "config.txt.new").write_bytes(b"mine or half")
        self.good(self.zip, card)
        self.good("--undo", card)
        self.assertEqual((card / "config.txt.new").read_bytes(), b"mine or half")

    def test_lists_on_the_card_name_no_other_files(self):
        """A damaged or forged list does not make --undo remove files of others."""
        card = self.card("trixie")
        digest = hashlib.sha256(b"mine").hexdigest()
        (card / "swiftlet").mkdir()
        (self.place / "out.txt").write_bytes(b"mine")
        (card / "mine.txt").write_bytes(b"mine")
        lines = "".join(f"{digest}  {name}\n" for name in ("../../out.txt", "../out.txt", "/etc/x", "mine.txt", "cmdline.txt", "swiftlet", "."))
        (card / "swiftlet/SHA256SUMS").write_text(f"{digest}  first-start\n{digest}  ../mine.txt\n{lines}")
        (card / "swiftlet/make-card.txt").write_bytes(make_card.RECORD_HEAD + lines.encode())
        self.good("--undo", card)
        self.assertEqual((card / "mine.txt").read_bytes(), b"mine")
        self.assertEqual((self.place / "out.txt").read_bytes(), b"mine")
        self.assertFalse((card / "swiftlet").exists())

    def test_a_card_that_was_started_before(self):
        """Raspberry Pi OS with cloud-init removes ` resize` at its first start, and may not read vendor-data again."""
        for name in ("trixie", "trixie by Imager"):
            for by_hand in (False, True):
                card = self.card(name)
                words = (card / "cmdline.txt").read_bytes().replace(b" resize", b"")
                (card / "cmdline.txt").write_bytes(words)
                before = contents(card)
                if by_hand:
                    zipfile.ZipFile(self.zip).extractall(card)
                said = self.good(self.zip, card)
                self.assertIn("seems to have been started before", said)
                self.assertIn("write the card anew", said)
                self.assertIn(f" systemd.run=/boot/firmware/{make_card.SCRIPT} ".encode(), (card / "cmdline.txt").read_bytes())
                self.assertFalse((card / "vendor-data").exists())
                first = contents(card)
                self.assertIn("nothing to do", self.good(self.zip, card))
                self.assertEqual(contents(card), first)
                self.good("--undo", card)
                self.assertEqual(contents(card), before)
            # Prepared in time, and started: cloud-init has read vendor-data, and looks for a newer folder at each start.
            card = self.card(name)
            before = contents(card)
            self.assertNotIn("started before", self.good(self.zip, card))
            (card / "cmdline.txt").write_bytes(words)
            (card / "swiftlet/log.txt").write_text("first-start: done: swiftlet\n")
            self.zip.write_bytes(packed(folder(version="2")))
            said = self.good(self.zip, card)
            self.assertNotIn("started before", said)
            self.assertIn("at its next start", said)
            self.assertEqual((card / "cmdline.txt").read_bytes(), words)
            self.good("--undo", card)
            self.assertEqual(contents(card), {**before, "cmdline.txt": words})
            self.zip.write_bytes(packed(folder()))

    def test_modes_and_links_stay(self):
        if os.name == "nt":
            return
        card = self.card("Armbian")
        file = card / "boot/armbianEnv.txt"
        before = file.read_bytes()
        file.chmod(0o640)
        self.good(self.zip, card)
        self.assertEqual(file.stat().st_mode & 0o7777, 0o640)
        self.good("--undo", card)
        self.assertEqual((file.stat().st_mode & 0o7777, file.read_bytes()), (0o640, before))
        file.rename(card / "boot/real.txt")
        file.symlink_to("real.txt")
        self.good(self.zip, card)
        self.assertTrue(file.is_symlink())
        self.assertIn(b"swiftlet", (card / "boot/real.txt").read_bytes())
        self.good("--undo", card)
        self.assertTrue(file.is_symlink())
        self.assertEqual(contents(card), {"boot/armbianEnv.txt": before, "boot/real.txt": before})
        # A link out of the card names a file of this computer.
        outside = self.place / "armbianEnv.txt"
        outside.write_bytes(before)
        for target in (outside, "/boot/nowhere.txt", "armbianEnv.txt"):
            file.unlink()
            file.symlink_to(target)
            for words in [(self.zip, card), ("--undo", card)]:
                self.refused("which is no file of this card", *words)
                self.assertEqual(outside.read_bytes(), before)
        for name in ("wifi.txt", "swiftlet", "swiftlet/bookworm", "swiftlet/card.txt"):
            card = self.card("trixie")
            (card / name).parent.mkdir(exist_ok=True)
            (card / name).symlink_to(self.place / "elsewhere")
            before = contents(card)
            self.refused(str(card / name), self.zip, card)
            self.good("--undo", card)
            self.assertTrue((card / name).is_symlink())
            self.assertEqual(contents(card), before)

    def test_what_is_in_the_way_is_named(self):
        for name, is_folder in [
            ("wifi.txt", True), ("swiftlet", False), ("swiftlet/bookworm", False), ("swiftlet/first-start", True), ("vendor-data", True),
            ("swiftlet/make-card.txt", True), ("SWIFTLET-README.txt", True), ("swiftlet/offered", False),
        ]:  # fmt: skip
            with self.subTest(name):
                card = self.card("trixie")
                (card / name).parent.mkdir(exist_ok=True)
                if is_folder:
                    (card / name).mkdir()
                    (card / name / "mine").write_text("mine")
                else:
                    (card / name).write_text("mine")
                before = contents(card)
                self.refused(f"{card / name} is a {'folder' if is_folder else 'file'}", self.zip, card)
                self.assertEqual(contents(card), before)
                self.assertIn("is as it was", self.good("--undo", card))
                self.assertEqual(contents(card), before)
                # The same after the card was prepared.
                card = self.card("trixie")
                self.good(self.zip, card)
                if (card / name).is_dir():
                    shutil.rmtree(card / name)
                else:
                    (card / name).unlink()
                if is_folder:
                    (card / name).mkdir()
                else:
                    (card / name).write_text("mine")
                self.refused(str(card / name), self.zip, card)
                said = self.good("--undo", card)
                left = set(contents(card)) - set(CARDS["trixie"]) - {name}
                # Without the folder, nothing tells whose the files beside it are.
                self.assertEqual(left, set(make_card.OFFERED) if name == "swiftlet" else set())
                self.assertEqual([file for file in left if f"keeps {card / file}" not in said], [])

    def test_words_that_do_not_fit_are_explained(self):
        card = self.card("trixie")
        before = contents(card)
        status, said = self.run_it(self.zip, card, "--wifi", "-x", "--country", "DE")
        self.assertEqual(status, 64)
        self.assertIn("--wifi=-x", said)
        self.assertLess(len(said.splitlines()), 4, "the whole help hides the message")
        self.wifi(card, "password", "--wifi=-x", "--country", "DE")
        self.assertIn(b"name=-x\r\n", (card / "wifi.txt").read_bytes())
        (card / "wifi.txt").unlink()
        self.good("--undo", self.zip, card)
        self.assertEqual(contents(card), before)
        self.refused("The zip file comes first, then the partition", card, self.zip)
        # Without a partition, the only card is meant.
        self.addCleanup(setattr, make_card, "mounted_cards", make_card.mounted_cards)
        make_card.mounted_cards = lambda: []
        for word in (self.zip, self.place / "missing.zip", "raspberry-pi-4"):
            self.refused("No card is in this computer", "--undo", word)
        make_card.mounted_cards = lambda: [card]
        self.good(self.zip)
        self.good("--undo", self.zip)
        self.assertEqual(contents(card), before)

    def test_any_text_is_restored(self):
        """Changes of system files can be undone for any initial text."""
        seed = 1
        chance = random.Random(seed)
        pieces = ["systemd.run=/boot/firstrun.sh", make_card.ACTION, make_card.TARGET, " ", "\n", "\r\n", "extraargs=", "rootwait", "\udce4", "# <<<", ""]
        for number in range(3000):
            text = "".join(chance.choice(pieces) for _ in range(chance.randrange(9)))
            if make_card.SCRIPT in text:
                continue
            for change, back in [
                (make_card.with_first_start, make_card.without_first_start), (make_card.with_environment, make_card.without_environment),
                (lambda text: make_card.with_block(text, ["a", "b"]), make_card.without_block),
            ]:  # fmt: skip
                changed = change(text)
                self.assertEqual(back(changed), text, (seed, number, text))
                self.assertEqual(change(changed), changed, (seed, number, text))

    def test_lines_that_the_user_adds_after_the_block_stay_lines(self):
        chance = random.Random(1)
        pieces = ["arm_boost=1", "[all]", "", "gpu_mem=16", "\u00fc", make_card.END]
        for number in range(2000):
            before = "\n".join(chance.choice(pieces) for _ in range(chance.randrange(1, 4))) + "\n" * chance.randrange(2)
            after = "".join(chance.choice(pieces[:-1]) + "\n" for _ in range(1, chance.randrange(1, 4)))
            changed = make_card.with_block(before, ["a", "b"]) + after
            expected = before + "\n" * bool(after and before and before[-1] != "\n") + after
            self.assertEqual(make_card.without_block(changed), expected, (number, before, after))
            # As an editor on Windows saves it.
            self.assertEqual(make_card.without_block(changed.replace("\n", "\r\n")), expected.replace("\n", "\r\n"), (number, before, after))
            # The user has deleted the end marker: nothing after it may vanish.
            torn = changed.replace(f"b\n{make_card.END}\n", "b\n", 1)
            again = make_card.without_block(make_card.with_block(torn, ["a", "b"]))
            self.assertTrue(again.endswith(after), (number, torn, again))
        for name, file, line in [("bookworm", "config.txt", "gpu_mem=16"), ("Armbian", "boot/armbianEnv.txt", "overlays=i2s")]:
            for end in ("\n", ""):
                card = self.card(name)
                before = contents(card)
                start = before[file].rstrip(b"\n").decode() + end
                (card / file).write_bytes(start.encode())
                self.good(self.zip, card)
                if file == "config.txt":
                    # The box writes this block.
                    (card / file).write_bytes(make_card.with_block(start, ["dtoverlay=hifiberry-dac"]).encode())
                with open(card / file, "a") as lines:
                    lines.write(line + "\n")
                self.good("--undo", card)
                self.assertEqual((card / file).read_bytes().decode(), start + "\n" * (not end) + line + "\n")

    def test_shipped_texts(self):
        """The real texts of the card: no debris of an editor, and names of files that exist."""
        texts = REPOSITORY / "packaging/card"
        paths = [*sorted(texts.iterdir()), REPOSITORY / "packaging/swiftlet.conf", *sorted(REPOSITORY.glob("boards/*/firmware"))]
        for path in paths:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.assertNotRegex(line, r"^\s*#? ?\d+[a-z]?:|^(<{7}|>{7}|={7}|[-+]{3} [ab]/|@@)|\|#", f"{path}:{number}")
        readme = (texts / "README.txt").read_text(encoding="utf-8")
        self.assertTrue((texts / "vendor-data").read_bytes().startswith(make_card.OTHERS["vendor-data"]))
        self.assertTrue(readme.replace("\n", "\r\n").encode().startswith(make_card.OTHERS["SWIFTLET-README.txt"]))
        maker = (REPOSITORY / "Tools/CardMaking/__main__.py").read_text(encoding="utf-8")
        named = set(re.findall(r"[\w/-]+\.(?:txt|conf)\b", readme))
        self.assertEqual(named - set(make_card.OFFERED) - {"swiftlet-errors.txt", "swiftlet/log.txt"}, {"swiftlet/LICENCES.txt"})
        self.assertIn('inner["LICENCES.txt"]', maker)
        # The program, the card and the guide state the same number of starts.
        card = self.card("bookworm")
        pages = [readme, self.good(self.zip, card)]
        pages += [(REPOSITORY / path).read_text(encoding="utf-8") for path in ("docs/using/first-box.md", "boards/raspberry-pi.md")]
        for text in [*pages, (REPOSITORY / "docs/pictures/first-start.svg").read_text(encoding="utf-8")]:
            self.assertIn("two or three times", " ".join(text.split()))

    def test_pages_say_that_a_file_has_no_save(self):
        """Readers without a terminal copy these lines into swiftlet.conf, where `save` is wrong. from-mpd.md is for users
        of a terminal."""
        for path in sorted((REPOSITORY / "docs/using").glob("*.md")):
            text = path.read_text(encoding="utf-8")
            if path.name != "from-mpd.md" and re.search(r"^save\n```", text, re.M):
                self.assertRegex(text, "`save` (?:is left )?out", path)
                self.assertIn("first-box.md#5-edit-three-files-or-none", text, path)

    def test_python_3_8_is_enough(self):
        """The syntax of Python 3.8, and none of the library's later additions that such programs may use. `|` is for
        flags and sets only, because dictionaries have it since 3.9."""
        names = {
            "removeprefix", "removesuffix", "is_relative_to", "readlink", "hardlink_to", "with_stem", "with_segments", "is_junction", "pairwise",
            "batched", "randbytes", "bit_count", "file_digest", "unparse", "to_thread", "TaskGroup", "ExceptionGroup", "add_note", "StrEnum",
            "zoneinfo", "tomllib", "enterContext", "assertNoLogs", "assertStartsWith", "assertEndsWith",
        }  # fmt: skip
        arguments = {"strict", "slots", "kw_only", "root_dir", "delete_on_close", "ignore_cleanup_errors", "onexc", "exit_on_error", "follow_symlinks"}
        plain = {"list", "dict", "set", "tuple", "type", "frozenset"}
        flags = (ast.Attribute, ast.Constant, ast.Set, ast.SetComp, ast.BinOp)
        for path in (REPOSITORY / "scripts/make-card", *sorted(Path(__file__).parent.glob("*.py"))):
            tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
            for node in ast.walk(tree):
                place = f"{path}:{getattr(node, 'lineno', 0)}: newer than Python 3.8"
                if isinstance(node, ast.Attribute):
                    # `os.readlink` is older than `Path.readlink`.
                    self.assertTrue(node.attr not in names or getattr(node.value, "id", "") == "os", place)
                if isinstance(node, ast.keyword):
                    self.assertNotIn(node.arg, arguments, place)
                if isinstance(node, ast.Subscript):
                    self.assertNotIn(getattr(node.value, "id", ""), plain, place)
                    self.assertFalse(getattr(node.value, "attr", "") == "parents" and isinstance(node.slice, ast.Slice), place)
                if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.BitOr):
                    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
                    has_set = any(getattr(getattr(side, "func", None), "id", "") == "set" for side in sides)
                    self.assertTrue(has_set or all(isinstance(side, flags) for side in sides), place)

    def test_names_as_windows_wants_them(self):
        """With the functions that Windows lacks removed, and a file system with its naming rules. Not tested on Windows
        itself."""
        forbidden, reserved = set('<>:"|?*'), {"con", "prn", "aux", "nul"}
        replace, sync = make_card.os.replace, make_card.os.sync
        self.addCleanup(setattr, make_card.os, "replace", replace)
        self.addCleanup(setattr, make_card.os, "sync", sync)
        del make_card.os.sync

        def strict(old, new):
            name = Path(new).name
            self.assertFalse(set(name) & forbidden or name.split(".")[0].lower() in reserved or name[-1] in ". ", name)
            same = [other.name for other in Path(new).parent.iterdir() if other.name.lower() == name.lower() and other.name != name]
            self.assertEqual(same, [], "two names differ in case only")
            self.assertLess(len(Path(new).relative_to(self.place / "card").as_posix()), 180, "with a drive and room to spare below 260")
            replace(old, new)

        make_card.os.replace = strict
        make_card.HELP.encode("ascii")
        for name in CARDS:
            card = self.card(name)
            before = contents(card)
            self.good(self.zip, card)
            self.good("--undo", card)
            self.assertEqual(contents(card), before)


if __name__ == "__main__":
    unittest.main()
