"""A folder of packages as apt reads it: a list with sizes and checksums."""

import hashlib
import subprocess
from pathlib import Path

FIELDS = ("Package", "Version", "Architecture", "Multi-Arch", "Pre-Depends", "Depends", "Conflicts", "Breaks", "Replaces", "Provides")


def index(packages: list[Path]) -> str:
    """The file `Packages` of a flat repository (https://wiki.debian.org/DebianRepository/Format)."""
    return "\n".join(map(entry, sorted(packages, key=lambda path: path.name)))


def entry(package: Path) -> str:
    data = package.read_bytes()
    template = "".join(f"${{{field}}}\\n" for field in FIELDS)
    values = subprocess.run(
        ["dpkg-deb", "--show", f"--showformat={template}", str(package)], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    lines = [f"{field}: {value}" for field, value in zip(FIELDS, values) if value]
    lines += [f"Filename: ./{package.name}", f"Size: {len(data)}", f"SHA256: {hashlib.sha256(data).hexdigest()}"]
    return "\n".join(lines) + "\n"
