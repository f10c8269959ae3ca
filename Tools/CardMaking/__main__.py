"""Makes swiftlet-card-VERSION-BOARD.zip, which is unpacked onto a card's boot partition. Started by
scripts/make-card-zip.

Needs dpkg-deb and apt-get, and the network for packages of Debian that are not cached. Equal packages give an
identical file.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(REPOSITORY / "boards/emulated/harness")]

from packages import PackageError, Packages  # noqa: E402
from packages_index import field, index  # noqa: E402

# Packages present in each supported system.
PRESENT = ["systemd-sysv", "udev", "apt", "dbus"]
RELEASES = {"bookworm": "deb12", "trixie": "deb13"}
ARCHITECTURE = "arm64"
# Swiftlet's packages: the engine first, then everything optional.
OWN = ["swiftlet", "swiftlet-http", "swiftlet-codec-aac", "swiftlet-codec-wavpack"]
# Recommended packages that are not included: avahi-daemon is either present or would be an additional service.
NOT_TAKEN = {"avahi-daemon"}
TEXTS = REPOSITORY / "packaging/card"


class FolderError(Exception):
    """The folder cannot be made; the text names cause and remedy."""


def newest(folder: Path, name: str, mark: str) -> Path | None:
    found = sorted(folder.glob(f"{name}_*~{mark}_{ARCHITECTURE}.deb"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def wished(package: Path) -> list[str]:
    """Returns the packages of Debian that the main package recommends or suggests, except NOT_TAKEN."""
    words = re.split(r"\s*,\s*", ", ".join(filter(None, (field(package, "Recommends"), field(package, "Suggests")))))
    names = [re.split(r"[ (|]", word)[0] for word in words if word]
    return sorted({name for name in names if not name.startswith("swiftlet")} - NOT_TAKEN)


def packages(folder: Path, debian: str, cache: Path) -> dict[str, bytes]:
    """Returns the files in `swiftlet/` for one release of Debian; empty if the folder has no package for it."""
    mark = RELEASES[debian]
    own = {name: newest(folder, name, mark) for name in OWN}
    if own["swiftlet"] is None:
        return {}
    missing = [name for name, path in own.items() if path is None]
    if missing:
        raise FolderError(f"{folder} has swiftlet for {debian}, but not {', '.join(missing)}. Build it anew: scripts/build-board {ARCHITECTURE}.")
    version = field(own["swiftlet"], "Version")
    for name, path in own.items():
        if field(path, "Version") != version:
            raise FolderError(f"{path.name} is of another version than {own['swiftlet'].name}. Build both anew.")
    more = wished(own["swiftlet"])
    paths = [path.resolve() for path in own.values()]
    needed = Packages(cache / debian / ARCHITECTURE / "card", debian).beyond(PRESENT, *map(str, paths), *more)
    files = {f"{debian}/{name_on_card(package)}": package.read_bytes() for package in [*paths, *needed]}
    files[f"{debian}/Packages"] = index({name_on_card(package): package for package in [*paths, *needed]}).encode()
    files[f"{debian}/install"] = " ".join([*OWN, *more]).encode() + b"\n"
    files[f"{debian}/architecture"] = f"{ARCHITECTURE}\n".encode()
    print(f"make-card-zip: {debian}: {version}, and {len(needed)} packages of Debian", file=sys.stderr)
    return files


def name_on_card(package: Path) -> str:
    """Returns a package's file name without the version's epoch, because apt would decode %3a to a colon."""
    return re.sub(r"_\d+%3a", "_", package.name)


def package_source(folder: Path | None, debian: str) -> dict[str, bytes]:
    """Returns the apt source file for updates; empty if there is none, or none that may be published."""
    path = folder / debian / "swiftlet.sources" if folder else None
    if not path or not path.is_file():
        return {}
    text = path.read_bytes()
    is_public = not (folder / "NOT-FOR-PUBLISHING.txt").exists() and not re.search(rb"^URIs: \S+\.invalid\b", text, re.M)
    if not is_public:
        print(f"make-card-zip: {path} is not for publishing: the card does without a package source", file=sys.stderr)
    return {f"{debian}/swiftlet.sources": text} if is_public else {}


def version_of(names: Iterable[str]) -> str:
    """Returns the version of the packages of all releases, from their file names, without the name of the release."""
    found = {name.partition("/")[0]: re.sub(r"[~+]deb\d+_.*|_.*", "", name.partition("/swiftlet_")[2]) for name in sorted(names) if "/swiftlet_" in name}
    if len(set(found.values())) != 1:
        raise FolderError("The packages are of several versions: " + ", ".join(f"{version} for {debian}" for debian, version in found.items()) + ". Build all anew.")
    return found.popitem()[1]


def firmware(board: str) -> str:
    """Returns sound-card.txt: the board's firmware lines, for the user to edit."""
    path = REPOSITORY / "boards" / board / "firmware"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")] if path.exists() else []
    return (TEXTS / "sound-card.txt").read_text() + "\n".join(lines) + "\n"


