"""Tests of packaging/update in a folder of its own, with substitutes for apt, dpkg, the daemon and systemctl: power
cuts, packages that the user installs meanwhile, damaged packages and files, full disks, and clocks that are wrong. Run
by scripts/test-packages, whose scenarios use the real programs."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = ("swiftlet", "swiftlet-http")
# A package is a file that contains its name and version. $BOX/installed has the lines of dpkg-query.
STUBS = {
    "swiftlet": """
version=$(awk '$1 == "swiftlet" { print $2 }' "$BOX/installed")
! grep -qx "$version" "$BOX/bad" && [ ! -e "$BOX/stopped" ] || exit 1
printf '  active: %s\\n  updates: due\\n  output: hw:0\\n' "$(cat "$BOX/active")"
""",
    "systemctl": """
case $1 in
  show) cat "$BOX/pid" ;;
  stop) : >"$BOX/stopped" ;;
  start) rm -f "$BOX/stopped" ;;
  restart) rm -f "$BOX/stopped"; echo more >>"$BOX/pid" ;;
  is-active) [ ! -e "$BOX/stopped" ] ;;
esac
""",
    "dpkg-query": """
for name; do :; done
case "$*" in
  *Abbrev*) awk -v name="$name" '$1 == name { printf "%s %s ", $2, $3 == "installed" ? "ii" : "iF" }' "$BOX/installed" ;;
  *) cat "$BOX/installed" ;;
esac
""",
    # Installs files, and fails for the first damaged one; $BOX/hook runs before.
    "dpkg": """
case "$*" in
  *--print-architecture*) echo amd64; exit ;;
  *--compare-versions*) exec /usr/bin/dpkg "$@" ;;
  *--audit*) [ ! -e "$BOX/busy" ] || echo "half configured: tzdata"; grep -v 'installed$' "$BOX/installed"; exit 0 ;;
  *--configure*) [ ! -e "$BOX/busy" ] || { cat "$BOX/busy"; exit 2; }; sed -i 's/ half$/ installed/' "$BOX/installed"; rm -f "$BOX/updates"/*; exit ;;
esac
echo "dpkg $*" >>"$BOX/calls"
[ ! -x "$BOX/hook" ] || { "$BOX/hook" || exit 2; }
for file; do
  case $file in
    *.deb)
      read -r name version <"$file" || { echo "dpkg-deb: error: '$file' is not a Debian format archive"; exit 1; }
      sed -i "s/^$name .*/$name $version installed/" "$BOX/installed" ;;
  esac
done
echo more >>"$BOX/pid"
""",
    # Installs files in the same way. $BOX/cut cuts the power after the first package, $BOX/fails fails with its text.
    "apt-get": """
case "$*" in
  *' update'*) [ ! -e "$BOX/unreachable" ] || { echo "E: Temporary failure resolving x"; exit 100; }; exit 0 ;;
  *download*)
    for wanted; do :; done
    echo "$wanted" >>"$BOX/downloads"
    [ ! -e "$BOX/offline" ] || { echo "E: Failed to fetch it"; exit 100; } >&2
    echo "${wanted%%=*} ${wanted#*=}" >"./${wanted%%=*}.deb"
    exit ;;
esac
for file; do
  case $file in
    *.deb)
      read -r name version <"$file" || { echo "E: $file is damaged"; exit 100; }
      present=$(awk -v name="$name" '$1 == name { print $2 }' "$BOX/installed")
      ! /usr/bin/dpkg --compare-versions "$version" lt "$present" || { echo "E: Packages were downgraded"; exit 100; } ;;
  esac
done
case "$*" in *--simulate*) exit 0 ;; esac
echo "apt-get $*" >>"$BOX/calls"
[ ! -e "$BOX/fails" ] || { cat "$BOX/fails"; exit 100; }
for file; do
  case $file in
    *.deb)
      read -r name version <"$file"
      sed -i "s/^$name .*/$name $version installed/" "$BOX/installed"
      [ ! -e "$BOX/cut" ] || { sed -i "s/^$name .*/$name $version half/" "$BOX/installed"; kill -KILL $PPID; exit; } ;;
  esac
done
echo more >>"$BOX/pid"
""",
    "apt-cache": """
