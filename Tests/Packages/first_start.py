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
    "systemctl": "",
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
        for path in ("/var/lib/swiftlet-card", "/var/lib/swiftlet-update", "/run/swiftlet-card", "/etc/apt/sources.list.d", "/usr/lib/swiftlet/card"):
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

    def start(self, offered):
        if offered:
            (self.packages / "swiftlet.sources").write_text(offered)
        sums = subprocess.run("sha256sum bookworm/*", shell=True, cwd=self.card, capture_output=True, check=True).stdout
        (self.card / "SHA256SUMS").write_bytes(sums)
        environment = dict(os.environ, PATH=f"{self.root}/stubs:{os.environ['PATH']}")
        subprocess.run(["sh", self.card / "first-start"], env=environment, check=True)
        log = (self.root / "var/lib/swiftlet-card/log.txt").read_text()
        self.assertIn("done: swiftlet 0.3", log)
        return log

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


if __name__ == "__main__":
    unittest.main()
