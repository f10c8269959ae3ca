"""Tests of packaging/card/card, which applies a card's files at startup, in a root of their own: the wireless network,
the sound card, the settings (merged by a substitute program), the error file, and a power cut at each step. Run by
scripts/check-card and by BootCardTests."""

import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from loaded import REPOSITORY, make_card

try:
    import yaml
except ImportError:
    yaml = None

CONFIG = "dtparam=audio=on\ndtoverlay=vc4-kms-v3d\n\n[cm4]\notg_mode=1\n\n[all]\n"
NETWORK = "etc/NetworkManager/system-connections/swiftlet-card.nmconnection"
# Replaces `swiftlet card`: copies the file, and reports each line that contains "wrong".
PROGRAM = """#!/bin/sh
while [ $# -gt 1 ]; do
  case $1 in --from) from=$2 ;; --config) config=$2 ;; --former) former=$2 ;; --errors) errors=$2 ;; esac
  shift
done
echo "$from $(stat -c %a "$from" 2>/dev/null)" >"$(dirname "$config")/seen"
[ ! -e "$(dirname "$config")/breaks" ] || { echo "swiftlet card: $from was not stored: full." >&2; exit 1; }
if [ ! -e "$from" ]; then rm -f "$config" "$former" "$errors"; exit 0; fi
cmp -s "$from" "$former" && exit 0
cp "$from" "$config"
grep -n wrong "$from" >"$errors" || rm -f "$errors"
cp "$from" "$former"
[ ! -e "$errors" ] || exit 2
"""
# Replaces mv and cuts the power at one of its calls: the rest of the script does not run.
CUT = """#!/bin/sh
count=$(cat "$COUNTER"); echo $((count + 1)) >"$COUNTER"
[ "$count" != "$CUT_AT" ] || kill -KILL 0
exec /bin/mv "$@"
"""


def keyfile(text):
    """The sections of a NetworkManager keyfile, as GLib parses them."""
    sections, section = {}, {}
    for line in text.splitlines():
        if line.startswith("["):
            section = sections.setdefault(line[1:-1], {})
        elif "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            section[key] = value
    return sections


