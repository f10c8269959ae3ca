"""Downloads Debian packages for the board with a separate apt configuration, so that the host's package lists are not
changed.
"""

import os
import re
import subprocess
from pathlib import Path

ARCHITECTURE = "arm64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class PackageError(Exception):
    """A package is not available; the text names it and the remedy."""


class Packages:
    """Downloads into `folder`, which is kept, so that a second run needs no network."""

    def __init__(self, folder: Path, debian: str | None = None):
        self.folder = folder
        self.debian = debian or os.environ.get("SWIFTLET_DEBIAN") or _code_name()
        self.archives = folder / "cache" / "archives"

    def download(self, *names: str) -> list[Path]:
        """Returns the named packages and all their dependencies. A name may be the path of a `.deb`."""
        wanted = self._plan(*names)
        if any(not path.exists() for path in wanted):
            try:
                self._apt("install", "--download-only", "-y", *names)
            except PackageError:
                # The lists are older than the mirror's contents.
                self._run("apt-get", "-qq", "update")
                wanted = self._plan(*names)
                self._apt("install", "--download-only", "-y", *names)
        missing = [path.name for path in wanted if not path.exists()]
        if missing:
            raise PackageError(f"not downloaded: {', '.join(missing)}")
        return wanted

    def beyond(self, base: list[str], *names: str) -> list[Path]:
        """Returns the named packages and their dependencies, except for those of the packages `base`."""
        present = {path.name.partition("_")[0] for path in self._plan(*base)}
        wanted = [path for path in self._plan(*base, *names) if path.name.partition("_")[0] not in present]
        for path in wanted:
            if not path.exists():
                name, version, _ = path.name.split("_")
                self._run("apt-get", "-qq", "download", f"{name}={version.replace('%3a', ':')}", cwd=self.archives)
        return wanted

    def _plan(self, *names: str) -> list[Path]:
        """Returns the files that apt would download."""
        self._prepare()
        plan = self._apt("install", "--simulate", "-y", *names)
        # Format: Inst libc6 (2.36-9+deb12u14 Debian:12.14/oldstable [arm64])
        lines = re.findall(r"^Inst (\S+) \((\S+) (.*)\[(\w+)\]\)", plan, re.M)
        return [
            self.archives / f"{name}_{version.replace(':', '%3a')}_{architecture}.deb"
            for name, version, origin, architecture in lines
            if "local-deb" not in origin
        ]

    def alone(self, name: str) -> Path:
        """Returns a single package, without its dependencies."""
        self._prepare()
        if not any(self.archives.glob(f"{name}_*.deb")):
            self._run("apt-get", "-qq", "download", name, cwd=self.archives)
        return sorted(self.archives.glob(f"{name}_*.deb"))[-1]

    def kernel(self) -> Path:
        """Returns Debian's newest kernel package."""
        self._prepare()
        depends = self._run("apt-cache", "depends", "linux-image-arm64")
        name = re.search(r"Depends: (linux-image-\S+)", depends)
        if not name:
            raise PackageError("Debian's package linux-image-arm64 names no kernel")
        return self.alone(name[1])

    def _prepare(self) -> None:
        configuration = self.folder / "apt.conf"
        if configuration.exists():
            return
        if not Path(KEYRING).exists():
            raise PackageError(f"{KEYRING} is missing: apt-get install debian-archive-keyring")
        for name in ("lists/partial", "cache/archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        mirror = os.environ.get("SWIFTLET_MIRROR", "http://deb.debian.org")
        (self.folder / "sources.list").write_text(
            "".join(
                f"deb [signed-by={KEYRING}] {mirror}/{archive} {suite} main\n"
                for archive, suite in (
                    ("debian", self.debian),
                    ("debian", f"{self.debian}-updates"),
                    ("debian-security", f"{self.debian}-security"),
                )
            )
        )
        text = "\n".join(
            [
                f'APT::Architecture "{ARCHITECTURE}";',
                f'APT::Architectures {{ "{ARCHITECTURE}"; }};',
                'APT::Install-Recommends "false";',
                f'APT::Sandbox::User "{_user_name()}";',
                'Acquire::Languages "none";',
                'Acquire::Retries "3";',
                'Debug::NoLocking "1";',
                f'Dir::State "{self.folder}";',
                f'Dir::State::lists "{self.folder}/lists";',
                f'Dir::State::status "{self.folder}/status";',
                f'Dir::Cache "{self.folder}/cache";',
                f'Dir::Etc::sourcelist "{self.folder}/sources.list";',
                'Dir::Etc::sourceparts "/dev/null";',
                'Dir::Etc::preferences "/dev/null";',
                'Dir::Etc::preferencesparts "/dev/null";',
                "#clear APT::Update::Post-Invoke;",
                "#clear DPkg::Post-Invoke;",
                "#clear APT::Keep-Downloaded-Packages;",
                'APT::Keep-Downloaded-Packages "true";',
            ]
        )
        unfinished = configuration.with_suffix(".new")
        unfinished.write_text(text + "\n")
        self._run("apt-get", "-qq", "update", configuration=unfinished)
        unfinished.rename(configuration)

    def _apt(self, *words: str) -> str:
        return self._run("apt-get", "-qq", *words)

    def _run(self, *command: str, cwd: Path | None = None, configuration: Path | None = None) -> str:
        environment = dict(os.environ)
        environment["APT_CONFIG"] = str(configuration or self.folder / "apt.conf")
        environment["LC_ALL"] = "C"
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-5:]
            raise PackageError(f"{' '.join(command[:4])} … failed:\n  " + "\n  ".join(last))
        return done.stdout


def _code_name() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise PackageError("/etc/os-release names no Debian; set SWIFTLET_DEBIAN, such as bookworm")


def _user_name() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name
