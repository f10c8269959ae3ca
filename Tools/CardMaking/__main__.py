"""Prepares a card's boot partition for a first start without network, and takes that back. Started by scripts/make-card."""

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(REPOSITORY / "boards/emulated/harness")]

import card  # noqa: E402
from card import CardError  # noqa: E402
from packages import PackageError, Packages  # noqa: E402
from packages_index import index  # noqa: E402

# What each of the systems has that a card may hold.
PRESENT = ["systemd-sysv", "udev", "apt", "dbus"]
RELEASES = {"bookworm": "deb12", "trixie": "deb13"}


class Partition:
    """A mounted boot partition, or Armbian's folder /boot; knows which files say how the machine starts."""

    def __init__(self, path: Path):
        if not path.is_dir():
            raise CardError(f"There is no folder {path}. Mount the card's boot partition, and name where it is mounted.")
        if (path / "boot/armbianEnv.txt").is_file():
            path = path / "boot"
        self.path = path
        self.is_armbian = (path / "armbianEnv.txt").is_file()
        if not self.is_armbian and not all((path / name).is_file() for name in ("cmdline.txt", "config.txt")):
            raise CardError(
                f"{path} is no boot partition: it has neither cmdline.txt and config.txt (Raspberry Pi OS) nor"
                " armbianEnv.txt (Armbian). On a PC, Raspberry Pi OS's is called bootfs."
            )
        if not os.access(path, os.W_OK):
            raise CardError(f"{path} is not writable. Mount it so that you may write, or use sudo.")

    def changed(self, board: str, overlay: str | None) -> dict[str, str]:
        """The files of the system with what a first start needs."""
        if self.is_armbian:
            return {"armbianEnv.txt": card.with_environment(self.text("armbianEnv.txt"))}
        lines = firmware(board)
        if overlay:
            lines = [f"dtoverlay={overlay}" if line.startswith("dtoverlay=") else line for line in lines]
            if f"dtoverlay={overlay}" not in lines:
                lines.append(f"dtoverlay={overlay}")
        config = self.text("config.txt")
        return {
            "config.txt": card.with_block(config, card.firmware_lines(config, lines)),
            # Last: it is what starts the script.
            "cmdline.txt": card.with_first_start(self.text("cmdline.txt")),
        }

    def restored(self) -> dict[str, str]:
        if self.is_armbian:
            return {"armbianEnv.txt": card.without_environment(self.text("armbianEnv.txt"))}
        return {
            "cmdline.txt": card.without_first_start(self.text("cmdline.txt")),
            "config.txt": card.without_block(self.text("config.txt")),
        }

    def text(self, name: str) -> str:
        # Bytes as they are, also those of line ends.
        return (self.path / name).read_bytes().decode("utf-8", "surrogateescape")


def firmware(board: str) -> list[str]:
    """The lines of a board for its firmware."""
    path = REPOSITORY / "boards" / board / "firmware"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def configuration(board: str) -> str:
    example = (REPOSITORY / "packaging/swiftlet.conf").read_text()
    settings = example.partition("\n\n")[2].replace("# board raspberry-pi-4", f"board {board}")
    return (
        "# The configuration of the box. Edit it on any computer: the first start installs it. Later ones do not look here; the box's own\n"
        "# is /var/lib/swiftlet/swiftlet.conf then. One command per line: see man swiftlet-console, or `swiftlet ctl help`.\n\n" + settings
    )