def unescaped(value):
    return re.sub(r"\\(.)", lambda found: {"s": " ", "t": "\t"}.get(found[1], found[1]), value)


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("boot/firmware", "etc/NetworkManager", "var/lib/swiftlet", "usr/bin", "run"):
            (self.root / name).mkdir(parents=True)
        self.boot = self.root / "boot/firmware"
        (self.boot / "config.txt").write_text(CONFIG)
        # Syncing is slow, and these tests are about the order of steps.
        self.stubs = self.root / "stubs"
        self.stubs.mkdir()
        (self.stubs / "sync").write_text("#!/bin/sh\n")
        (self.stubs / "sync").chmod(0o755)
        program = self.root / "usr/bin/swiftlet"
        program.write_text(PROGRAM)
        program.chmod(0o755)

    def start(self, expected=0, quiet=True, **more):
        environment = dict(os.environ, SWIFTLET_CARD_ROOT=str(self.root), PATH=f"{self.stubs}:{os.environ['PATH']}", **more)
        done = subprocess.run(["sh", REPOSITORY / "packaging/card/card"], env=environment, capture_output=True, text=True, start_new_session=True)
        self.log = done.stderr
        if expected is not None:
            self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
            if quiet:
                self.assertEqual(done.stderr, "")
        return done.stdout

    def errors(self):
        path = self.boot / "swiftlet-errors.txt"
        return path.read_bytes().decode() if path.exists() else ""

    def test_nothing_to_do(self):
        self.start()
        self.assertEqual(self.errors(), "")
        (self.boot / "wifi.txt").write_bytes((REPOSITORY / "packaging/card/wifi.txt").read_bytes())
        self.start()
        self.assertEqual(self.errors(), "")
        self.assertFalse((self.root / NETWORK).exists())

    def test_nothing_new_costs_next_to_nothing(self):
        """A start without changes: a few comparisons, without starting the box's program."""
        (self.boot / "wifi.txt").write_text("name=home\r\nopen=yes\r\ncountry=DE\r\n")
        (self.boot / "sound-card.txt").write_text("dtoverlay=a\r\n")
        (self.boot / "swiftlet.conf").write_text("set volume.maximum 66\r\n")
        self.start()
        trace = self.root / "trace"
        (self.root / "usr/bin/swiftlet").write_text(f"#!/bin/sh\ntouch {trace}\n")
        for name in ("mktemp", "sed", "mv"):
            (self.stubs / name).write_text(f"#!/bin/sh\ntouch {trace}\nexit 1\n")
            (self.stubs / name).chmod(0o755)
        self.start()
        self.assertFalse(trace.exists())
        (self.boot / "wifi.txt").write_text("name=other\nopen=yes\ncountry=DE\n")
        self.start(None)
        self.assertTrue(trace.exists())

    def test_a_network_is_set_up(self):
        names = ["home", "My network", "Käse & Co; \"x\" = #1", "  spaces  ".strip(), "a\\b", "'quoted", "Jo\u2019s box", "a#b #c", "0", "%s$HOME`id`"]
        passwords = ["password", "pass word \\1;#\"'", "ä" * 20, "f" * 64, "$(touch x)`id`", "12345678 9="]
        for end, mark in (("\n", ""), ("\r\n", "\ufeff")):
            for name, password in [*((name, "password") for name in names), *(("home", word) for word in passwords)]:
                with self.subTest(name=name, password=password):
                    text = mark + end.join(["# a comment", f"name={name}", f" password = {password}", "country=de", ""])
                    (self.boot / "wifi.txt").write_bytes(text.encode())
                    self.start()
                    self.assertEqual(self.errors(), "")
                    path = self.root / NETWORK
                    self.assertEqual(path.stat().st_mode & 0o777, 0o600)
                    sections = keyfile(path.read_text())
                    self.assertEqual(bytes(int(number) for number in sections["wifi"]["ssid"].split(";")[:-1]).decode(), name)
                    self.assertEqual(unescaped(sections["wifi-security"]["psk"]), password)
                    rule = (self.root / "etc/modprobe.d/swiftlet-wifi.conf").read_text()
                    self.assertEqual(rule, "options cfg80211 ieee80211_regdom=DE\n")

    def test_notepads_unicode(self):
        for code, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
            (self.boot / "wifi.txt").write_bytes(mark + "name=Käse\r\npassword=password\r\ncountry=DE\r\n".encode(code))
            self.start()
            sections = keyfile((self.root / NETWORK).read_text())
            self.assertEqual(bytes(int(number) for number in sections["wifi"]["ssid"].split(";")[:-1]).decode(), "Käse")
            (self.root / NETWORK).unlink()
            shutil.rmtree(self.root / "var/lib/swiftlet-card")

    def network(self):
        """The name, the password and the rest of the network that was set up; nil if there is none."""
        path = self.root / NETWORK
        if not path.exists():
            return None
        sections = keyfile(path.read_text())
        name = bytes(int(number) for number in sections["wifi"]["ssid"].split(";")[:-1]).decode()
        return name, unescaped(sections.get("wifi-security", {}).get("psk", ""))

    def test_letters_of_windows_are_converted_and_reported(self):
        text = "# f\u00fcr zu Hause\nname=K\u00e4se\npassword=geh\u00c4im\u20ac12\ncountry=DE\n"
        (self.boot / "wifi.txt").write_bytes(text.encode("cp1252"))
        for _ in range(2):
            self.start(2)
            self.assertEqual(self.network(), ("K\u00e4se", "geh\u00c4im\u20ac12"))
            self.assertEqual(self.errors().count("is not UTF-8; its letters with accents were read as Windows-1252"), 1)
        # The same text as UTF-8 ends the report.
        (self.boot / "wifi.txt").write_text(text)
        self.start()
        self.assertEqual(self.errors(), "")
        self.assertEqual(self.network(), ("K\u00e4se", "geh\u00c4im\u20ac12"))
        # A letter in a comment changes nothing.
        (self.boot / "wifi.txt").write_bytes("# f\u00fcr\nname=other\npassword=password\ncountry=DE\n".encode("cp1252"))
        self.start()
        self.assertEqual(self.network(), ("other", "password"))
        (self.boot / "wifi.txt").write_bytes(b"name=a\x81b\npassword=password\ncountry=DE\n")
        self.start(2)
        self.assertIn("cannot be read", self.errors())

    def test_old_line_ends(self):
        for comment in ("", "# A comment\r"):
            (self.boot / "wifi.txt").write_text(f"{comment}name=home\rpassword=password\rcountry=DE\r", newline="")
            (self.boot / "sound-card.txt").write_text(f"{comment}dtparam=audio=off\rdtoverlay=a", newline="")
            self.start()
            self.assertEqual(self.network(), ("home", "password"))
            self.assertIn("\ndtparam=audio=off\ndtoverlay=a\n", (self.boot / "config.txt").read_text())
            shutil.rmtree(self.root / "var/lib/swiftlet-card")

    def test_characters_that_cannot_be_seen_are_refused(self):
        for letter in ("\x07", "\b", "\r", "\t", "\x7f", "\x1b[31m", "\u0085", "\u200b", "\u202e", "\u2028", "\ufeff"):
            for line in (f"name=ho{letter}me\npassword=password", f"name=home\npassword=pass{letter}word"):
                with self.subTest(line=line):
                    (self.boot / "wifi.txt").write_text(f"{line}\ncountry=DE\n", newline="")
                    self.start(2)
                    number = 1 if letter in line.split("\n")[0] else 2
                    self.assertIn(f"wifi.txt: line {number} contains a control character", self.errors())
                    self.assertIsNone(self.network())
        (self.boot / "wifi.txt").unlink()
        (self.boot / "sound-card.txt").write_text("dtparam=audio=off\ndtoverlay=a\bc\n")
        self.start(2)
        self.assertIn("sound-card.txt: line 2 contains a control character", self.errors())
        self.assertNotIn("dtoverlay=a\b", (self.boot / "config.txt").read_text())

    def test_a_document_is_refused(self):
        (self.boot / "wifi.txt").write_text("{\\rtf1\\ansi name=Home\\\n}")
        self.start(2)
        self.assertEqual(self.errors().count("wifi.txt:"), 1)
        self.assertIn("the file is a document, not plain text", self.errors())

    def test_keys_as_a_telephone_writes_them(self):
        (self.boot / "wifi.txt").write_text("Name=Home\nPASSWORD = password\nCountry=de\n")
        self.start()
        sections = keyfile((self.root / NETWORK).read_text())
        self.assertEqual((sections["wifi"]["ssid"], sections["wifi-security"]["psk"]), ("72;111;109;101;", "password"))

    def test_a_name_with_two_endings_is_said_until_it_is_mended(self):
        (self.boot / "wifi.txt").write_text("name=home\npassword=password\ncountry=DE\n")
        for name in ("wifi.txt", "sound-card.txt", "swiftlet.conf"):
            (self.boot / f"{name}.txt").write_text("name=other\n")
            for _ in range(2):
                self.start(2)
                self.assertIn(f"{name}.txt: the box reads {name} only", self.errors())
            self.assertTrue((self.root / NETWORK).exists())
            (self.boot / f"{name}.txt").unlink()
            self.start()
            self.assertEqual(self.errors(), "")

    def test_an_open_network(self):
        for line in ("open=yes", "OPEN = Yes"):
            (self.boot / "wifi.txt").write_text(f"name=open\ncountry=DE\n{line}\n")
            self.start()
            self.assertEqual(self.network(), ("open", ""))
            self.assertNotIn("wifi-security", keyfile((self.root / NETWORK).read_text()))

    def test_an_open_network_is_asked_for(self):
        """A # that was left before the password, or a mistyped key, sets up no open network."""
        for line in ("", "password=", "#password=secretly1", "# password=secretly1", "secretly1", "pasword=secretly1", "open=no", "open=secretly1"):
            with self.subTest(line):
                (self.boot / "wifi.txt").write_text(f"name=home\n{line}\ncountry=DE\n")
                self.start(2)
                self.assertIn("no password: remove the # before password=", self.errors())
                self.assertIn("or write open=yes for a network without a password", self.errors())
                self.assertIn("the network was not set up", self.errors())
                self.assertNotIn("secretly", self.errors())
                self.assertIsNone(self.network())
        (self.boot / "wifi.txt").write_text("name=home\nopen=yes\npassword=secretly1\ncountry=DE\n")
        self.start(2)
        self.assertIn("there is a password, and open=yes", self.errors())
        self.assertIsNone(self.network())

    def test_a_hidden_network(self):
        for hidden, is_hidden in (("yes", True), ("YES", True), ("no", False), ("", False)):
            (self.boot / "wifi.txt").write_text(f"name=home\npassword=password\ncountry=DE\nhidden={hidden}\n")
            self.start()
            self.assertEqual("hidden" in keyfile((self.root / NETWORK).read_text())["wifi"], is_hidden, hidden)
        (self.boot / "wifi.txt").write_text("name=home\npassword=password\ncountry=DE\nhidden=secretly1\n")
        self.start(2)
        self.assertIn("the value of hidden= is neither yes nor no", self.errors())
        self.assertNotIn("secretly", self.errors())

    def test_quotation_marks_comments_and_odd_blanks_are_reported(self):
        for text, why, advice in [
            ('name="Home"', "name= is in quotation marks", "Write name=Home; if"),
            ("name='Home'", "name= is in quotation marks", "Write name=Home; if"),
            ("name=\u201cHome\u201d", "name= is in quotation marks", "Write name=Home; if"),
            ("name=\u201eHome\u201c", "name= is in quotation marks", "Write name=Home; if"),
            ("name=\u2018Home\u2019", "name= is in quotation marks", "Write name=Home; if"),
            ("name=\u00abHome\u00bb", "name= is in quotation marks", "Write name=Home; if"),
            ("name=Home # my net", "behind the value of name= there is a #", "Write name=Home; if"),
            ("name=Home #", "behind the value of name= there is a #", "Write name=Home; if"),
            ("name=My\u00a0home", "name= contains a blank that is not a plain one", "Write name=My home; if"),
            ('password="secretly1"', "password= is in quotation marks", "Write the value without them; if"),
            ("password=\u201csecretly1\u201d", "password= is in quotation marks", "Write the value without them; if"),
            ("password=secretly1 # do not tell", "behind the value of password= there is a #", "Write the value without the comment; if"),
            ("password=secretly\u00a01", "password= contains a blank that is not a plain one", "Write the value with plain blanks; if"),
        ]:
            with self.subTest(text):
                key = text.split("=")[0]
                other = "name=Home" if key == "password" else "password=secretly1"
                (self.boot / "wifi.txt").write_text(f"{text}\n{other}\ncountry=DE\n")
                self.start(2)
                self.assertIn(why, self.errors())
                self.assertIn(advice, self.errors())
                self.assertIn(f'write {key}=""\u2026"" with two quotation marks on both sides', self.errors())
                self.assertNotIn("secretly", self.errors())
                self.assertIsNone(self.network())
        # Such characters belong to the value between doubled quotation marks.
        for value in ('"Home"', "Home # 1", "My\u00a0home"):
            (self.boot / "wifi.txt").write_text(f'name=""{value}""\npassword=""{value} 12345""\ncountry=DE\n')
            self.start()
            self.assertEqual(self.network(), (value, f"{value} 12345"))
        # Around a value, odd blanks are blanks.
        (self.boot / "wifi.txt").write_text("\u00a0name\u00a0=\u00a0Home\u00a0\npassword=password\u202f\u00a0\ncountry=DE\n")
        self.start()
        self.assertEqual(self.network(), ("Home", "password"))
        (self.root / NETWORK).unlink()
        for text, advice in (('country="DE"', "Write country=DE."), ("country=DE # Germany", "Write country=DE."), ("hidden='yes'\ncountry=DE", "without them.")):
            (self.boot / "wifi.txt").write_text(f"name=Home\npassword=password\n{text}\n")
            self.start(2)
            self.assertIn(advice, self.errors())
            self.assertEqual(self.network(), ("Home", "password"))

    def test_a_password_on_the_line_of_the_name_is_not_repeated(self):
        for line in (
            'name="Home" password="secretly1"', "name='Home', password='secretly1'", "name=Home password=secretly1 # mine", "name=Home PSK = secretly1 #", "name=Home password: secretly1 # mine",
            "name=\u201cHome\u201d \u201csecretly1\u201d", 'name="Home" "secretly1"', "name=\u00abHome\u00bb \u00absecretly1\u00bb # mine", "name=Home\u00a0password=secretly1",
            "country=DE password=secretly1 # mine", "hidden='yes' password='secretly1'", "open=secretly1",
        ):  # fmt: skip
            for more in ("", "password=secretly1\n"):
                with self.subTest(line):
                    (self.boot / "wifi.txt").write_text(f"{line}\n{more}country=DE\n")
                    said = self.start(2, quiet=False)
                    self.assertIn("wifi.txt: ", self.errors())
                    for text in (said, self.log, self.errors(), (self.root / "run/swiftlet-card/errors.txt").read_text()):
                        self.assertNotIn("secretly", text)

    def test_every_wrong_line_is_named_without_its_text(self):
        lines = {
            "geheim99=12": "is not understood. Lines", "password: my=secret1": "has a : behind password. Write password= instead",
            "password secret1": "has no = behind password", "nam=secret1": "is not understood; did you mean name=? Lines",
            "pasword = secret1": "did you mean password=?", "contry=secret1": "did you mean country=?", "pass=secret1": "did you mean password=?",
            "SSID=secret1": "did you mean name=?", "=secret1": "is not understood. Lines", "<html>secret1=": "is not understood. Lines",
        }  # fmt: skip
        (self.boot / "wifi.txt").write_text("# Comment\n\n" + "\n".join(lines) + "\n")
        self.start(2)
        for number, why in enumerate(lines.values(), 3):
            self.assertRegex(self.errors(), f"line {number}\\b.*{why.replace('?', '.')}".replace("(", "."))
        for text in (self.errors(), (self.root / "run/swiftlet-card/errors.txt").read_text()):
            for word in ("geheim", "secret", "html"):
                self.assertNotIn(word, text)
        (self.boot / "wifi.txt").write_text("x\n" * 100)
        self.start(2)
        self.assertIn("wifi.txt: 90 more lines are wrong.", self.errors())
        (self.boot / "wifi.txt").write_text("name=a\npassword=password\nname=b\npassword=passwort\ncountry=DE\n")
        self.start(2)
        self.assertIn("line 3: name= is there twice", self.errors())
        self.assertEqual(self.network(), ("b", "passwort"))

    def test_a_country_is_checked(self):
        zones = self.root / "usr/share/zoneinfo"
        for has_list in (False, True):
            if has_list:
                zones.mkdir(parents=True)
                (zones / "iso3166.tab").write_text("# Comment\nDE\tGermany\nGB\tBritain (UK)\nCH\tSwitzerland\n")
            for code, advice in (("DE", ""), ("ch", ""), ("UK", "country=GB."), ("germany", "country=DE."), ("secretly1", "country=DE."), ("QQ", "country=DE." if has_list else "")):
                (self.boot / "wifi.txt").write_text(f"name=home\npassword=password\ncountry={code}\n")
                self.start(2 if advice else 0)
                self.assertIn(advice, self.errors())
                self.assertNotIn("secretly", self.errors())
                self.assertEqual(self.network(), ("home", "password"))

    def test_the_example_is_not_set_up(self):
        text = (REPOSITORY / "packaging/card/wifi.txt").read_text()
        (self.boot / "wifi.txt").write_text("".join(line.lstrip("#") if "=" in line.split(" ")[0] else line for line in text.splitlines(True)))
        self.start(2)
        self.assertIn("has the words of the example", self.errors())
        self.assertIsNone(self.network())

    def test_netplan_of_hidden_and_open_networks(self):
        shutil.rmtree(self.root / "etc/NetworkManager")
        (self.root / "etc/netplan").mkdir()
        for text, end in (
            ("open=yes\n", "          {}\n"), ("open=yes\nhidden=yes\n", "          hidden: true\n"),
            ("hidden=yes\npassword=password\n", '          password: "password"\n          hidden: true\n'),
        ):
            (self.boot / "wifi.txt").write_text("name=home\ncountry=DE\n" + text)
            self.start()
            self.assertTrue((self.root / "etc/netplan/60-swiftlet-card.yaml").read_text().endswith('        "home":\n' + end))

    def test_netplan(self):
        shutil.rmtree(self.root / "etc/NetworkManager")
        (self.root / "etc/netplan").mkdir()
        (self.root / "sys/class/net/wlp3s0/wireless").mkdir(parents=True)
        (self.boot / "wifi.txt").write_text('name=a "b" \\c: #1\npassword=pass: "word"\ncountry=DE\n')
        self.start()
        text = (self.root / "etc/netplan/60-swiftlet-card.yaml").read_text()
        self.assertIn('        "a \\"b\\" \\\\c: #1":\n          password: "pass: \\"word\\""\n', text)
        self.assertIn("    wlp3s0:\n", text)
        self.assertIn('      regulatory-domain: "DE"\n', text)

    PLAN = "etc/netplan/60-swiftlet-card.yaml"

    def use_netplan(self, text="#!/bin/sh\n"):
        shutil.rmtree(self.root / "etc/NetworkManager", ignore_errors=True)
        (self.root / "etc/netplan").mkdir(exist_ok=True)
        (self.root / "usr/sbin").mkdir(exist_ok=True)
        (self.root / "usr/sbin/netplan").write_text(text)
        (self.root / "usr/sbin/netplan").chmod(0o755)

    @staticmethod
    def decoded(word):
        """The text of a word in YAML double quotes."""
        assert word[0] == word[-1] == '"' and word.isascii(), word
        return re.sub(r"\\(U[0-9a-fA-F]{8}|.)", lambda found: chr(int(found[1][1:], 16)) if found[1][0] == "U" else found[1], word[1:-1])

    def test_any_name_gives_a_valid_plan(self):
        self.use_netplan()
        for name, country in (("K\u00e4se \U0001f600", "DE"), ("yes", "NO"), ("12345", "NO"), ('"\\: #{}[]&*!|>%@`', "DE"), ("\u4e2d\u6587'", "CN"), ("a\ufe0f\u200db", "DE"), ("\uffff", "DE")):
            with self.subTest(name=name):
                (self.boot / "wifi.txt").write_text(f"name={name}\npassword={name}password\ncountry={country}\n")
                self.start()
                text = (self.root / self.PLAN).read_text()
                self.assertIn(f'      regulatory-domain: "{country}"\n', text)
                words = re.search(r'access-points:\n        (".*"):\n          password: (".*")\n$', text)
                self.assertEqual((self.decoded(words[1]), self.decoded(words[2])), (name, f"{name}password"))
                if yaml:
                    plan = yaml.safe_load(text)["network"]["wifis"]["wlan0"]
                    self.assertEqual(plan["access-points"], {name: {"password": f"{name}password"}})
                    self.assertEqual(plan["regulatory-domain"], country)

    def test_a_plan_that_netplan_refuses_is_taken_back(self):
        for former in (None, "network: {}\n"):
            with self.subTest(former=former):
                # Refuses any plan of the box, and quotes it.
                plan = self.root / self.PLAN
                self.use_netplan(f'#!/bin/sh\ngrep -qs secretly {plan} || exit 0\necho "bad plan" >&2\ncat {plan} >&2\nexit 78\n')
                plan.unlink(missing_ok=True)
                if former:
                    plan.write_text(former)
                (self.boot / "wifi.txt").write_text("name=home\npassword=secretly\ncountry=DE\n")
                said = self.start(2, quiet=False)
                self.assertEqual(plan.read_text() if plan.exists() else None, former)
                self.assertIn("wifi.txt: netplan refused the network", self.errors())
                self.assertIn("netplan: bad plan", self.log)
                self.assertNotIn("secretly", said + self.log + self.errors())
                self.start(2)
                self.use_netplan()
                (self.boot / "wifi.txt").write_text("name=home\npassword=secretly2\ncountry=DE\n")
                self.start()
                self.assertEqual(self.errors(), "")
                self.assertIn("secretly2", plan.read_text())

    def test_a_plan_is_written_where_other_plans_are_refused(self):
        self.use_netplan('#!/bin/sh\necho "10-own.yaml: bad plan" >&2\nexit 78\n')
        (self.boot / "wifi.txt").write_text("name=home\npassword=secretly\ncountry=DE\n")
        self.start(2, quiet=False)
        self.assertIn("secretly", (self.root / self.PLAN).read_text())
        self.assertIn("wifi.txt: netplan does not read the other files in /etc/netplan", self.errors())
        self.assertNotIn("Check the name", self.errors())

    def test_what_is_wrong_with_a_network_is_said_until_it_is_mended(self):
        for text, why in [
            ("password=password\ncountry=DE\n", "name is missing"),
            ("name=home\npassword=short\ncountry=DE\n", "has 5 characters"),
            ("name=home\npassword=password\n", "country is missing"),
            ("name=home\npassword=password\ncountry=Germany\n", "is no country"),
            (f"name={'x' * 33}\nopen=yes\ncountry=DE\n", "more than 32 bytes"),
            ("name=home\npasword = secretly\ncountry=DE\n", "line 2 is not understood; did you mean password=?"),
            ("name=home\nsecretly1\ncountry=DE\n", "line 2 is not understood"),
            (f"name=home\npassword={'g' * 64}\ncountry=DE\n", "has 64 characters"),
            ("name=home\0\ncountry=DE\n", "cannot be read"),
            ("x" * 70000, "more than 64 KB"),
        ]:
            with self.subTest(why):
                (self.boot / "wifi.txt").write_text(text)
                self.start(2)
                self.assertIn(why, self.errors())
                self.assertIn(why, (self.root / "run/swiftlet-card/errors.txt").read_text())
                self.assertNotIn("secretly", self.errors())
                self.assertEqual(self.errors().count("\n"), self.errors().count("\r\n"))
                self.start(2)
                self.assertIn(why, self.errors(), "at the next start, too")
                (self.boot / "wifi.txt").write_text("name=home\npassword=password\ncountry=DE\n")
                self.start()
                self.assertEqual(self.errors(), "")
                self.assertFalse((self.root / "run/swiftlet-card/errors.txt").exists())

    def test_a_system_without_wireless_networks_says_so(self):
        shutil.rmtree(self.root / "etc/NetworkManager")
        (self.boot / "wifi.txt").write_text("name=home\npassword=password\ncountry=DE\n")
        self.start(2)
        self.assertIn("neither NetworkManager nor netplan", self.errors())

    def test_what_cannot_be_stored_is_tried_again(self):
        for name, text, place in [
            ("wifi.txt", "name=home\nopen=yes\ncountry=DE\n", "etc/NetworkManager/system-connections"), ("wifi.txt", "name=home\nopen=yes\ncountry=DE\n", "etc/modprobe.d"),
        ]:  # fmt: skip
            (self.boot / name).write_text(text)
            shutil.rmtree(self.root / place, ignore_errors=True)
            (self.root / place).write_text("in the way")
            self.start(2, quiet=False)
            self.assertIn("could not be stored", self.errors())
            (self.root / place).unlink()
            self.start()
            self.assertEqual(self.errors(), "")
            self.assertTrue((self.root / place).is_dir())
            shutil.rmtree(self.root / "var/lib/swiftlet-card")

    def test_what_was_set_otherwise_stays(self):
        (self.boot / "wifi.txt").write_text("name=home\npassword=password\ncountry=DE\n")
        self.start()
        (self.root / NETWORK).write_text("changed by hand")
        self.start()
        self.assertEqual((self.root / NETWORK).read_text(), "changed by hand")

    def test_lines_that_are_commented_out_remove_the_network(self):
        right = "# A comment\nname=home\npassword=password\ncountry=DE\n"
        commented = "# A comment\n#name=home\n# password=password\n#country=DE\n"
        for path, use in ((NETWORK, lambda: None), (self.PLAN, self.use_netplan)):
            use()
            file = self.root / path
            (self.boot / "wifi.txt").write_text(right)
            self.start()
            self.assertTrue(file.exists())
            # Neither a missing nor an empty file removes it, nor lines that are wrong.
            (self.boot / "wifi.txt").unlink()
            self.start()
            for text in ("", "# nothing\n", commented + "x\n", "name=home\n#password=password\ncountry=DE\n"):
                (self.boot / "wifi.txt").write_text(text)
                self.start(None)
                self.assertTrue(file.exists(), text)
            (self.boot / "wifi.txt").write_text(commented)
            self.start()
            self.assertFalse(file.exists())
            self.assertEqual(self.errors(), "")
            # A file that was changed on the box stays.
            for change in ("changed by hand\n", None):
                (self.boot / "wifi.txt").write_text(right)
                self.start()
                if change:
                    file.write_text(file.read_text() + change)
                (self.boot / "wifi.txt").write_text(commented)
                self.start()
                self.assertEqual(file.exists(), change is not None)
            # One of an earlier version of the box has no checksum.
            (self.boot / "wifi.txt").write_text(right)
            self.start()
            (self.root / "var/lib/swiftlet-card/network").unlink()
            (self.boot / "wifi.txt").write_text(commented)
            self.start()
            self.assertFalse(file.exists())

    def test_a_sound_card(self):
        for config in (CONFIG, CONFIG.replace("\n", "\r\n"), CONFIG + "dtoverlay=hifiberry-dac", CONFIG.rstrip("\n"), ""):
            with self.subTest(config):
                shutil.rmtree(self.root / "var/lib/swiftlet-card", ignore_errors=True)
                (self.boot / "config.txt").write_bytes(config.encode())
                for overlay in ("hifiberry-dac", "hifiberry-dacplus", "hifiberry-dac"):
                    (self.boot / "sound-card.txt").write_text(f"# A comment\r\n\r\ndtparam=audio=off\r\ndtoverlay={overlay}\r\n")
                    self.start()
                    text = (self.boot / "config.txt").read_bytes().decode()
                    lines = text.replace("\r", "").split("\n")
                    self.assertEqual(lines.count("dtparam=audio=off"), 1)
                    self.assertEqual(lines.count(f"dtoverlay={overlay}"), 1)
                    self.assertTrue(text.startswith(config))
                    self.assertTrue((self.root / "run/swiftlet-card/reboot").exists())
                    (self.root / "run/swiftlet-card/reboot").unlink()
                    self.start()
                    self.assertEqual((self.boot / "config.txt").read_bytes().decode(), text)
                    self.assertFalse((self.root / "run/swiftlet-card/reboot").exists(), "nothing new")
                self.assertEqual(make_card.without_block(text), config, "make-card --undo")

    def test_a_wrong_line_for_the_sound_card(self):
        (self.boot / "sound-card.txt").write_text("hifiberry-dac\ndtparam=audio=off\n")
        self.start(2)
        self.assertIn("sound-card.txt: line 1 is not understood. Lines begin with dtoverlay= or dtparam=", self.errors())
        self.assertIn("dtparam=audio=off", (self.boot / "config.txt").read_text())
        self.start(2)

    def write_sound_card(self, text, expected=0):
        (self.boot / "sound-card.txt").write_text(text)
        self.start(expected)
        return (self.boot / "config.txt").read_text()

    def test_a_block_without_its_end_marker(self):
        """Of config.txt, only lines that the box has written are replaced."""
        first = "dtparam=audio=off\ndtoverlay=hifiberry-dac\n"
        for own in ("gpu_mem=16\narm_freq=900\n", "[all]\ngpu_mem=16\n", "dtoverlay=hifiberry-dac\ngpu_mem=16\n", "dtoverlay=disable-bt", ""):
            for is_cut in (False, True):
                with self.subTest(own=own, is_cut=is_cut):
                    (self.boot / "config.txt").write_text(CONFIG)
                    shutil.rmtree(self.root / "var/lib/swiftlet-card", ignore_errors=True)
                    text = self.write_sound_card(first)
                    # The user removes the marker, and perhaps one of the box's lines.
                    text = text.replace(make_card.END + "\n", "") + own
                    if is_cut:
                        text = text.replace("dtparam=audio=off\n", "")
                    (self.boot / "config.txt").write_text(text)
                    text = self.write_sound_card("dtoverlay=other\n", 2)
                    rest = own if own.endswith("\n") or not own else own + "\n"
                    self.assertEqual(text, CONFIG + rest + f"{make_card.BEGIN}\n[all]\ndtoverlay=\ndtoverlay=other\n{make_card.END}\n")
                    for _ in range(2):
                        self.assertIn(f"sound-card.txt: config.txt had no line '{make_card.END}'", self.errors())
                        self.start(2)
                    # Deleting the report ends it.
                    (self.boot / "swiftlet-errors.txt").unlink()
                    self.start()
                    self.assertEqual(self.errors(), "")
                    self.assertEqual((self.boot / "config.txt").read_text(), text)

    def test_two_blocks_and_lines_of_the_user_inside(self):
        text = self.write_sound_card("dtoverlay=a\n")
        block = text[len(CONFIG) :]
        # A begin marker without an end, before a whole block; and a line inside of the block.
        (self.boot / "config.txt").write_text(CONFIG + block.replace(make_card.END + "\n", "") + "gpu_mem=16\n" + block.replace("dtoverlay=a\n", "dtoverlay=a\narm_freq=900\ndtparam=i2c_arm=on\n"))
        text = self.write_sound_card("dtoverlay=b\n", 2)
        self.assertEqual(text, CONFIG + "gpu_mem=16\n[all]\narm_freq=900\ndtparam=i2c_arm=on\n" + block.replace("=a\n", "=b\n"))
        self.assertEqual(self.write_sound_card("# nothing\n", 2), CONFIG + "gpu_mem=16\n[all]\narm_freq=900\ndtparam=i2c_arm=on\n")

    def test_what_is_wrong_with_a_sound_card_is_reported(self):
        (self.boot / "overlays").mkdir()
        for name in ("hifiberry-dac", "hifiberry-dacplus", "hifiberry-digi", "disable-bt", "i2s-mmap"):
            (self.boot / f"overlays/{name}.dtbo").write_bytes(b"")
        (self.boot / "overlays/overlay_map.dtb").write_bytes(b"\0\0\0\1renamed-dac\0\0\0\0\3")
        for text, why in [
            ("dtoverlay=hifibery-dac", "does not have. Did you mean dtoverlay=hifiberry-dac?"),
            ("dtoverlay=HiFiBerry-Dac", "does not have. Did you mean dtoverlay=hifiberry-dac?"),
            ("dtoverlay=hifibery-dacplus,24db_digital_gain", "Did you mean dtoverlay=hifiberry-dacplus?"),
            ("dtoverlay=nothing-like-it", "names an overlay that this card does not have. The maker"),
            ('dtoverlay="hifiberry-dacplus"', "Write dtoverlay=hifiberry-dacplus."),
            ("dtoverlay=\u201chifiberry-dacplus\u201d", "Write dtoverlay=hifiberry-dacplus."),
            ("dtoverlay=hifiberry-dacplus # my card", "Write dtoverlay=hifiberry-dacplus."),
            ("dtoverlay=hifiberry\u2013dac", "Write dtoverlay=hifiberry-dac."),
            ("dtoverlay=hifiberry-dac dtparam=audio=off", "has two entries"),
            ("dtparam=audio=off,dtoverlay=hifiberry-dac", "has two entries"),
            ("dtoverlay=hifiberry dac", "has a character that overlays and parameters do not have"),
            ("dtoverlay=k\u00e4se", "has a character that overlays and parameters do not have"),
            ("dtoverlay=" + "x" * 300, "has 310 characters; the firmware reads 98"),
            ("hifiberry-dac", "Write dtoverlay=hifiberry-dac."),
            ("password=secretly", "is not understood. Lines"),
            ("secretly", "is not understood. Lines"),
        ]:
            with self.subTest(text):
                text = self.write_sound_card(f"dtparam=i2s=on\n{text}\n", 2)
                self.assertRegex(self.errors(), f"sound-card.txt: line 2 .*{re.escape(why)}")
                self.assertEqual(self.errors().count("sound-card.txt:"), 1)
                self.assertNotIn("secretly", self.errors())
                self.assertEqual(text, CONFIG + f"{make_card.BEGIN}\n[all]\ndtoverlay=\ndtparam=i2s=on\n{make_card.END}\n")
        for line in ("dtoverlay=hifiberry-dac", "dtoverlay = hifiberry-dac", "DTOverlay=hifiberry-dac", "dtoverlay=hifiberry-dac,slave", "dtoverlay=i2s-mmap", "dtoverlay=renamed-dac", "dtparam=audio=off"):
            text = self.write_sound_card(f"{line}\n")
            self.assertIn("\n" + line.replace(" ", "").replace("DTO", "dto") + "\n", text)
            self.assertEqual(self.errors(), "")
        # Overlays of another folder cannot be checked.
        (self.boot / "config.txt").write_text(CONFIG + "overlay_prefix=mine/\n")
        self.write_sound_card("dtoverlay=mine\n")

    def test_lines_that_are_not_in_effect_are_added(self):
        model = self.root / "proc/device-tree/model"
        model.parent.mkdir(parents=True)
        model.write_bytes(b"Raspberry Pi 4 Model B Rev 1.5\0")
        off, dac = "dtparam=audio=off", "dtoverlay=hifiberry-dac"
        for config, missing in [
            (f"{off}\n{dac}\n", []),
            (f"[pi5]\n{dac}\n{off}\n[all]\n", [off, dac]),
            (f"[pi4]\n{dac}\n{off}\n[all]\n", []),
            (f"[pi5]\n[pi4]\n{dac}\n[all]\n{off}\n", []),
            (f"[none]\n{dac}\n[pi4]\n{off}\n", [off, dac]),
            (f"[cm4]\n[tryboot]\n{dac}\n", [off, dac]),
            (f"{off}\ndtparam=audio=on\n[all]\n{dac}\n", [off]),
            (f"dtparam=audio=on\n{off}\n{dac}\n[pi5]\ndtparam=audio=on\n", []),
            (f"{off}\n[gpio4=1]\ndtparam=audio=on\n[all]\n{dac}\n", [off]),
            (f"{off}\ndtparam=i2s=on,audio=on\n{dac}\n", [off]),
            (f"#{off}\n  {dac}  \r\n", [off]),
        ]:
            with self.subTest(config):
                shutil.rmtree(self.root / "var/lib/swiftlet-card", ignore_errors=True)
                (self.boot / "config.txt").write_text(config, newline="")
                self.write_sound_card(f"{off}\n{dac}\n")
                lines = [make_card.BEGIN, "[all]", "dtoverlay=", *missing, make_card.END, ""]
                self.assertEqual((self.boot / "config.txt").read_bytes().decode(), config + ("\n".join(lines) if missing else ""))

    def test_any_config(self):
        chance = random.Random(1)
        pieces = ["[all]", "dtoverlay=hifiberry-dac", "", "\r", make_card.END, "# ü", "dtparam=audio=off", "[pi4]"]
        (self.boot / "sound-card.txt").write_text("dtparam=audio=off\ndtoverlay=hifiberry-dac\n")
        for _ in range(30):
            config = "\n".join(chance.choice(pieces) for _ in range(chance.randrange(6)))
            (self.boot / "config.txt").write_bytes(config.encode())
            shutil.rmtree(self.root / "var/lib/swiftlet-card", ignore_errors=True)
            self.start()
            text = (self.boot / "config.txt").read_bytes().decode()
            self.assertEqual(make_card.without_block(text), config)

    def test_the_settings(self):
        (self.boot / "swiftlet.conf").write_text("set volume.maximum 66\n")
        self.start()
        self.assertEqual((self.root / "var/lib/swiftlet/swiftlet.conf").read_text(), "set volume.maximum 66\n")
        (self.boot / "swiftlet.conf").write_text("wrong\n")
        self.start(2)
        self.start(0 if not self.errors() else 2)
        self.assertIn("1:wrong", self.errors())
        (self.boot / "swiftlet.conf").write_text("set volume.maximum 60\n")
        self.start()
        self.assertEqual(self.errors(), "")

    def test_the_copy_of_the_settings_is_private_and_goes_away(self):
        (self.boot / "swiftlet.conf").write_text("set mqtt.password secretly\n")
        for text in ("set mqtt.password secretly\n", "wrong\n"):
            (self.boot / "swiftlet.conf").write_text(text)
            self.start(None)
            path, mode = (self.root / "var/lib/swiftlet/seen").read_text().split()
            self.assertEqual(mode, "600")
            self.assertFalse(Path(path).parent.exists())
        # A copy of an earlier version is replaced, whatever its mode.
        Path(path).parent.mkdir(mode=0o755)
        Path(path).write_text("old")
        Path(path).chmod(0o644)
        self.start(2)
        self.assertEqual((self.root / "var/lib/swiftlet/seen").read_text().split(), [path, "600"])
        self.assertFalse(Path(path).parent.exists())

    def test_a_settings_file_that_is_deleted_is_passed_on(self):
        (self.boot / "swiftlet.conf").write_text("wrong\n")
        self.start(2)
        (self.boot / "swiftlet.conf").unlink()
        (self.boot / "swiftlet-errors.txt").unlink()
        # The partition is not mounted.
        self.start()
        self.assertTrue((self.root / "var/lib/swiftlet/card.conf").exists())
        (self.boot / "overlays").mkdir()
        for _ in range(3):
            self.start()
            self.assertEqual(self.errors(), "")
            self.assertFalse((self.root / "run/swiftlet-card/errors.txt").exists())
            self.assertFalse((self.root / "var/lib/swiftlet/card.conf").exists())
        # The last two starts had nothing to do.
        (self.root / "var/lib/swiftlet/seen").unlink()
        self.start()
        self.assertFalse((self.root / "var/lib/swiftlet/seen").exists())

    def test_settings_that_cannot_be_applied_are_reported(self):
        (self.boot / "swiftlet.conf").write_text("set volume.maximum 66\n")
        (self.root / "var/lib/swiftlet/breaks").write_text("")
        for _ in range(2):
            self.start(2, quiet=False)
            self.assertIn("swiftlet.conf: the settings were not applied: swiftlet.conf was not stored: full. Switch the box off", self.errors())
            self.assertNotIn("journalctl", self.errors())
        (self.root / "var/lib/swiftlet/breaks").unlink()
        self.start()
        self.assertEqual(self.errors(), "")
        (self.root / "usr/bin/swiftlet").unlink()
        (self.boot / "swiftlet.conf").write_text("set volume.maximum 67\n")
        self.start(2, quiet=False)
        self.assertIn("swiftlet.conf: the settings were not applied", self.errors())

    def test_a_power_cut_at_every_step(self):
        """Whatever has been written before the cut, the next start finishes; files of the card and the system are never
        truncated."""
        (self.stubs / "mv").write_text(CUT)
        (self.stubs / "mv").chmod(0o755)
        counter = self.root / "counter"
        files = {"wifi.txt": "name=home\npassword=password\ncountry=DE\nx=1\n", "sound-card.txt": "dtoverlay=a\n", "swiftlet.conf": "set volume.maximum 66\n"}

        def state():
            names = (NETWORK, "etc/modprobe.d/swiftlet-wifi.conf", "boot/firmware/config.txt", "var/lib/swiftlet/swiftlet.conf", "boot/firmware/swiftlet-errors.txt")
            return {name: (self.root / name).read_bytes() if (self.root / name).exists() else None for name in names}

        def fresh():
            for name in ("var/lib/swiftlet-card", "run/swiftlet-card", "etc/NetworkManager/system-connections", "etc/modprobe.d"):
                shutil.rmtree(self.root / name, ignore_errors=True)
            for name in ("swiftlet.conf", "card.conf"):
                (self.root / "var/lib/swiftlet" / name).unlink(missing_ok=True)
            (self.boot / "swiftlet-errors.txt").unlink(missing_ok=True)
            (self.boot / "config.txt").write_text(CONFIG)
            counter.write_text("0\n")

        for name, text in files.items():
            (self.boot / name).write_text(text)
        fresh()
        before = state()
        self.start(2, COUNTER=str(counter), CUT_AT="-1")
        complete = state()
        steps = int(counter.read_text())
        self.assertGreater(steps, 6)
        for step in range(steps):
            with self.subTest(step):
                fresh()
                self.start(None, COUNTER=str(counter), CUT_AT=str(step))
                for name, data in state().items():
                    self.assertIn(data, (before[name], complete[name]), name)
                self.start(2, COUNTER=str(counter), CUT_AT="-1")
                self.assertEqual(state(), complete)

    # make-card writes what this script reads, or refuses it.

    WORDS = (
        "Home", "Cafe # 1", '"Home"', "'Home'", "\u201eHome\u201c", "\u00abHome\u00bb", "\u2018Home\u2019", '""Home""', '"""', '""""', '"Home', 'Home"', "Jo\u2019s box",
        "#1 House", "a#b #c", "Home #", "My\u00a0home", "My\u3000home", "a\tb", "a\x1bb", "a\x7fb", "a\u0085b", "a\u200bb", "a\u200db", "a\u202eb", "a\u2060b", "a\ufeffb",
        "\ufeffHome", "K\u00e4se", "\U0001f600 net", "a\\b;=", "%s$HOME`id`", "x" * 32, "\u00e4" * 17, "\udce4b", "\uffff", "=", "name=x", "a  b", "a\u2028b", "\u2001#",
        "the password of the network", "12345678", "f" * 64, "g" * 64, "p" * 63, "p" * 65, "{\\rtf", "it's 'q'", "\\s x",
    )  # fmt: skip

    def answers(self, files=None, password="password", **options):
        """The files that make-card writes for these options; None if it refuses them."""
        words = dict({"wifi": None, "country": None, "hidden": False, "timezone": None, "overlay": None}, **options)
        former = dict(os.environ)
        try:
            os.environ["WIFI_PASSWORD"] = "placeholder" if "\0" in password else password
            (self.boot / "cmdline.txt").write_text("rootwait\n")
            answers = make_card.with_answers(files or {"wifi.txt": b"#name=My network\r\n#password=x\r\n#country=DE\r\n#open=yes\r\n"}, argparse.Namespace(**words))
            if options.get("overlay"):
                make_card.Partition(self.boot).check_overlay(re.split("[,:]", options["overlay"])[0])
            return answers
        except make_card.CardError:
            return None
        finally:
            os.environ.clear()
            os.environ.update(former)

    def takes(self, answers, name, password):
        """Whether the box takes the network that make-card wrote, without a report."""
        (self.root / NETWORK).unlink(missing_ok=True)
        shutil.rmtree(self.root / "var/lib/swiftlet-card", ignore_errors=True)
        (self.boot / "wifi.txt").write_bytes(answers["wifi.txt"])
        self.start(None)
        self.assertEqual((self.errors(), self.network()), ("", (name, password)), answers["wifi.txt"])

    def test_what_make_card_writes_is_taken(self):
        refused = set()
        for word in self.WORDS:
            for name, password in ((word, "password"), ("home", word), ("home", word + " 12345")):
                with self.subTest(name=name, password=password):
                    answers = self.answers(wifi=name, password=password, country="DE")
                    if answers:
                        self.takes(answers, name, password)
                    else:
                        refused.add((name, password))
        # What the box takes is not refused.
        for word in self.WORDS[:16]:
            self.assertTrue({(word, "password"), ("home", word + " 12345")}.isdisjoint(refused), word)
        chance = random.Random(3)
        letters = ["\"", "'", "#", " ", "\u00a0", "\u201c", "\u201d", "\u2019", "a", "=", "\\", "\u00ab", "\u2003", "\u00e4"]
        for _ in range(60):
            name = "".join(chance.choice(letters) for _ in range(chance.randrange(1, 9))).strip()
            password = ("".join(chance.choice(letters) for _ in range(chance.randrange(8, 14))) + "ab").strip()
            with self.subTest(name=name, password=password):
                answers = self.answers(wifi=name, password=password, country="DE")
                if name:
                    self.assertIsNotNone(answers)
                    self.takes(answers, name, password)

    def test_what_make_card_writes_into_an_edited_file_is_taken(self):
        for text, code in (
            ("name=Old\r\nopen=yes\r\ncountry=DE\r\n", "utf-8"), ("name=Old\n\n OPEN = yes\ncountry=DE", "utf-8"), ("open=yes\n", "utf-8-sig"),
            ("# f\u00fcr Oma\r\nname=Old\r\npassword=password\r\ncountry=DE\r\n", "cp1252"), ("name=Old\r\npassword=old\r\nhidden=yes\r\n", "utf-8"),
            ("name=Old\rpassword=oldsecret\r# mine\rcountry=DE\ropen=yes\r", "utf-8"), ("# mine\r", "utf-8"), ("name=Old\r\npassword=oldsecret\r\n", "utf-8-sig"),
            ("#name=Old\r\n#password=oldsecret\r\n#country=DE\r\n", "utf-8-sig"), ("name = Old\npassword = old\nCountry = DE", "utf-8"), ("", "utf-8"),
            ("name=Old\0\n", "utf-8"), ("{\\rtf1 name}\n", "utf-8"), ("# x\n" * 20000, "utf-8"), ("name=Old\n", "utf-16"), ("\u00a0name\u00a0=\u00a0Old\n", "utf-8"),
        ):  # fmt: skip
            for name in ("home", "K\u00e4se"):
                with self.subTest(text[:40], code=code, name=name):
                    answers = self.answers({"wifi.txt": text.encode(code)}, wifi=name, country="DE")
                    is_foreign = "\0" in text or "rtf" in text or len(text) > 65536 or code == "utf-16" or code == "cp1252" and not name.isascii()
                    self.assertEqual(answers is None, is_foreign)
                    if answers:
                        self.takes(answers, name, "password")
                        if "# mine" in text:
                            self.assertIn(b"# mine", answers["wifi.txt"])

    def test_what_make_card_writes_as_the_country_is_taken(self):
        codes = Path("/usr/share/zoneinfo/iso3166.tab")
        if codes.exists():
            (self.root / "usr/share/zoneinfo").mkdir(parents=True)
            shutil.copy(codes, self.root / "usr/share/zoneinfo")
            self.assertEqual(set(re.findall("^([A-Z]{2})\t", codes.read_text(), re.M)), make_card.COUNTRIES)
        for country, written in (("DE", "DE"), ("gb", "GB"), ("UK", "GB"), ("uk", "GB"), ("EN", None), ("XX", None), ("", None), ("D", None), ("DEU", None), ("\u00e4\u00e4", None), ("D\n", None)):
            with self.subTest(country):
                answers = self.answers(wifi="home", country=country)
                self.assertEqual(answers and answers["wifi.txt"].decode().split("country=")[1][:2], written)
                if answers:
                    self.takes(answers, "home", "password")

    def test_what_make_card_writes_as_the_overlay_is_taken(self):
        (self.boot / "overlays").mkdir()
        (self.boot / "overlays/hifiberry-dac.dtbo").write_bytes(b"")
        (self.boot / "overlays/overlay_map.dtb").write_bytes(b"\0\0\0\1renamed-dac\0\0\0\0\3")
        for overlay, is_good in (
            ("hifiberry-dac", True), ("hifiberry-dac,slave", True), ("hifiberry-dac,a=b", True), ("renamed-dac", True), ("hifiberry-dacpluss", False),
            ("dtoverlay=hifiberry-dac", False), ("hifiberry-dac,dtparam=audio=off", False), ("hifiberry-dac," + "x" * 90, False), ("hifiberry dac", False), ("", False),
        ):  # fmt: skip
            with self.subTest(overlay):
                answers = self.answers({"sound-card.txt": b"dtoverlay=x\r\n"}, overlay=overlay)
                self.assertEqual(answers is not None, is_good)
                if answers:
                    (self.boot / "sound-card.txt").write_bytes(answers["sound-card.txt"])
                    self.start()
                    self.assertIn(f"\ndtoverlay={overlay}\n", (self.boot / "config.txt").read_text())
        (self.boot / "config.txt").write_text("overlay_prefix=mine/\n")
        self.assertIsNotNone(self.answers({"sound-card.txt": b""}, overlay="mine"))

    NOT_INSTALLED = "Swiftlet was not installed.\r\n\r\nA file was damaged.\r\n\r\nswiftlet/log.txt on this card has the details.\r\n"

    def test_the_report_of_a_failed_first_start_stays(self):
        """As an update of a box that works: the board starts anew after the failure, and this script runs."""
        (self.boot / "swiftlet").mkdir()
        (self.boot / "swiftlet/SHA256SUMS").write_text("a newer folder\n")
        (self.boot / "swiftlet-errors.txt").write_text(self.NOT_INSTALLED, newline="")
        short = self.root / "run/swiftlet-card/errors.txt"
        for _ in range(2):
            self.start(2)
            self.assertEqual(self.errors(), self.NOT_INSTALLED)
            self.assertEqual(short.read_bytes(), b"installation: A file was damaged.\r\n")
        # Reports of this script follow, and go away again.
        (self.boot / "wifi.txt").write_text("nonsense\n")
        (self.boot / "swiftlet.conf").write_text("wrong\n")
        for _ in range(2):
            self.start(2)
            self.assertTrue(self.errors().startswith(self.NOT_INSTALLED + "\r\nSwiftlet could not take all"))
            self.assertEqual(self.errors().count("wifi.txt: line 1"), 1)
            self.assertTrue(short.read_text().startswith("installation: A file was damaged.\nwifi.txt: line 1 "))
        for name in ("wifi.txt", "swiftlet.conf"):
            (self.boot / name).write_text("# nothing\n")
        self.start(2)
        self.assertEqual(self.errors(), self.NOT_INSTALLED)
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0:
            self.assertEqual(self.start_in("size=16k"), 2)
            self.assertEqual(self.errors(), self.NOT_INSTALLED)
        # The folder was installed, or was taken away.
        installed = self.root / "var/lib/swiftlet-card/installed"
        installed.write_text(hashlib.sha256(b"a newer folder\n").hexdigest() + "  -\n")
        self.start()
        self.assertEqual((self.errors(), short.exists()), ("", False))
        installed.unlink()
        (self.boot / "swiftlet-errors.txt").write_text(self.NOT_INSTALLED, newline="")
        self.start(2)
        (self.boot / "swiftlet/SHA256SUMS").unlink()
        self.start()
        self.assertEqual(self.errors(), "")
        # A first start that succeeds names the partition.
        (self.boot / "swiftlet/SHA256SUMS").write_text("a newer folder\n")
        (self.boot / "swiftlet-errors.txt").write_text(self.NOT_INSTALLED, newline="")
        environment = dict(os.environ, SWIFTLET_CARD_ROOT=str(self.root), PATH=f"{self.stubs}:{os.environ['PATH']}")
        subprocess.run(["sh", REPOSITORY / "packaging/card/card", self.boot], env=environment, capture_output=True, check=True)
        self.assertEqual(self.errors(), "")

    # A full work folder: what was applied is complete, what was not is reported, and the next start applies it.

    GOOD = {"wifi.txt": "name=home\r\npassword=password\r\ncountry=DE\r\n", "sound-card.txt": "dtoverlay=a\r\n", "swiftlet.conf": "set volume.maximum 66\r\n"}
    BAD = {
        "wifi.txt": "name=home\r\npassword=password\r\ncountry=DE\r\nx=1\r\nho\bme\r\n", "sound-card.txt": "dtoverlay=a\r\nfaulty\r\nb\bc\r\n",
        "swiftlet.conf": "wrong\r\n", "wifi.txt.txt": "",
    }  # fmt: skip
    OTHER = {
        "wifi.txt": "# \u00fc\r\nname=home\r\nopen=yes\r\ncountry=DE\r\n".encode("cp1252"), "sound-card.txt": "# a\rdtoverlay=b\r", "swiftlet.conf": "",
    }  # fmt: skip
    # Fills the work folder, but for $FREE bytes, when the script has tested that there is room.
    FILL = """#!/bin/sh
[ -z "${FREE:-}" ] || case $* in */room) /bin/rm "$@"; head -c "$((1048576 - FREE))" /dev/zero >"${2%/*}/fill"; exit ;; esac
exec /bin/rm "$@"
"""

    def start_in(self, options, **more):
        """Starts the script with a work folder of that size; returns its status."""
        work = self.root / "work"
        work.mkdir(exist_ok=True)
        (self.stubs / "rm").write_text(self.FILL.replace("${2%/*}", str(work)))
        (self.stubs / "rm").chmod(0o755)
        environment = dict(os.environ, SWIFTLET_CARD_ROOT=str(self.root), PATH=f"{self.stubs}:{os.environ['PATH']}", TMPDIR=str(work), **more)
        words = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o "$1" none "$2" && exec sh "$3"', "-", options, work, REPOSITORY / "packaging/card/card"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        self.said = done.stdout + done.stderr
        return done.returncode

    def applied(self):
        names = (NETWORK, self.PLAN, "etc/modprobe.d/swiftlet-wifi.conf", "boot/firmware/config.txt", "var/lib/swiftlet/swiftlet.conf", "boot/firmware/swiftlet-errors.txt")
        return {name: (self.root / name).read_bytes() if (self.root / name).exists() else None for name in names}

    def put_on_a_new_card(self, files):
        for name in ("var/lib/swiftlet-card", "var/lib/swiftlet", "run/swiftlet-card", "etc", "boot/firmware"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        for name in ("etc/NetworkManager", "var/lib/swiftlet", "boot/firmware"):
            (self.root / name).mkdir(parents=True)
        (self.boot / "config.txt").write_text(CONFIG * 30 + "# no line end")
        for name, text in files.items():
            (self.boot / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def test_every_write_with_a_full_work_folder(self):
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
            self.skipTest("this system permits no mount")
        for title, files, use in (("good", self.GOOD, lambda: None), ("bad", self.BAD, self.use_netplan), ("other", self.OTHER, lambda: None)):
            self.put_on_a_new_card(files)
            use()
            before = self.applied()
            expected = self.start_in("size=8m")
            complete = self.applied()
            self.assertNotEqual(complete["boot/firmware/config.txt"], before["boot/firmware/config.txt"])
            number_of_failures = 0
            for limits in ([("size=16k", {})], [(f"size=8m,nr_inodes={n}", {}) for n in range(2, 60)], [("size=1024k", {"FREE": str(4096 * n)}) for n in range(60)]):
                for options, more in limits:
                    self.put_on_a_new_card(files)
                    use()
                    status = self.start_in(options, **more)
                    now = self.applied()
                    if (status, now) == (expected, complete):
                        break
                    number_of_failures += 1
                    with self.subTest(title, options=options, **more):
                        for name, data in now.items():
                            if name != "boot/firmware/swiftlet-errors.txt":
                                self.assertIn(data, (before[name], complete[name]), f"{name}: {self.said}")
                        self.assertEqual(status, 2, self.said)
                        self.assertIn("the box's disk is full or read-only", self.errors())
                        self.assertIn("all files: ", (self.root / "run/swiftlet-card/errors.txt").read_text())
                        self.assertEqual(self.start_in("size=8m"), expected, self.said)
                        self.assertEqual(self.applied(), complete)
            self.assertGreater(number_of_failures, 10)


if __name__ == "__main__":
    unittest.main()
