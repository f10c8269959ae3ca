"""Builds the board's boot image: Debian's kernel, and an initramfs with the `.deb` unpacked."""

import gzip
import hashlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

from kernel import Kernel
from packages import Packages

# Drivers that are not built into Debian's kernel.
MODULES = [
    "virtio_pci", "virtio_blk", "crc32c_generic", "ext4", "9pnet_virtio", "9p",
    "snd-hda-codec-generic", "snd-hda-intel", "xhci-pci", "snd-usb-audio",
    "evdev", "usbhid", "hid-generic",
]  # fmt: skip

# Not needed on the board.
DROPPED = ["usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian", "usr/share/bug"]
DROPPED_LIBRARIES = ["gconv", "engines-3", "ossl-modules"]

# The relevant users and groups of Debian; systemd-sysusers adds the package's at boot.
USERS = "root:x:0:0:root:/root:/bin/sh\n"
GROUPS = "root:x:0:\ntty:x:5:\ndialout:x:20:\naudio:x:29:\n"
# mdev rules in place of udev; the first also sets the volume, as alsactl does on a real board.
DEVICE_RULES = """snd/controlC1 root:audio 660 @amixer -q -c1 cset numid=3 256
snd/.* root:audio 660
gpiochip.* root:gpio 660
input/.* root:input 660
ttyS.* root:dialout 660
(null|zero|full|random|urandom|tty|ptmx) root:root 666
.* root:root 660
"""


class Image:
    """`kernel` and `initramfs`, rebuilt only if one of their inputs has changed."""

    def __init__(self, deb: Path, folder: Path, sources: Path):
        self.deb = deb.resolve()
        self.folder = folder
        self.sources = sources
        self.kernel = folder / "vmlinuz"
        self.initramfs = folder / "initramfs.gz"
        self.root = folder / "root"
        self.packages = Packages(folder / "apt")

    def make(self) -> bool:
        """Builds the image; returns whether that was necessary."""
        recipe = self._recipe()
        mark = self.folder / "recipe"
        if mark.exists() and mark.read_text() == recipe:
            return False
        mark.unlink(missing_ok=True)
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self._unpack_kernel()
        # Libraries come from the package's own dependencies, so that a missing dependency is noticed.
        for package in self.packages.download(
            "busybox-static", "systemd-standalone-sysusers", str(self.deb)
        ):
            self._unpack(package, self.root)
        self._unpack(self.deb, self.root)
        # For the USB card's volume, which is not at its maximum in QEMU initially.
        tools = self.folder / "tools"
        self._unpack(self.packages.alone("alsa-utils"), tools)
        shutil.copy(tools / "usr/bin/amixer", self.root / "usr/bin")
        profile = self.root / "usr/share/swiftlet/boards/emulated/profile"
        profile.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.sources / "profile", profile)
        self._finish_root()
        self._write_initramfs()
        mark.write_text(recipe)
        return True

    def sizes(self) -> list[tuple[str, int]]:
        """Returns path and size in bytes of each file in the package."""
        unpacked = self.folder / "package"
        shutil.rmtree(unpacked, ignore_errors=True)
        self._unpack(self.deb, unpacked)
        return [
            (str(path.relative_to(unpacked)), path.stat().st_size)
            for path in sorted(unpacked.rglob("*"))
            if path.is_file() and not path.is_symlink()
        ]

    def _recipe(self) -> str:
        parts = [self.deb, *(self.sources / name for name in ("init", "shell", "profile")), Path(__file__)]
        return "\n".join(f"{part.name} {hashlib.sha256(part.read_bytes()).hexdigest()}" for part in parts)

    def _unpack_kernel(self) -> None:
        kernel = Kernel(self.packages, self.folder / "kernel")
        shutil.copy(kernel.image, self.kernel)
        kernel.copy_modules(MODULES, self.root)

    @staticmethod
    def _unpack(package: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "-x", str(package), str(target)], check=True)

    def _finish_root(self) -> None:
        for name in DROPPED:
            shutil.rmtree(self.root / name, ignore_errors=True)
        for name in DROPPED_LIBRARIES:
            shutil.rmtree(self.root / "usr/lib/aarch64-linux-gnu" / name, ignore_errors=True)
        for name in ("proc", "sys", "dev", "run", "tmp", "root", "srv", "etc/board", "var/lib/swiftlet", "bin", "sbin", "usr/bin", "usr/sbin"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        # Links to busybox's commands are made at boot: the host cannot ask an ARM program for their names.
        (self.root / "bin/sh").symlink_to("busybox")
        (self.root / "etc/passwd").write_text(USERS)
        (self.root / "etc/group").write_text(GROUPS)
        (self.root / "etc/mdev.conf").write_text(DEVICE_RULES)
        (self.root / "etc/modules").write_text("\n".join(MODULES) + "\n")
        shutil.copy(self.sources / "init", self.root / "init")
        (self.root / "init").chmod(0o755)
        shutil.copy(self.sources / "shell", self.root / "etc/board/shell")

    def _write_initramfs(self) -> None:
        unfinished = self.initramfs.with_suffix(".new")
        with open(unfinished, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            write_archive(self.root, packed)
        unfinished.rename(self.initramfs)


def write_archive(root: Path, to) -> None:
    """Writes a cpio archive for the kernel (newc; Documentation/driver-api/early-userspace/buffer-format.rst).

    Owned by root and without times: equal trees give identical archives.
    """
    number = 0
    for folder, folders, files in os.walk(root):
        folders.sort()
        entries = [] if folder == str(root) else [folder]
        entries += [os.path.join(folder, name) for name in folders if os.path.islink(os.path.join(folder, name))]
        entries += [os.path.join(folder, name) for name in sorted(files)]
        for path in entries:
            number += 1
            _write_entry(os.path.relpath(path, root), path, number, to)
    _write_member("TRAILER!!!", 0, 0, b"", to)


def _write_entry(name: str, path: str, number: int, to) -> None:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        content = os.readlink(path).encode()
    elif stat.S_ISREG(mode):
        content = Path(path).read_bytes()
    else:
        content = b""
    _write_member(name, mode, number, content, to)


def _write_member(name: str, mode: int, number: int, content: bytes, to) -> None:
    label = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(label), 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + label
    to.write(head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4))
