"""Debian's kernel for the board, and selected modules."""

import lzma
import shutil
import subprocess
from pathlib import Path

from packages import Packages


class Kernel:
    """A kernel unpacked in `folder`, which is kept."""

    def __init__(self, packages: Packages, folder: Path):
        self.folder = folder
        if not (folder / "boot").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(["dpkg-deb", "-x", str(packages.kernel()), str(folder)], check=True)
        # In Debian 13, modules are in /usr and compressed.
        if not (folder / "lib/modules").exists():
            (folder / "lib").mkdir()
            (folder / "usr/lib/modules").rename(folder / "lib/modules")
        self.image = next((folder / "boot").glob("vmlinuz-*"))
        self._modules = next((folder / "lib/modules").iterdir())
        if not (self._modules / "modules.dep").exists():
            subprocess.run(["/sbin/depmod", "-b", str(folder), self._modules.name], check=True)

    @property
    def release(self) -> str:
        return self._modules.name

    def copy_modules(self, names: list[str], root: Path) -> None:
        """Copies modules and their dependencies to a root file system, with the files that `modprobe` reads."""
        lines = (self._modules / "modules.dep").read_text().splitlines()
        needs: dict[str, tuple[str, list[str]]] = {}
        for line in lines:
            path, _, rest = line.partition(":")
            needs[Path(path.removesuffix(".xz")).stem.replace("-", "_")] = (path, rest.split())
        target = root / "lib/modules" / self.release
        for name in names:
            if name.replace("-", "_") not in needs:
                continue  # Built in.
            path, rest = needs[name.replace("-", "_")]
            for needed in [path, *rest]:
                # Not every modprobe can decompress modules.
                to = target / needed.removesuffix(".xz")
                to.parent.mkdir(parents=True, exist_ok=True)
                data = (self._modules / needed).read_bytes()
                to.write_bytes(lzma.decompress(data) if needed.endswith(".xz") else data)
        plain = [line.replace(".ko.xz", ".ko") for line in lines]
        there = [line for line in plain if (target / line.partition(":")[0]).exists()]
        for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
            shutil.copy(self._modules / name, target)
        (target / "modules.dep").write_text("\n".join(there) + "\n")