def configuration(board: str) -> str:
    settings = (REPOSITORY / "packaging/swiftlet.conf").read_text().partition("\n\n")[2]
    return (TEXTS / "swiftlet.conf").read_text() + settings.replace("# board raspberry-pi-4", f"board {board}")


def address(name: str) -> str:
    """Returns an address of the project from packaging/addresses; an environment variable overrides it."""
    found = re.search(rf"^{name}=(.*)$", (REPOSITORY / "packaging/addresses").read_text(), re.M)
    if not found:
        raise FolderError(f"packaging/addresses does not state {name}.")
    return os.environ.get(f"SWIFTLET_{name}") or found[1]


def edited(text: str) -> bytes:
    """Returns a text for the user with CRLF line ends, which editors on all systems understand."""
    return text.replace("\n", "\r\n").encode()


def folder(board: str, folder_of_packages: Path, only: str | None, source: Path | None, cache: Path) -> dict[str, bytes]:
    inner: dict[str, bytes] = {}
    for debian in RELEASES:
        if only in (None, debian):
            found = packages(folder_of_packages, debian, cache)
            inner |= found | (package_source(source, debian) if found else {})
    if not inner:
        raise FolderError(f"{folder_of_packages} has no {ARCHITECTURE} package of Swiftlet for {only or 'bookworm or trixie'}.")
    has_firmware = (REPOSITORY / "boards" / board / "firmware").exists()
    system = "raspberry-pi-os" if board.startswith("raspberry-pi") else "armbian" if board.startswith("orange-pi") else "any"
    version = version_of(inner)
    inner["first-start"] = (TEXTS / "first-start").read_bytes()
    inner["card.txt"] = f"board={board}\nsystem={system}\nversion={version}\n".encode()
    inner["LICENCES.txt"] = edited((TEXTS / "LICENCES.txt").read_text().replace("SOURCE", address("SOURCE")))
    offered = {"swiftlet.conf": edited(configuration(board)), "wifi.txt": edited((TEXTS / "wifi.txt").read_text())}
    if has_firmware:
        offered["sound-card.txt"] = edited(firmware(board))
    inner |= {f"offered/{name}": data for name, data in offered.items()}
    sums = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(inner.items()))
    inner["SHA256SUMS"] = "".join(sums).encode()
    page = address("HOMEPAGE").rstrip("/") + "/"
    readme = (TEXTS / "README.txt").read_text().replace("BOARD", board).replace("PAGE", page)
    files = {f"swiftlet/{name}": data for name, data in inner.items()} | offered
    files["SWIFTLET-README.txt"] = edited(readme)
    files["vendor-data"] = (TEXTS / "vendor-data").read_bytes()
    return files


def write(files: dict[str, bytes], out: Path | None) -> None:
    """Writes the zip. vendor-data, which starts the installation, comes last, in case unpacking is interrupted."""
    when = int(os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY))
    stamp = tuple(time.gmtime(when)[:6])
    unfinished = out.with_name(out.name + ".new") if out else None
    with open(unfinished, "wb") if unfinished else open(sys.stdout.fileno(), "wb", closefd=False) as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files, key=lambda name: (name == "vendor-data", name)):
                entry = zipfile.ZipInfo(name, stamp)
                # Packages are already compressed.
                entry.compress_type = zipfile.ZIP_STORED if name.endswith(".deb") else zipfile.ZIP_DEFLATED
                entry.external_attr = (0o755 if name.endswith("first-start") else 0o644) << 16
                entry.create_system = 3
                archive.writestr(entry, files[name])
    if unfinished and out:
        unfinished.replace(out)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/make-card-zip", add_help=False)
    parser.add_argument("board")
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--debian", choices=list(RELEASES))
    parser.add_argument("--package-source", type=Path)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".board")
    arguments = parser.parse_args()
    try:
        if not (REPOSITORY / "boards" / arguments.board / "profile").is_file():
            raise FolderError(f"there is no board {arguments.board}; `ls boards` lists them.")
        if arguments.out != "-" and not Path(arguments.out).absolute().parent.is_dir():
            raise FolderError(f"there is no folder {Path(arguments.out).parent}; make it, or name another place with --out.")
        files = folder(arguments.board, arguments.packages, arguments.debian, arguments.package_source, arguments.cache)
        version = re.search(rb"version=(.*)", files["swiftlet/card.txt"])[1].decode()
        out = None
        if arguments.out != "-":
            out = Path(arguments.out)
            if out.is_dir():
                out = out / f"swiftlet-card-{version}-{arguments.board}.zip"
        write(files, out)
    except (FolderError, PackageError) as error:
        print(f"make-card-zip: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make-card-zip: {error.filename or arguments.out}: {error.strerror}. Look at that place, and make the file again.", file=sys.stderr)
        return 1
    if out:
        print(f"make-card-zip: {out} ({out.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