def prepare(partition: Partition, arguments: argparse.Namespace) -> None:
    board = arguments.board
    if board.startswith("raspberry-pi") == partition.is_armbian and board not in ("generic-linux", "emulated"):
        system = "Armbian" if partition.is_armbian else "Raspberry Pi OS"
        raise CardError(f"The card holds {system}, which the board {board} does not start with.")
    files: dict[str, bytes] = {}
    for debian, mark in RELEASES.items():
        found = sorted(arguments.packages.glob(f"swiftlet_*~{mark}_arm64.deb"), key=lambda path: path.stat().st_mtime)
        if not found or arguments.debian not in (None, debian):
            continue
        needed = Packages(arguments.cache / debian / "arm64/card", debian).beyond(PRESENT, str(found[-1].resolve()))
        for package in [found[-1], *needed]:
            files[f"swiftlet/{debian}/{package.name}"] = package.read_bytes()
        files[f"swiftlet/{debian}/Packages"] = index([found[-1], *needed]).encode()
        print(f"make-card: {debian}: {found[-1].name} and {len(needed)} packages that it depends on")
    if not files:
        raise CardError(f"{arguments.packages} has no arm64 package of Swiftlet for {arguments.debian or 'bookworm or trixie'}.")
    files["swiftlet/first-start"] = (REPOSITORY / "packaging/first-start").read_bytes()
    sums = (f"{hashlib.sha256(data).hexdigest()}  {name.removeprefix('swiftlet/')}\n" for name, data in sorted(files.items()))
    files["swiftlet/SHA256SUMS"] = "".join(sums).encode()
    # What was put there for a person to edit: a second run keeps it.
    offered = configuration(board).encode()
    files["swiftlet/swiftlet.conf.offered"] = offered
    theirs = partition.path / "swiftlet.conf"
    before = partition.path / "swiftlet/swiftlet.conf.offered"
    is_edited = theirs.exists() and not (before.exists() and before.read_bytes() == theirs.read_bytes())
    if is_edited:
        print(f"make-card: keeps {theirs}, which was edited")
    else:
        files["swiftlet.conf"] = offered
    for name, text in partition.changed(board, arguments.overlay).items():
        files[name] = text.encode("utf-8", "surrogateescape")
    check_room(partition.path, files)
    written = sum(write(partition.path / name, data) for name, data in files.items())
    for path in sorted((partition.path / "swiftlet").rglob("*")):
        # Of an earlier version; the log is of interest.
        if path.is_file() and str(path.relative_to(partition.path)) not in files and path.name != "log.txt":
            path.unlink()
            written += 1
    os.sync()
    print(
        f"make-card: {partition.path} is ready for {board}" + (f", {written} files written" if written else " and was: nothing to do")
        + f". Edit {theirs} if you like, put the card in, and power the board: it starts twice, and plays."
    )  # fmt: skip


def undo(partition: Partition) -> None:
    for name, text in partition.restored().items():
        write(partition.path / name, text.encode("utf-8", "surrogateescape"))
    folder, theirs = partition.path / "swiftlet", partition.path / "swiftlet.conf"
    offered = folder / "swiftlet.conf.offered"
    if theirs.exists() and offered.exists() and offered.read_bytes() == theirs.read_bytes():
        theirs.unlink()
    elif theirs.exists():
        print(f"make-card: keeps {theirs}, which was edited; delete it if you do not want it")
    shutil.rmtree(folder, ignore_errors=True)
    os.sync()
    print(f"make-card: {partition.path} is as it was")


def check_room(partition: Path, files: dict[str, bytes]) -> None:
    block = os.statvfs(partition)
    size = max(block.f_frsize, 512)
    more = sum(
        -(-len(data) // size) * size
        for name, data in files.items()
        if not (partition / name).exists() or (partition / name).read_bytes() != data
    )
    free = block.f_bavail * size
    if more + (1 << 20) > free:
        raise CardError(f"{partition} has {free / 1e6:.0f} MB left, and {more / 1e6 + 1:.0f} MB are needed. Name one release with --debian.")


def write(path: Path, data: bytes) -> bool:
    """Writes a file unless it is so already; a card that is pulled meanwhile has the one or the other."""
    if path.exists() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".new")
    with open(unfinished, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if path.name == "first-start":
        unfinished.chmod(0o755)
    unfinished.replace(path)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/make-card", add_help=False)
    parser.add_argument("board")
    parser.add_argument("partition", type=Path)
    parser.add_argument("--undo", action="store_true")
    parser.add_argument("--overlay")
    parser.add_argument("--debian", choices=list(RELEASES))
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".board")
    arguments = parser.parse_args()
    try:
        if not (REPOSITORY / "boards" / arguments.board / "profile").is_file():
            raise CardError(f"There is no board {arguments.board}; `ls boards` lists them.")
        partition = Partition(arguments.partition)
        undo(partition) if arguments.undo else prepare(partition, arguments)
    except (CardError, PackageError) as error:
        print(f"make-card: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make-card: {error.filename or arguments.partition}: {error.strerror}. Is the card still there?", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