for name; do :; done
case "$*" in
  *madison*) awk -v name="$name" '$1 == name { print name " | " $2 " | x" }' "$BOX/offered" ;;
  *show*) ! grep -qx "${name%%=*} ${name#*=}" "$BOX/offered" || echo "SHA256: $(echo "${name%%=*} ${name#*=}" | sha256sum | cut -d' ' -f1)" ;;
esac
""",
    "apt-mark": "",
    # Fails like a full disk, for files whose name contains the words of $BOX/full.
    "sync": """
for file; do :; done
[ ! -e "$BOX/full" ] || case $file in *"$(cat "$BOX/full")"*) echo "sync: error syncing '$file': No space left on device" >&2; exit 1 ;; esac
""",
}


class UpdateTest(unittest.TestCase):
    def setUp(self):
        self.box = Path(tempfile.mkdtemp(prefix="box"))
        self.addCleanup(shutil.rmtree, self.box)
        for name in ("stubs", "state", "shown", "memory", "etc", "updates"):
            (self.box / name).mkdir()
        self.state = self.box / "state"
        script = (REPOSITORY / "packaging/update").read_text()
        for before, after in (
            ("PATH=/usr/sbin:", f"PATH={self.box}/stubs:/usr/sbin:"),
            ("\nsources=/etc/apt/sources.list.d/", f"\nsources={self.box}/etc/"),
            ("\nstate=/var/lib/swiftlet-update\n", f"\nstate={self.state}\n"),
            ("\nshown=/run/swiftlet-update\n", f"\nshown={self.box}/shown\n"),
            ("\nmemory=/var/lib/swiftlet\n", f"\nmemory={self.box}/memory\n"),
            ("setpriv --reuid swiftlet --regid swiftlet --clear-groups ", ""),
            ("/var/lib/dpkg/updates", f"{self.box}/updates"),
            ("sleep 10\n", "sleep 0.1\n"),
            ("sleep 2\n", "sleep 0.1\n"),
            ("sleep 5\n", "sleep 0.1\n"),
        ):
            self.assertIn(before, script)
            script = script.replace(before, after)
        # These exist since the clock is not used any more.
        script = script.replace("/proc/sys/kernel/random/boot_id", f"{self.box}/boot_id").replace("/proc/uptime", f"{self.box}/uptime")
        (self.box / "update").write_text(script)
        for name, text in STUBS.items():
            (self.box / "stubs" / name).write_text("#!/bin/sh\n" + text)
            (self.box / "stubs" / name).chmod(0o755)
        self.put("etc/swiftlet.sources", "")
        self.put("memory/checkpoint", "before\n")
        self.put("bad", "")
        self.put("active", "no\n")
        self.put("pid", "one\n")
        self.put("boot_id", "first\n")
        self.put("uptime", "1000.00 1.00\n")
        self.installs("0.1")
        self.offers("0.2", "0.1")

    def put(self, name, text):
        (self.box / name).write_text(text)

    def read(self, name):
        path = self.box / name
        return path.read_text() if path.exists() else ""

    def installs(self, *versions):
        versions = versions if len(versions) > 1 else versions * 2
        self.put("installed", "".join(f"{name} {version} installed\n" for name, version in zip(NAMES, versions)))

    def offers(self, *versions):
        self.put("offered", "".join(f"{name} {version}\n" for name in NAMES for version in versions))
        (self.state / "night").unlink(missing_ok=True)

    def update(self, *words, expected=None):
        environment = dict(os.environ, BOX=str(self.box), SWIFTLET_UPDATE_START="1", SWIFTLET_UPDATE_PROBATION="1")
        done = subprocess.run(["sh", self.box / "update", *words], env=environment, capture_output=True, text=True, cwd=self.box)
        said = done.stdout + done.stderr
        if expected is not None:
            self.assertEqual(done.returncode, expected, said)
        return said

    def is_installed(self, *versions):
        versions = versions if len(versions) > 1 else versions * 2
        self.assertEqual(self.read("installed"), "".join(f"{name} {version} installed\n" for name, version in zip(NAMES, versions)))

    def cut_power_in_dpkg(self):
        self.put("cut", "")
        self.update()
        (self.box / "cut").unlink()
        self.assertIn("half", self.read("installed"))

    def is_over(self, refused=""):
        self.assertEqual(self.read("state/refused"), refused)
        for name in ("attempt", "back", "memory.tar", "memory.time", "tries"):
            self.assertFalse((self.state / name).exists(), name)
        self.assertFalse((self.box / "shown/quiet").exists())
        self.assertFalse((self.box / "stopped").exists())

    def kept(self, name="swiftlet", version="0.1"):
        return self.state / f"kept/{name}_{version}_amd64.deb"

    def test_update(self):
        self.update(expected=0)
        self.is_installed("0.2")
        self.is_over()
        self.assertIn("Swiftlet 0.2 is installed and works", self.read("shown/result"))
        self.assertEqual(self.read("shown/result"), self.read("state/result"))

    def test_bad_version(self):
        self.put("bad", "0.2\n")
        self.assertIn("0.1 is installed again, and 0.2 is not tried any more", self.update(expected=1))
        self.is_installed("0.1")
        self.is_over("0.2\n")
        self.offers("0.2", "0.1")
        self.assertIn("is not tried again", self.update(expected=0))

    def test_power_cut(self):
        self.cut_power_in_dpkg()
        self.update(expected=0)
        self.is_installed("0.2")
        self.is_over()

    def test_power_cut_after_the_last_step(self):
        # All packages are configured, and dpkg's journal has entries, for which apt would refuse to work.
        for present in ("0.2", "0.1"):
            self.put("state/attempt", "output had_output\nfrom swiftlet 0.1\nto swiftlet 0.2\nfrom swiftlet-http 0.1\nto swiftlet-http 0.2\n")
            self.put("updates/0000", "Package: swiftlet\n")
            self.installs(present)
            self.update(expected=0)
            self.assertEqual(list((self.box / "updates").iterdir()), [])
            self.is_installed("0.2")
            self.is_over()

    # The result that is shown.

    def test_result_of_a_failed_night_ends_with_a_good_one(self):
        for name, text, offered in (("unreachable", "", ("0.1",)), ("offline", "", ("0.2", "0.1")), ("full", "night", ("0.2", "0.1")), ("busy", "dpkg: error: no\n", ("0.1",)), ("none", "", ("0.2",))):
            for is_restarted in (False, True):
                with self.subTest(name, is_restarted=is_restarted):
                    shutil.rmtree(self.state / "kept", ignore_errors=True)
                    self.installs("0.1")
                    self.offers(*offered)
                    self.put(name, text)
                    self.update(expected=1)
                    self.assertNotEqual(self.read("shown/result"), "")
                    (self.box / name).unlink()
                    if is_restarted:
                        shutil.rmtree(self.box / "shown")
                    # The version is installed by hand, or was withdrawn.
                    self.installs(offered[0])
                    self.offers(*offered)
                    self.update(expected=0)
                    self.assertEqual(self.read("shown/result") + self.read("state/result"), "")

    def test_result_of_an_update_stays(self):
        self.update(expected=0)
        result = self.read("shown/result")
        for _ in range(2):
            self.offers("0.2", "0.1")
            self.update(expected=0)
            self.assertEqual((self.read("shown/result"), self.read("state/result")), (result, result))

    def test_result_of_a_refused_version_stays(self):
        self.put("bad", "0.2\n")
        self.update(expected=1)
        result = self.read("shown/result")
        self.assertIn("0.1 is installed again", result)
        self.offers("0.2", "0.1")
        self.update(expected=0)
        self.assertEqual(self.read("shown/result"), result)
        # A failed night is over, and the version is not.
        self.put("unreachable", "")
        self.offers("0.2", "0.1")
        self.update(expected=1)
        (self.box / "unreachable").unlink()
        self.update(expected=0)
        self.assertIn("Swiftlet 0.2 did not work on this box, and is not tried again\n", self.read("shown/result"))
        # The next version is a repaired one.
        self.installs("0.3")
        self.offers("0.3")
        self.update(expected=0)
        self.assertEqual(self.read("shown/result") + self.read("state/result"), "")

    def test_another_package_manager_is_no_fault(self):
        for text in ("dpkg: error: dpkg frontend lock was locked by another process with pid 812", "E: Could not get lock /var/lib/dpkg/lock"):
            self.put("busy", text + "\n")
            self.offers("0.2", "0.1")
            for words in ((), ("now",)):
                self.assertIn("Another apt or dpkg is at work", self.update(*words, expected=0))
            self.assertEqual(self.read("shown/result") + self.read("state/result"), "")
            self.is_installed("0.1")
        (self.box / "busy").unlink()
        self.update(expected=0)
        self.is_installed("0.2")

    # Packages that the user installs.

    def test_user_installs_another_version(self):
        for versions in (("0.3", "0.3"), ("0.3", "0.1")):
            with self.subTest(versions):
                self.installs("0.1")
                self.offers("0.2", "0.1")
                self.cut_power_in_dpkg()
                self.put("active", "yes\n")
                self.assertIn("continues when the music has ended", self.update(expected=0))
                self.installs(*versions)
                self.put("active", "no\n")
                self.put("calls", "")
                self.offers("0.3", "0.2", "0.1")
                self.assertIn("The update to Swiftlet 0.2 ended: swiftlet 0.3 was installed by hand", self.update())
                self.is_installed(*versions)
                self.assertEqual(self.read("calls"), "")
                self.is_over()

    def test_user_removes_a_package(self):
        self.cut_power_in_dpkg()
        self.put("installed", "swiftlet 0.2 installed\n")
        self.offers("0.2", "0.1")
        self.assertIn("swiftlet-http was removed by hand", self.update())
        self.assertEqual(self.read("installed"), "swiftlet 0.2 installed\n")

    def test_user_installs_another_version_before_the_way_back(self):
        self.put("bad", "0.2\n")
        # The way back fails once.
        self.put("hook", "#!/bin/sh\nexit 2\n")
        (self.box / "hook").chmod(0o755)
        self.update(expected=1)
        self.assertTrue((self.state / "back").exists())
        (self.box / "hook").unlink()
        self.installs("0.3")
        self.offers("0.3", "0.2")
        self.update(expected=0)
        self.is_installed("0.3")
        self.is_over("0.2\n")

    def test_user_installs_another_version_during_the_update(self):
        # apt of the user has the lock, and finishes while the way back waits for it.
        self.put("bad", "0.2\n")
        text = "".join(f"{name} 0.3 installed\\n" for name in NAMES)
        self.put("hook", f"#!/bin/sh\nprintf '{text}' >$BOX/installed\necho 'dpkg: error: dpkg frontend lock was locked by another process'\nexit 2\n")
        (self.box / "hook").chmod(0o755)
        self.update(expected=1)
        self.is_installed("0.3")
        self.is_over("0.2\n")

    # Kept packages.

    def test_checksums_are_kept(self):
        self.update(expected=0)
        for name in NAMES:
            stated = self.kept(name, "0.2").with_name(self.kept(name, "0.2").name + ".sha256").read_text().strip()
            self.assertEqual(stated, hashlib.sha256(self.kept(name, "0.2").read_bytes()).hexdigest())

    def test_damaged_kept_package_is_downloaded_again(self):
        self.update(expected=0)
        for damage in ("", "swiftlet 0.2"):
            self.installs("0.2")
            self.kept(version="0.2").write_text(damage)
            self.offers("0.3", "0.2")
            self.put("bad", "0.3\n")
            (self.state / "refused").unlink(missing_ok=True)
            self.assertIn("0.2 is installed again", self.update(expected=1))
            self.is_installed("0.2")
            self.is_over("0.3\n")

    def test_no_update_without_a_way_back(self):
        self.update(expected=0)
        self.kept(version="0.2").write_text("")
        self.offers("0.3")
        said = self.update(expected=1)
        self.assertIn("Swiftlet 0.3 was not installed: the kept ", said)
        self.assertIn("is damaged, and swiftlet 0.2 is not in the package source", said)
        self.is_installed("0.2")

    def test_kept_package_is_damaged_during_the_attempt(self):
        # A power cut may also damage what is kept.
        self.cut_power_in_dpkg()
        self.kept(version="0.2").write_text("")
        self.kept("swiftlet-http").write_text("")
        self.update(expected=0)
        self.is_installed("0.2")
        self.is_over()

    def test_new_package_is_damaged_and_offline(self):
        self.cut_power_in_dpkg()
        self.kept(version="0.2").write_text("")
        self.put("offline", "")
        self.assertIn("Swiftlet 0.2 could not be installed (", self.update(expected=1))
        self.is_installed("0.1")
        self.is_over()

    def test_failed_download_leaves_nothing(self):
        self.put("offline", "")
        self.assertIn("cannot be downloaded: E: Failed to fetch it", self.update(expected=1))
        self.assertEqual(list(self.state.glob("kept/*.new")) + list(self.state.glob("download")), [])
        (self.box / "offline").unlink()
        self.update(expected=0)
        self.is_installed("0.2")

    def test_both_packages_are_damaged_and_offline(self):
        self.cut_power_in_dpkg()
        for name in NAMES:
            self.kept(name, "0.1").write_text("")
            self.kept(name, "0.2").write_text("")
        self.put("offline", "")
        said = self.update(expected=1)
        self.assertIn("cannot be installed again: the kept ", said)
        self.assertEqual(self.read("state/refused"), "")
        (self.box / "offline").unlink()
        self.update(expected=1)
        self.is_installed("0.1")
        self.is_over()

    def test_box_that_is_many_versions_behind(self):
        # While no newer version is there, the box keeps the packages of its own.
        self.offers("0.1")
        self.update(expected=0)
        self.assertTrue(self.kept().exists() and self.kept("swiftlet-http").exists())
        self.offers("0.9", "0.8")
        self.put("downloads", "")
        self.put("bad", "0.9\n")
        self.update(expected=1)
        self.is_installed("0.1")
        self.assertNotIn("0.1", self.read("downloads"))
        self.offers("1.0", "0.9")
        self.update(expected=0)
        self.is_installed("1.0")

    def test_box_without_its_version(self):
        self.offers("0.9", "0.8")
        said = self.update(expected=1)
        self.assertIn("swiftlet 0.1 is not in the package source", said)
        self.assertIn("sudo apt install --only-upgrade 'swiftlet*'", said)
        self.is_installed("0.1")

    # Files that cannot be written.

    def test_files_that_cannot_be_stored(self):
        for name in ("tries", "attempt", "night"):
            for kind, cause in (("full", "No space left on device. Free some space there"), ("cannot be synced", "No space"), ("folder", "Is a directory")):
                with self.subTest(name=name, kind=kind):
                    path = self.state / f"{name}.new"
                    if kind == "full":
                        path.symlink_to("/dev/full")
                    elif kind == "folder":
                        (path / "x").mkdir(parents=True)
                    else:
                        self.put("full", name)
                    self.assertRegex(self.update(expected=1), rf"Swiftlet 0.2 was not installed: cannot store \S*/{name}: {cause}")
                    self.assertIn("cannot store", self.read("shown/result"))
                    self.is_installed("0.1")
                    self.assertEqual(self.read("calls"), "")
                    self.is_over()
                    shutil.rmtree(path, ignore_errors=True)
                    (self.box / "full").unlink(missing_ok=True)
                    self.offers("0.2", "0.1")
        self.update(expected=0)
        self.is_installed("0.2")
        self.is_over()

    def test_folders_in_the_place_of_files(self):
        for name in ("tries", "night", "memory.tar", "memory.time"):
            (self.state / name / "x").mkdir(parents=True)
            self.assertIn("Swiftlet 0.2 was not installed: ", self.update(expected=1), name)
            self.is_installed("0.1")
            self.assertEqual(self.read("calls") + self.read("state/refused"), "")
            shutil.rmtree(self.state / name)
            self.offers("0.2", "0.1")
        # A damaged attempt is dropped.
        (self.state / "attempt/x").mkdir(parents=True)
        self.assertIn("attempt is damaged", self.update(expected=0))
        self.is_installed("0.2")
        self.is_over()

    def test_tries_cannot_be_stored_after_a_power_cut(self):
        self.cut_power_in_dpkg()
        self.put("full", "tries")
        for _ in range(5):
            self.assertIn("cannot store", self.update(expected=1))
        self.assertEqual(self.read("state/refused"), "")
        self.assertTrue((self.state / "attempt").exists())
        (self.box / "full").unlink()
        self.update(expected=0)
        self.is_installed("0.2")

    def test_result_that_cannot_be_stored(self):
        self.put("full", "result")
        self.update(expected=0)
        self.assertIn("is installed and works", self.read("shown/result"))

    def test_memory_that_cannot_be_stored(self):
        for name in ("memory.tar", "memory.time"):
            self.put("full", name)
            self.offers("0.2", "0.1")
            self.assertIn(f"Swiftlet 0.2 was not installed: cannot store {self.state}/{name}", self.update(expected=1))
            self.is_installed("0.1")
            self.is_over()
            self.assertEqual(list(self.state.glob("*.new")), [])
        (self.box / "full").unlink()
        self.assertEqual(self.read("state/refused"), "")

    def test_faults_of_the_box_do_not_refuse_the_version(self):
        for text in (
            "dpkg: error processing archive x: failed to write: No space left on device",
            "E: Could not get lock /var/lib/dpkg/lock-frontend",
            "E: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'",
            "dpkg: error: unable to open '/var/lib/dpkg/x': Read-only file system",
        ):
            self.put("fails", text + "\n")
            self.offers("0.2", "0.1")
            said = self.update(expected=1)
            self.assertIn("Swiftlet 0.2 was not installed: it cannot be installed: " + text, said)
            self.is_installed("0.1")
            self.is_over()
        # The output could not be written.
        self.put("fails", "")
        self.offers("0.2", "0.1")
        self.assertIn("Swiftlet 0.2 was not installed: it cannot be installed", self.update(expected=1))
        self.is_over()
        self.put("fails", "dpkg: error processing package swiftlet (--configure): planted\n")
        self.offers("0.2", "0.1")
        self.assertIn("0.2 is not tried any more", self.update(expected=1))
        self.is_over("0.2\n")

    # The saved state.

    def go_back_after(self, change):
        """Cuts the power in dpkg, and installs a version that does not work; returns the box's state after that."""
        self.cut_power_in_dpkg()
        self.put("memory/checkpoint", "damaged by 0.2\n")
        change()
        self.put("bad", "0.2\n")
        self.update(expected=1)
        self.is_installed("0.1")
        self.is_over("0.2\n")
        return self.read("memory/checkpoint")

    def test_state_is_restored(self):
        self.assertEqual(self.go_back_after(lambda: None), "before\n")

    def test_state_is_restored_whatever_the_clock_says(self):
        self.assertEqual(self.go_back_after(lambda: os.utime(self.state / "memory.tar", (0, 0))), "before\n")

    def test_state_of_the_future_is_old_when_the_box_ran_on(self):
        def change():
            os.utime(self.state / "memory.tar", (4e9, 4e9))
            self.put("uptime", "4700.00 1.00\n")
        self.assertEqual(self.go_back_after(change), "damaged by 0.2\n")

    def test_state_is_restored_after_a_start(self):
        def change():
            self.put("boot_id", "second\n")
            self.put("uptime", "120.00 1.00\n")
        self.assertEqual(self.go_back_after(change), "before\n")

    def test_state_is_old_an_hour_after_a_start(self):
        def change():
            self.put("boot_id", "second\n")
            self.put("uptime", "3700.00 1.00\n")
        self.assertEqual(self.go_back_after(change), "damaged by 0.2\n")

    def test_state_is_old_when_music_has_played(self):
        def change():
            self.put("active", "yes\n")
            self.update(expected=0)
            self.put("active", "no\n")
        self.assertEqual(self.go_back_after(change), "damaged by 0.2\n")

    def test_damaged_time(self):
        for text in ("", "first\n", "first x\n", "first 99999 x\n", "\0\0\0"):
            self.setUp()
            self.assertEqual(self.go_back_after(lambda: self.put("state/memory.time", text)), "damaged by 0.2\n", text)

    # Damaged files.

    def test_damaged_attempt(self):
        whole = "output had_output\nfrom swiftlet 0.1\nto swiftlet 0.2\nfrom swiftlet-http 0.1\nto swiftlet-http 0.2\n"
        for text in ("", "\n", "\0\0\0\0", whole[:60], whole.replace("output had_output\n", ""), whole.replace(" 0.2\nfrom", "\nfrom"), "from swiftlet 0.1\n"):
            self.installs("0.1")
            self.offers("0.2", "0.1")
            self.put("state/attempt", text)
            said = self.update(expected=0)
            self.assertIn("attempt is damaged", said)
            self.assertNotIn("Swiftlet  ", said)
            self.is_installed("0.2")
            self.is_over()

    def test_damaged_back(self):
        self.cut_power_in_dpkg()
        self.put("state/back", "")
        self.assertIn("does not work (unknown)", self.update(expected=1))
        self.is_installed("0.1")

    def test_damaged_tries(self):
        self.put("state/tries", "0.2 x*\n\0\n")
        self.update(expected=0)
        self.is_installed("0.2")


if __name__ == "__main__":
    unittest.main()
