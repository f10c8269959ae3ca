"""Reads Debian packages: contents and fields of a built package, and the list of packages it was built against."""
import collections
import hashlib
import io
import re
import subprocess
import tarfile
import urllib.parse

Origin = collections.namedtuple(
    "Origin", "package version architecture sha256 source source_version licence licences")


class Package:
    """A built package: its fields, checksum and files."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.sha256 = hashlib.sha256(file.read()).hexdigest()
        fields = subprocess.run(
            ["dpkg-deb", "--field", path], check=True, capture_output=True, text=True).stdout
        self.fields = dict(re.findall(r"^([A-Z][A-Za-z-]*): (.*)$", fields, re.MULTILINE))
        archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
        self.files, self.time = {}, 0
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                self.time = max(self.time, int(member.mtime))
                if member.isfile():
                    self.files[member.name] = tar.extractfile(member).read()

    def depends(self):
        """Returns the names of the packages it depends on, the first of each alternative."""
        return [word.split()[0] for word in self.fields.get("Depends", "").split(", ") if word]


def origins(path):
    """Reads the list written by scripts/board-sysroot, one package per line, fields separated by tabs."""
    with open(path, encoding="utf-8") as file:
        return [Origin(*line.rstrip("\n").split("\t")) for line in file]


def purl(origin, debian):
    """Returns a Debian package's URL (https://github.com/package-url/purl-spec)."""
    version = urllib.parse.quote(origin.version, safe="~.-_")
    name = urllib.parse.quote(origin.package, safe="~.-_")
    return f"pkg:deb/debian/{name}@{version}?arch={origin.architecture}&distro={debian}"
