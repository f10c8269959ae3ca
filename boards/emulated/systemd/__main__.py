"""Runs scenarios on the emulated board under systemd. Started by scripts/test-systemd; see its usage text."""

import argparse
import hashlib
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "harness")]

import failure  # noqa: E402
from board import Board  # noqa: E402
from disk import Disk, make_stick  # noqa: E402
from packages import Packages  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

# Packages already on the disk; see scripts/debian-root.
PRESENT = ["systemd-sysv", "udev", "kmod", "dbus", "apt"]
# Packages that the documentation lets users install from Debian. The board has no network; apt finds them in a folder
# of the host.
RECEIVERS = ["shairport-sync", "avahi-daemon", "bluez", "bluez-alsa-utils", "alsa-utils"]


def main() -> int:
    arguments = parse()
    if arguments.list:
        for scenario in SCENARIOS:
            print(f"  {scenario.name:14} {scenario.title}")
        return 0
    known = {scenario.name: scenario for scenario in SCENARIOS}
    for name in arguments.scenarios:
        if name not in known:
            print(f"test-systemd: there is no scenario {name}; --list shows them", file=sys.stderr)
            return 64
    chosen = [scenario for scenario in SCENARIOS if not arguments.scenarios or scenario.name in arguments.scenarios]
    if arguments.debian == "bookworm":
        left_out = [scenario.name for scenario in chosen if scenario.needs == "cloud-init"]
        if left_out and arguments.scenarios:
            print(f"test-systemd: {', '.join(left_out)} needs cloud-init: SWIFTLET_DEBIAN=trixie scripts/test-systemd …", file=sys.stderr)
            return 64
        chosen = [scenario for scenario in chosen if scenario.needs != "cloud-init"]
    work = arguments.work.resolve()
    began = time.monotonic()
    packages = Packages(work / "apt", arguments.debian)
    disk = Disk(arguments.root.resolve(), work, HERE.parent / "shell")
    if disk.make(packages):
        say(f"made {disk.pristine.name} in {time.monotonic() - began:.0f} s")
    share = work / "share"
    needed = share / "needed"
    needed.mkdir(exist_ok=True)
    for package in packages.beyond(PRESENT, str(arguments.deb.resolve())):
        shutil.copy(package, needed)
    make_repository(share / "receivers", packages.beyond(PRESENT, *RECEIVERS))

    board = Board(disk, share, work, say)
    board.stick = make_music_stick(work, share / "music/long.wav")
    board.deb = arguments.deb.resolve()
    board.debian = arguments.debian
    rows = []
    try:
        for scenario in chosen:
            rows.append(run(scenario, known["install"], board, work))
    finally:
        board.power_cut()
        board.disk.unlink(missing_ok=True)
    failed = sum(not passed for _, passed, _ in rows)
    say(f"{len(rows) - failed} of {len(rows)} scenarios passed in {time.monotonic() - began:.0f} s")
    if failed or arguments.keep:
        say(f"logs are in {work}/boot-*")
    else:
        for folder in work.glob("boot-*"):
            shutil.rmtree(folder)
    return 1 if failed else 0


def make_repository(folder: Path, packages: list[Path]) -> None:
    """Makes a folder from which apt can install packages: `deb [trusted=yes] file:FOLDER ./`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    entries = []
    for package in packages:
        shutil.copy(package, folder)
        fields = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout.strip()
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
        entries.append(f"{fields}\nFilename: ./{package.name}\nSize: {package.stat().st_size}\nSHA256: {digest}\n")
    (folder / "Packages").write_text("\n".join(entries))


def make_music_stick(work: Path, music: Path) -> Path:
    """Makes a USB stick with music, one file with a non-ASCII name, and a program that must not be executable."""
    folder = work / "stick"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(music, folder / "long.wav")
    # A minute is enough, and the stick has 24 MB.
    with open(music, "rb") as file:
        (folder / "Käse.wav").write_bytes(file.read(2_000_000))
    (folder / "program").write_text("#!/bin/sh\nexit 0\n")
    image = work / "stick.img"
    make_stick(image, sorted(folder.iterdir()), megabytes=32)
    return image


def run(scenario, install, board: Board, work: Path) -> tuple[str, bool, float]:
    """Runs a scenario and reports its result."""
    began = time.monotonic()
    notes: list[str] = []
    try:
        if scenario.needs_box:
            if not board.is_installed:
                ready(board, fresh=True)
                install.run(board, lambda text: None)
            ready(board, fresh=False)
        elif scenario.name == "install":
            ready(board, fresh=True)
        began = time.monotonic()
        scenario.run(board, notes.append)
    except Exception as error:
        seconds = time.monotonic() - began
        failure.report(error, scenario.name, seconds, work, board.last_words(), say)
        # Reboot before the next scenario, with a new disk if this one was about installation.
        if scenario.needs_box and scenario.name != "purge":
            board.power_cut()
        else:
            board.renew()
        return scenario.name, False, seconds
    seconds = time.monotonic() - began
    say(f"passed  {scenario.name:14} {seconds:6.1f} s  {'; '.join(notes)}")
    return scenario.name, True, seconds


def ready(board: Board, fresh: bool) -> None:
    if fresh:
        board.renew()
    if not board.process:
        began = time.monotonic()
        board.power_on()
        say(f"booted in {time.monotonic() - began:.1f} s")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/test-systemd", add_help=False)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--deb", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--debian", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def say(text: str) -> None:
    print(f"test-systemd: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
