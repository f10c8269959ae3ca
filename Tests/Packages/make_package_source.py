"""Tests of scripts/make-package-source with small packages and test keys, without a network: damaged and altered
package sources, ambiguous and expired keys, dates, foreign files, and the page's first line. Run by
scripts/test-packages."""

import hashlib
import html
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ADDRESS = "https://packages.example/some/folder"
NOW = int(time.time())
PRESERVED = {".htaccess": "Options -Indexes\n", "robots.txt": "User-agent: *\n", "CNAME": "packages.example\n", ".well-known/x": "y\n"}
# Replaces curl: copies $ANSWER, or fails like curl does after a broken connection.
CURL = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in -fLo) shift; to=$1 ;; esac
  shift
done
[ -f "$ANSWER" ] || { echo "curl: (22) The requested URL returned error: 404" >&2; exit 22; }
cp "$ANSWER" "$to"
exit "${STATUS:-0}"
"""


def run(*words, check=True, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if check and done.returncode:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done


def make_key(home, name, expires="never"):
    run("gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", expires)
    listed = run("gpg", "--homedir", home, "--batch", "--with-colons", "--list-secret-keys", f"={name}").stdout
    return re.search(r"^fpr:+([0-9A-F]+):", listed, re.M)[1]


def make_package(folder, version, release="deb12", name="swiftlet", contents="program"):
    """Builds a small package, reproducibly."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}_{version}~{release}_amd64.deb"
    with tempfile.TemporaryDirectory() as built:
        tree = Path(built) / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        tree.chmod(0o755)
        (tree / "usr").mkdir()
        (tree / "usr" / name).write_text(f"{contents} {version}\n" * 200)
        (tree / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}~{release}\nArchitecture: amd64\nMaintainer: T <t@t.invalid>\nDescription: test\n")
        run("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, target, env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
    return target


def contents_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class PackageSourceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = Path(tempfile.mkdtemp(prefix="pks"))
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.home = cls.base / "gnupg"
        cls.home.mkdir(mode=0o700)
        cls.addClassCleanup(run, "gpgconf", "--homedir", cls.home, "--kill", "gpg-agent", check=False)
        cls.key = make_key(cls.home, "Publisher <publisher@example.org>")
        for version in ("0.1", "0.2", "0.3"):
            make_package(cls.base / version, version)
        cls.published = cls.base / "published"
        cls.make_in(cls.published, cls.base / "0.1", when=NOW - 86400)

    @classmethod
    def make_in(cls, to, *words, when=NOW, expected=0, **more):
        environment = os.environ | {"GNUPGHOME": str(cls.home), "SWIFTLET_SIGNING_KEY": cls.key, "SOURCE_DATE_EPOCH": str(when)} | more
        done = run(REPOSITORY / "scripts/make-package-source", "--url", ADDRESS, "--to", to, *words, check=False, env=environment)
        if (done.returncode == 0) != (expected == 0):
            raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="pks"))
        self.addCleanup(shutil.rmtree, self.work)
        self.to = self.work / "apt"
        shutil.copytree(self.published, self.to, symlinks=True)
        self.deb = self.to / "pool/bookworm/swiftlet_0.1~deb12_amd64.deb"
        self.list = self.to / "dists/bookworm/main/binary-amd64/Packages"

    def make(self, *words, **more):
        return self.make_in(self.to, *(words or [self.base / "0.2"]), **more)

    def refuses(self, *mentioned, words=(), **more):
        """The script fails, mentions these words, and leaves the package source as it was."""
        before = contents_of(self.work)
        said = self.make(*words, expected=1, **more)
        for word in mentioned:
            self.assertIn(str(word), said)
        self.assertEqual(contents_of(self.work), before)
        return said

    def versions(self):
        return sorted(re.findall(r"^Version: (\S+)~", self.list.read_text(), re.M))

    # The published package source is verified before anything of it is signed again.

    def test_earlier_versions_stay(self):
        self.make()
        self.assertEqual(self.versions(), ["0.1", "0.2"])
        self.make(self.base / "0.3", when=NOW + 1)
        self.assertEqual(self.versions(), ["0.1", "0.2", "0.3"])
        self.assertEqual(sorted(path.name for path in self.work.iterdir()), ["apt"])

    def test_truncated_package(self):
        self.deb.write_bytes(self.deb.read_bytes()[:-300])
        self.refuses(self.deb, "differs from the package in the signed list", "--withdraw 0.1~deb12")

    def test_altered_package(self):
        make_package(self.work / "evil", "0.1", contents="evil").rename(self.deb)
        (self.work / "evil").rmdir()
        self.refuses(self.deb, "differs from the package in the signed list")

    def test_added_package(self):
        added = make_package(self.deb.parent, "0.9")
        self.refuses(added, "not in the signed list")

    def test_missing_package(self):
        self.deb.unlink()
        self.refuses(self.deb, "is missing", "--withdraw 0.1~deb12")

    def test_altered_list(self):
        evil = make_package(self.deb.parent, "0.9")
        stanza = self.list.read_text().replace("0.1~", "0.9~").replace(
            hashlib.sha256(self.deb.read_bytes()).hexdigest(), hashlib.sha256(evil.read_bytes()).hexdigest())
        self.list.write_text(self.list.read_text() + "\n" + stanza)
        self.refuses(self.list, "differs from the signed list")

    def test_altered_signed_list(self):
        path = self.to / "dists/bookworm/InRelease"
        signed = path.read_text()
        for text in (
            "Date: x\n\n" + signed,
            signed + signed,
            signed.replace("Codename: ", "Codename:  "),
        ):
            path.write_text(text)
            self.refuses(path, "does not match its signature")
        path.unlink()
        self.refuses(path, "is missing")

    def test_another_key(self):
        other = make_key(self.home, "Another <another@example.org>")
        self.refuses("InRelease is signed by another key", self.key[-16:], other, "--previous-key", SWIFTLET_SIGNING_KEY=other)
        # A change of the key: the former one verifies, the new one signs.
        self.refuses("signed by another key", words=[self.base / "0.2", "--previous-key", other], SWIFTLET_SIGNING_KEY=other)
        self.refuses("no key 'nobody'", words=[self.base / "0.2", "--previous-key", "nobody"], SWIFTLET_SIGNING_KEY=other)
        whole = self.deb.read_bytes()
        self.deb.write_bytes(whole[:-300])
        self.refuses(self.deb, words=[self.base / "0.2", "--previous-key", self.key], SWIFTLET_SIGNING_KEY=other)
        self.deb.write_bytes(whole)
        self.make(self.base / "0.2", "--previous-key", self.key, SWIFTLET_SIGNING_KEY=other)
        self.exports_only(other)
        self.assertEqual(self.versions(), ["0.1", "0.2"])
        self.refuses("signed by another key", when=NOW + 1)

    def test_withdrawn_version(self):
        self.make()
        (self.to / "pool/bookworm/swiftlet_0.2~deb12_amd64.deb").write_text("damaged")
        # The folder of new packages still has it.
        said = self.make(self.base / "0.2", self.base / "0.3", "--withdraw", "0.2", when=NOW + 1)
        self.assertEqual(self.versions(), ["0.1", "0.3"])
        self.assertEqual(re.findall("warning: (.*) still has the packages of 0.2: remove them there", said), [str(self.base / "0.2")])
        self.assertNotIn("still has", self.make(self.base / "0.3", "--withdraw", "0.1", when=NOW + 2))
        self.refuses("no package has the version '0.7'", words=[self.base / "0.3", "--withdraw", "0.7"], when=NOW + 3)

    def test_new_packages_are_whole(self):
        folder = self.work / "new"
        file = make_package(folder, "0.2")
        whole = file.read_bytes()
        file.write_bytes(whole[:-300])
        self.refuses(file, "is damaged", words=[folder])
        # scripts/release states the checksums of what it built.
        file.write_bytes(whole)
        (folder / "SHA256SUMS").write_text(f"{'0' * 64}  {file.name}\n")
        self.refuses(file, "differs from the package in", "SHA256SUMS", words=[folder])
        (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(whole).hexdigest()}  {file.name}\n")
        self.make(folder)

    # The key.

    def test_ambiguous_key(self):
        home = self.work / "gnupg"
        shutil.copytree(self.home, home, ignore=shutil.ignore_patterns("S.*"))
        self.addCleanup(run, "gpgconf", "--homedir", home, "--kill", "gpg-agent", check=False)
        second = make_key(home, "Former <publisher@example.org>")
        said = self.refuses_with_home(home, "names 2 secret keys", self.key, second)
        self.assertIn("fingerprint", said)
        # The fingerprint is enough.
        self.make(GNUPGHOME=str(home))
        self.exports_only(self.key)

    def refuses_with_home(self, home, *mentioned):
        return self.make_fails(*mentioned, GNUPGHOME=str(home), SWIFTLET_SIGNING_KEY="publisher@example.org")

    def make_fails(self, *mentioned, **more):
        before = contents_of(self.to)
        said = self.make(expected=1, **more)
        for word in mentioned:
            self.assertIn(word, said)
        self.assertEqual(contents_of(self.to), before)
        return said

    def exports_only(self, key):
        shown = run("gpg", "--homedir", self.home, "--batch", "--with-colons", "--show-keys", self.to / "swiftlet.asc").stdout
        self.assertEqual(re.findall(r"^fpr:+([0-9A-F]+):", shown, re.M), [key])
        page = (self.to / "index.html").read_text()
        self.assertIn(" ".join(re.findall("....", key)), page)

    def test_mail_address_of_one_key(self):
        # A public key of another person with that address is not exported.
        home = self.work / "gnupg"
        home.mkdir(mode=0o700)
        self.addCleanup(run, "gpgconf", "--homedir", home, "--kill", "gpg-agent", check=False)
        other = make_key(home, "Former <publisher@example.org>")
        exported = run("gpg", "--homedir", home, "--batch", "--armor", "--export", other).stdout
        shutil.copy(self.home / "pubring.kbx", self.work / "saved")
        run("gpg", "--homedir", self.home, "--batch", "--import", input=exported)
        self.addCleanup(shutil.copy, self.work / "saved", self.home / "pubring.kbx")
        self.make(SWIFTLET_SIGNING_KEY="publisher@example.org")
        self.exports_only(self.key)
        source = (self.to / "bookworm/swiftlet.sources").read_text()
        self.assertEqual(source.count("BEGIN PGP"), 1)

    def test_expired_key(self):
        key = make_key(self.home, "Expired <expired@example.org>", "seconds=1")
        time.sleep(2)
        shutil.rmtree(self.to)
        said = self.make(expected=1, SWIFTLET_SIGNING_KEY=key)
        self.assertIn(f"{key} expired on", said)
        self.assertIn("--quick-set-expire", said)
        self.assertFalse(self.to.exists())

    def test_key_that_expires_soon(self):
        key = make_key(self.home, "Soon <soon@example.org>", "30d")
        shutil.rmtree(self.to)
        said = self.make(SWIFTLET_SIGNING_KEY=key)
        self.assertIn(f"warning: the key {key} expires on", said)
        self.assertNotIn("warning", self.make_in(self.work / "other", self.base / "0.2"))

    def test_missing_key(self):
        self.refuses("no secret key 'nobody@example.org'", SWIFTLET_SIGNING_KEY="nobody@example.org")

    # The date.

    def test_earlier_date(self):
        for when in (NOW - 86400, NOW - 86401, NOW - 900000):
            self.refuses("boxes would ignore the new ones", "SOURCE_DATE_EPOCH", when=when)
        self.make(when=NOW - 86399)

    def test_date_in_the_future(self):
        self.refuses("is in the future", "--future-date", when=NOW + 86400)
        self.make(when=NOW + 120)
        self.make(self.base / "0.3", "--future-date", when=NOW + 86400)
        self.refuses("boxes would ignore the new ones", when=NOW + 200)

    def test_malformed_date(self):
        for when in ("yesterday", "-1", "1e9", "08"):
            self.refuses("SOURCE_DATE_EPOCH wants seconds", when=when)

    # Files of others.

    def test_neighbouring_folders_stay(self):
        for name in ("apt.new", "apt.old"):
            (self.work / name).mkdir()
            (self.work / name / "thesis.txt").write_text("irreplaceable\n")
        self.make()
        shutil.rmtree(self.to)
        self.make()
        self.assertEqual(self.versions(), ["0.2"])
        for name in ("apt.new", "apt.old"):
            self.assertEqual((self.work / name / "thesis.txt").read_text(), "irreplaceable\n")

    def test_folders_of_a_run(self):
        for ending in ("new", "old"):
            path = self.work / f"apt.make-package-source.{ending}"
            path.mkdir()
            (path / "thesis.txt").write_text("irreplaceable\n")
            self.refuses(path, "move it elsewhere")
            # With the marker, or empty, it is from an interrupted run.
            (path / ".made-by-make-package-source").write_text("")
            self.make(when=NOW + (ending == "old"))
            self.assertFalse(path.exists())

    def test_interrupted_replacement(self):
        self.make()
        before = contents_of(self.to)
        self.to.rename(self.work / "apt.make-package-source.old")
        (self.work / "apt.make-package-source.new").mkdir()
        self.make(expected=1, when=NOW - 5)
        self.assertEqual(contents_of(self.to), before)

    def test_release_after_an_interrupted_replacement(self):
        """scripts/release removes the files of an earlier run, and not the only copy of the package source."""
        release = self.work / "release"
        release.mkdir()
        shutil.move(str(self.to), release / "apt")
        (release / "NOTES.md").write_text("x")
        stubs = self.work / "stubs"
        stubs.mkdir()
        (stubs / "mv").write_text('#!/bin/sh\ncase "$*" in *make-package-source.new\\ *) kill -KILL $PPID; exit 1 ;; esac\nexec /bin/mv "$@"\n')
        (stubs / "mv").chmod(0o755)
        self.make_in(release / "apt", self.base / "0.2", expected=1, PATH=f"{stubs}:{os.environ['PATH']}")
        self.assertFalse((release / "apt").exists())
        line = re.search(r'^.*find "\$release" -mindepth.*$', (REPOSITORY / "scripts/release").read_text(), re.M)[0]
        run("bash", "-euc", f"release=$1 only=\n{line}", "-", release)
        self.assertFalse((release / "NOTES.md").exists())
        self.make_in(release / "apt", self.base / "0.2", when=NOW + 1)
        self.assertEqual(sorted(path.name for path in release.iterdir()), ["apt"])
        self.assertEqual(len(list((release / "apt/pool/bookworm").iterdir())), 2)

    def test_checksums_of_a_release_include_the_cards(self):
        script = (REPOSITORY / "scripts/release").read_text()
        function = re.search(r"^sum_up\(\) \{\n.*?\n\}\n", script, re.M | re.S)[0]
        self.assertRegex(script, r"(?s)cards/make-card\.py\"\n  sum_up\nfi\n")
        for name in ("a.deb", "a.spdx.json", "a.built-against", "NOTES.md", "cards/swiftlet-card-1-x.zip", "cards/make-card.py"):
            (self.work / name).parent.mkdir(exist_ok=True)
            (self.work / name).write_text(name)
            if name == "NOTES.md":
                run("bash", "-euc", f"release=$1\n{function}sum_up", "-", self.work)
                self.assertEqual(len((self.work / "SHA256SUMS").read_text().splitlines()), 4)
        run("bash", "-euc", f"release=$1\n{function}sum_up", "-", self.work)
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.work)
        named = re.findall(r"^\w{64}  (.*)$", (self.work / "SHA256SUMS").read_text(), re.M)
        self.assertEqual(sorted(named)[-2:], ["cards/make-card.py", "cards/swiftlet-card-1-x.zip"])

    def test_card_of_mixed_versions(self):
        code = "import runpy, sys; maker = runpy.run_path(sys.argv[1]); print(maker['version_of'](sys.argv[2:]))"
        maker = REPOSITORY / "Tools/CardMaking/__main__.py"
        for names, expected in (
            (("bookworm/swiftlet_0.3.0~deb12_arm64.deb", "trixie/swiftlet_0.3.0~deb13_arm64.deb", "trixie/Packages"), "0.3.0\n"), (("trixie/swiftlet_0.4~deb13_arm64.deb",), "0.4\n"),
            (("bookworm/swiftlet_0.3.0~deb12_arm64.deb", "trixie/swiftlet_0.3.1~deb13_arm64.deb"), "0.3.0 for bookworm, 0.3.1 for trixie. Build all anew."),
        ):  # fmt: skip
            done = run("python3", "-B", "-c", code, maker, *names, check=False)
            self.assertIn(expected, done.stdout + done.stderr)
            self.assertEqual(done.returncode != 0, "anew" in expected)

    def test_links_that_are_not_shipped(self):
        for text, expected in (
            ("goes back ([how](a.md#x)). A\n", "goes back. A\n"), ("at once\n  ([decision](d/1.md)).\n- b\n", "at once.\n- b\n"), ("x\n  ([a](b.md)), or\n", "x,\n  or\n"),
            ("> x\n> ([a](b.md)). Read\n", "> x.\n> Read\n"), ("([a](https://x)) and ([b](c.md), or d)\n", "([a](https://x)) and (b, or d)\n"), ("[a](b.md)\n", "a\n"),
            ("```\n([a](b.md))\n```\n", "```\n([a](b.md))\n```\n"), ("x\n\n([a](s.md)). y\n", "x\n\n([a](s.md)). y\n"), ("", ""),
        ):  # fmt: skip
            (self.work / "page").write_text(text)
            done = run("awk", "-f", REPOSITORY / "packaging/shipped-links.awk", "-v", "page=P.md", "-", self.work / "page", input="s.md\n")
            self.assertEqual(done.stdout, expected, text)
        notes = run("awk", "-f", REPOSITORY / "packaging/shipped-links.awk", "-v", "page=CHANGELOG.md", "/dev/null", REPOSITORY / "CHANGELOG.md").stdout
        self.assertNotRegex(notes, r"(?m)\((how|decision|details|wiring)\)|^ *[.,;]")

    def test_foreign_files_stay(self):
        for name, text in PRESERVED.items():
            (self.to / name).parent.mkdir(exist_ok=True)
            (self.to / name).write_text(text)
        (self.to / "latest").symlink_to("pool")
        self.make()
        for name, text in PRESERVED.items():
            self.assertEqual((self.to / name).read_text(), text)
        self.assertEqual(os.readlink(self.to / "latest"), "pool")

    def test_foreign_files_further_down(self):
        for name in ("pool/bookworm/.htaccess", "pool/notes.txt", "dists/bookworm/robots.txt", "bookworm/readme"):
            (self.to / name).write_text("x")
            self.refuses(self.to / name, "move it away")
            (self.to / name).unlink()
        self.make()

    def test_another_folder(self):
        shutil.rmtree(self.to)
        self.to.mkdir()
        (self.to / "swiftlet.asc").write_text("a key\n")
        (self.to / "index.html").write_text("a home page\n")
        self.refuses("is no package source")

    def test_symbolic_link(self):
        self.to.rename(self.work / "real")
        self.to.symlink_to("real")
        self.make()
        self.assertTrue(self.to.is_symlink())
        self.assertEqual(self.versions(), ["0.1", "0.2"])

    # What users see.

    def test_made_again(self):
        self.make_in(self.work / "again", self.base / "0.1", when=NOW - 86400)
        for name in ("index.html", "bookworm/swiftlet.sources", "dists/bookworm/Release"):
            self.assertEqual((self.work / "again" / name).read_bytes(), (self.to / name).read_bytes())

    def test_source_file_states_its_date_and_checksum(self):
        lines = (self.to / "bookworm/swiftlet.sources").read_bytes().splitlines(keepends=True)
        stated = re.fullmatch(rb"# Made at (\S+ \S+); SHA-256 of the other lines: ([0-9a-f]{64})\n", lines[1])
        self.assertEqual(stated[1].decode(), time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(NOW - 86400)))
        self.assertEqual(stated[2].decode(), hashlib.sha256(lines[0] + b"".join(lines[2:])).hexdigest())

    def test_page_mentions_old_boxes(self):
        page = (self.to / "index.html").read_text()
        self.assertRegex(page, r"(?s)does no updates at night.*Update it once by hand.*--only-upgrade 'swiftlet\*'</pre>")

    def first_line(self, answer, status=0):
        page = (self.to / "index.html").read_text()
        lines = html.unescape(re.sub(r"<[^>]*>", "", re.search(r'<pre id="install">(.*?)</pre>', page, re.S)[1])).split("\n")
        self.assertEqual(len(lines), 2)
        etc = self.work / "etc"
        (etc / "apt/sources.list.d").mkdir(parents=True, exist_ok=True)
        stubs = self.work / "stubs"
        stubs.mkdir(exist_ok=True)
        for name, text in (("sudo", '#!/bin/sh\nexec "$@"\n'), ("curl", CURL)):
            (stubs / name).write_text(text)
            (stubs / name).chmod(0o755)
        environment = dict(os.environ, PATH=f"{stubs}:{os.environ['PATH']}", ANSWER=str(answer), STATUS=str(status))
        line = lines[0].replace("/etc/apt", str(etc / "apt"))
        done = run("sh", "-e", "-c", line, check=False, env=environment)
        added = etc / "apt/sources.list.d/swiftlet.sources"
        return done.returncode, added.read_text() if added.exists() else None

    def test_first_line_adds_only_a_whole_file(self):
        source = self.to / "bookworm/swiftlet.sources"
        broken = self.work / "broken"
        for status, text in ((0, "<html>log in to the hotel's network</html>"), (18, source.read_text()[:400]), (0, source.read_text()[:400])):
            broken.write_text(text)
            self.assertNotEqual(self.first_line(broken, status)[0], 0)
            self.assertEqual(list((self.work / "etc/apt/sources.list.d").iterdir()), [])
        self.assertNotEqual(self.first_line(self.work / "none")[0], 0)
        self.assertEqual(self.first_line(source), (0, source.read_text()))
        # A later failure keeps what works.
        self.assertNotEqual(self.first_line(broken)[0], 0)
        self.assertEqual((self.work / "etc/apt/sources.list.d/swiftlet.sources").read_text(), source.read_text())


if __name__ == "__main__":
    unittest.main()
