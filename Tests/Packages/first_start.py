"""Tests of the package source that packaging/card/first-start installs, in a folder of its own, with substitutes for
apt, dpkg and systemd. Run by scripts/test-packages; scripts/check-card runs the whole first start."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
STUBS = {
    "dpkg": 'case "$*" in *--print-architecture*) echo amd64 ;; esac',
    "dpkg-deb": 'for file; do :; done\nprintf %s "$(basename "$file" .deb | sed s/-card//).deb"',
    "dpkg-query": "echo swiftlet 0.3",
    "apt-get": "",
    "getent": "exit 2",
    "systemctl": 'echo "$*" >>"$CALLS"',
    "mount": "exit 1",
}


def source(date, key="first", edit=""):
    """A source file as scripts/make-package-source writes it."""
    head = "# Swiftlet's packages for Debian bookworm.\n"
    rest = f"Types: deb\nURIs: https://packages.example\nSuites: bookworm\nComponents: main\nSigned-By:\n {key}\n"
    checksum = hashlib.sha256((head + rest).encode()).hexdigest()
    return f"{head}# Made at {date}; SHA-256 of the other lines: {checksum}\n{rest}{edit}"


OLD, NEW = source("2026-11-01 09:00:00"), source("2027-02-01 08:00:00", key="second")


class FirstStartTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="card"))
        self.addCleanup(shutil.rmtree, self.root)
        self.card = self.root / "boot/swiftlet"
        self.packages = self.card / "bookworm"
        for folder in (self.packages, self.root / "stubs", self.root / "etc/apt/sources.list.d", self.root / "usr/lib/swiftlet"):
            folder.mkdir(parents=True)
        script = (REPOSITORY / "packaging/card/first-start").read_text()
        for path in ("/var/lib/swiftlet-card", "/var/lib/swiftlet-update", "/run/swiftlet-card", "/run/systemd/system", "/etc/apt/sources.list.d", "/usr/lib/swiftlet/card"):
            script = script.replace(path, f"{self.root}{path}")
        (self.card / "first-start").write_text(script.replace(". /etc/os-release && echo", "VERSION_CODENAME=bookworm; echo"))
        for name, text in STUBS.items():
            (self.root / "stubs" / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.root / "stubs" / name).chmod(0o755)
        (self.root / "usr/lib/swiftlet/card").write_text("#!/bin/sh\n")
        (self.root / "usr/lib/swiftlet/card").chmod(0o755)
        (self.packages / "architecture").write_text("amd64\n")
        (self.packages / "install").write_text("swiftlet\n")
        (self.packages / "swiftlet-card_0.3_amd64.deb").write_text("the package\n")
        self.file = self.root / "etc/apt/sources.list.d/swiftlet.sources"

    def run_script(self, before="true", **more):
        """Runs the script, after a command that may mount something; it must end with success, or systemd powers the
        board off."""
        environment = dict(os.environ, PATH=f"{self.root}/stubs:{os.environ['PATH']}", CALLS=str(self.root / "calls"), **more)
        words = ["sh", "-c", f'{before} && exec sh "$1"', "-", self.card / "first-start"]
        if before != "true":
            words = ["unshare", "-rm", *words]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def start(self, offered):
        if offered:
            (self.packages / "swiftlet.sources").write_text(offered)
        self.sum_up()
        self.run_script()
        log = (self.root / "var/lib/swiftlet-card/log.txt").read_text()
        self.assertIn("done: swiftlet 0.3", log)
        return log

    def sum_up(self):
        sums = subprocess.run("sha256sum bookworm/*", shell=True, cwd=self.card, capture_output=True, check=True).stdout
        (self.card / "SHA256SUMS").write_bytes(sums)

    def test_first_card(self):
        self.start(OLD)
        self.assertEqual(self.file.read_text(), OLD)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o644)

    def test_newer_card_brings_the_new_key(self):
        self.file.write_text(OLD)
        self.start(NEW)
        self.assertEqual(self.file.read_text(), NEW)

    def test_older_card_keeps_the_newer_file(self):
        for present in (NEW, source("2026-11-01 09:00:01")):
            self.file.write_text(present)
            self.start(OLD)
            self.assertEqual(self.file.read_text(), present)

    def test_edited_file_stays(self):
        for present in (source("2026-11-01 09:00:00", edit="Enabled: no\n"), "# mine\n" + OLD, OLD.replace("https:", "http:"), OLD + OLD, "Types: deb\n", ""):
            self.file.write_text(present)
            self.assertIn("was edited, and stays", self.start(NEW))
            self.assertEqual(self.file.read_text(), present)

    def test_damaged_file_of_the_card(self):
        self.file.write_text(OLD)
        self.start(NEW.replace("second", "third"))
        self.assertEqual(self.file.read_text(), OLD)

    def test_card_without_a_package_source(self):
        self.file.write_text(OLD)
        self.start(None)
        self.assertEqual(self.file.read_text(), OLD)

    def test_packages_are_kept_for_going_back(self):
        self.start(OLD)
        kept = self.root / "var/lib/swiftlet-update/kept/swiftlet_0.3_amd64.deb"
        self.assertEqual(kept.read_text(), "the package\n")
        stated = kept.with_name(kept.name + ".sha256").read_text()
        self.assertEqual(stated, hashlib.sha256(kept.read_bytes()).hexdigest() + "\n")

    # The request for the first start, and faults of the card and the disk.

    LINE = "console=tty1 root=X rootwait quiet"
    REQUEST = " systemd.run=/boot/firmware/swiftlet/first-start systemd.run_success_action=reboot systemd.unit=kernel-command-line.target"

    def request(self, end="\n"):
        self.sum_up()
        (self.root / "boot/cmdline.txt").write_text(self.LINE + self.REQUEST + end)
        (self.root / "boot/armbianEnv.txt").write_text(f"verbosity=1\nextraargs=cma=1M{self.REQUEST}\nrootdev=X{end}")
        (self.root / "calls").unlink(missing_ok=True)

    def assert_no_request(self, end="\n"):
        self.assertEqual((self.root / "boot/cmdline.txt").read_text(), self.LINE + end)
        self.assertEqual((self.root / "boot/armbianEnv.txt").read_text(), f"verbosity=1\nextraargs=cma=1M\nrootdev=X{end}")
        self.assertEqual([path.name for path in (self.root / "boot").rglob("*.new")], [])

    def mounts(self):
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
            self.skipTest("this system permits no mount")

    def stub(self, name, text):
        (self.root / "stubs" / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.root / "stubs" / name).chmod(0o755)

    def test_the_request_is_removed(self):
        for end in ("\n", "", "\n\n"):
            self.request(end)
            self.run_script()
            self.assert_no_request(end)
            self.assertFalse((self.root / "run/systemd").exists())

    def test_a_file_that_cannot_be_read_to_its_end_stays(self):
        for name in ("cmdline.txt", "armbianEnv.txt"):
            self.request()
            before = (self.root / "boot" / name).read_text()
            self.stub("sed", f'for file; do :; done\ncase $file in */{name}) head -c 10 "$file"; exit 4 ;; esac\nexec /bin/sed "$@"')
            self.run_script()
            self.assertEqual((self.root / "boot" / name).read_text(), before)
            self.assertIn("start multi-user.target", (self.root / "calls").read_text())

    def test_a_full_card(self):
        """A file cannot be replaced, but becomes shorter in its place."""
        self.mounts()
        self.request()
        boot, saved = self.root / "boot", self.root / "saved"
        shutil.copytree(boot, saved)
        steps = f"/bin/mount -t tmpfs -o size=200k none {boot} && cp -r {saved}/. {boot} && {{ head -c 300000 /dev/zero >{boot}/filler; true; }}"
        script = f'{steps} && sh "$1"; cat {boot}/cmdline.txt {boot}/armbianEnv.txt >{self.root}/after; find {boot} -name "*.new" >>{self.root}/after; true'
        environment = dict(os.environ, PATH=f"{self.root}/stubs:{os.environ['PATH']}", CALLS=str(self.root / "calls"))
        subprocess.run(["unshare", "-rm", "sh", "-c", script, "-", self.card / "first-start"], env=environment, capture_output=True, check=True)
        self.assertEqual((self.root / "after").read_text(), f"{self.LINE}\nverbosity=1\nextraargs=cma=1M\nrootdev=X\n")

    def test_a_card_that_cannot_be_written_does_not_start_forever(self):
        self.mounts()
        boot = self.root / "boot"
        for _ in range(2):
            self.request()
            self.run_script(f"/bin/mount --bind {boot} {boot} && /bin/mount -o remount,bind,ro {boot}")
            self.assertIn(self.REQUEST, (boot / "cmdline.txt").read_text())
            self.assertEqual((self.root / "calls").read_text().splitlines()[-4:], ["daemon-reload", "--no-block start multi-user.target"] * 2)
            unit = self.root / "run/systemd/system/kernel-command-line.service.d/swiftlet.conf"
            self.assertEqual(unit.read_text(), "[Unit]\nSuccessAction=none\nFailureAction=none\n")
            self.assertIn("is repeated each time; write the card again", (self.root / "var/lib/swiftlet-card/log.txt").read_text())

    def test_a_full_disk(self):
        """Each step of a disk that fills up: the board is not powered off, and the request goes away."""
        self.mounts()
        var = self.root / "var"
        var.mkdir()
        for options in ("size=4k,nr_inodes=2", "size=4k,nr_inodes=4", "size=4k,nr_inodes=6", "size=4k", "size=8k", "size=16k"):
            for variable in ("var", "TMPDIR", "run"):
                with self.subTest(options, variable=variable):
                    shutil.rmtree(self.root / "run", ignore_errors=True)
                    shutil.rmtree(var)
                    for name in ("var", "temporary", "run"):
                        (self.root / name).mkdir(exist_ok=True)
                    place = self.root / ("temporary" if variable == "TMPDIR" else variable)
                    self.request()
                    self.run_script(f"/bin/mount -t tmpfs -o {options} none {place}", TMPDIR=str(self.root / "temporary"))
                    self.assert_no_request()


if __name__ == "__main__":
    unittest.main()
