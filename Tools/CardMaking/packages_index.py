"""Writes the index of a folder of packages for apt: fields, sizes and checksums."""

import hashlib
import subprocess
from pathlib import Path

FIELDS = ("Package", "Version", "Architecture", "Multi-Arch", "Pre-Depends", "Depends", "Conflicts", "Breaks", "Replaces", "Provides")


def index(packages: dict[str, Path]) -> str:
    """Returns the `Packages` file of a flat repository (https://wiki.debian.org/DebianRepository/Format).

    packages: file names in the repository and the packages' paths.
    """
    return "\n".join(entry(name, packages[name]) for name in sorted(packages))


def entry(name: str, package: Path) -> str:
    data = package.read_bytes()
    template = "".join(f"${{{name}}}\\n" for name in FIELDS)
    values = _shown(package, template).splitlines()
    lines = [f"{key}: {value}" for key, value in zip(FIELDS, values) if value]
    lines += [f"Filename: ./{name}", f"Size: {len(data)}", f"SHA256: {hashlib.sha256(data).hexdigest()}"]
    return "\n".join(lines) + "\n"


def field(package: Path, name: str) -> str:
    """Returns a field of a package's control file; empty if it has none."""
    return _shown(package, f"${{{name}}}")


def _shown(package: Path, template: str) -> str:
    return subprocess.run(
        ["dpkg-deb", "--show", f"--showformat={template}", str(package)], check=True, capture_output=True, text=True
    ).stdout
