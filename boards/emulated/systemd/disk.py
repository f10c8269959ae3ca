"""Builds what the board with systemd boots: Debian's kernel, an initramfs that mounts the disk, and the disk."""

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path

from image import write_archive
from kernel import Kernel
from packages import Packages

# Modules needed to mount the disk. udev loads the others, as on a real board: sound card, USB sticks, the host's
# files.
EARLY = ["virtio_pci", "virtio_blk", "crc32c_generic", "ext4"]
LATER = [
    "9pnet_virtio", "9p", "snd-hda-codec-generic", "snd-hda-intel", "xhci-pci", "usb-storage", "sd_mod", "vfat",
    "nls_cp437", "nls_ascii", "nls_utf8", "usbserial", "cdc_acm", "u_serial", "ledtrig-timer", "ledtrig-pattern",
]  # fmt: skip

INIT = """#!/bin/sh
# Mounts the disk, and gives way to its systemd.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in MODULES; do modprobe $module; done
until [ -b /dev/vda ]; do usleep 20000; done
mount -t ext4 -o noatime /dev/vda /disk || exec sh
umount /proc /sys
mount --move /dev /disk/dev
exec switch_root /disk /sbin/init
"""

# A shell for the test harness on the second serial line, started last.
SHELL = """[Unit]
Description=A shell for the harness
After=multi-user.target
[Service]
Type=idle
ExecStart=/bin/sh /etc/board-shell
StandardInput=tty
StandardOutput=tty
TTYPath=/dev/ttyS1
Restart=always
[Install]
WantedBy=graphical.target
"""

# The harness's packages and music, and the boot partition as in Raspberry Pi OS.
FSTAB = """host /mnt 9p trans=virtio,version=9p2000.L,msize=131072,ro,nofail 0 0
/dev/vdb /boot/firmware vfat defaults 0 2
"""


class Disk:
    """`kernel`, `initramfs` and `pristine`, the initial disk: rebuilt only if one of their inputs has changed."""

    MEGABYTES = 1024

    def __init__(self, root: Path, work: Path, shell: Path):
        self.folder, self.root, self.shell = work, root, shell
        self.kernel = work / "vmlinuz"
        self.initramfs = work / "initramfs.gz"
        self.pristine = work / "pristine.img"

    def make(self, packages: Packages) -> bool:
        """Builds everything; returns whether that was necessary."""
        stamp = self.root.stat()
        recipe = f"{stamp.st_size} {stamp.st_mtime_ns} " + " ".join(
            hashlib.sha256(path.read_bytes()).hexdigest() for path in (Path(__file__), self.shell)
        )
        mark = self.folder / "recipe"
        if mark.exists() and mark.read_text() == recipe:
            return False
        mark.unlink(missing_ok=True)
        kernel = Kernel(packages, self.folder / "kernel")
        shutil.copy(kernel.image, self.kernel)
        self._make_initramfs(kernel, packages)
        self._make_disk(kernel)
        mark.write_text(recipe)
        return True

    def _make_initramfs(self, kernel: Kernel, packages: Packages) -> None:
        root = self.folder / "initramfs"
        shutil.rmtree(root, ignore_errors=True)
        for name in ("bin", "proc", "sys", "dev", "disk"):
            (root / name).mkdir(parents=True)
        tools = self.folder / "busybox"
        subprocess.run(["dpkg-deb", "-x", str(packages.alone("busybox-static")), str(tools)], check=True)
        shutil.copy(next(tools.glob("**/bin/busybox")), root / "bin/busybox")
        (root / "bin/sh").symlink_to("busybox")
        kernel.copy_modules(EARLY, root)
        (root / "init").write_text(INIT.replace("MODULES", " ".join(EARLY)))
        (root / "init").chmod(0o755)
        with open(self.initramfs, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            write_archive(root, packed)

    def _make_disk(self, kernel: Kernel) -> None:
        root = self.folder / "disk"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        subprocess.run(["tar", "-x", "-C", str(root), "-f", str(self.root)], check=True)
        kernel.copy_modules(LATER, root)
        subprocess.run(["/sbin/depmod", "-b", str(root), kernel.release], check=True)
        etc = root / "etc"
        shutil.copy(self.shell, etc / "board-shell")
        unit = etc / "systemd/system/board-shell.service"
        unit.write_text(SHELL)
        for target in ("multi-user", "graphical"):
            wants = etc / f"systemd/system/{target}.target.wants"
            wants.mkdir(exist_ok=True)
        (etc / "systemd/system/multi-user.target.wants/board-shell.service").symlink_to("/etc/systemd/system/board-shell.service")
        (etc / "fstab").write_text(FSTAB)
        (root / "boot/firmware").mkdir(parents=True, exist_ok=True)
        # Without a machine ID, systemd assumes a first boot and presets every unit.
        (etc / "machine-id").write_text("0123456789abcdef0123456789abcdef\n")
        (etc / "hostname").write_text("box\n")
        unfinished = self.pristine.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with open(unfinished, "wb") as file:
            file.truncate(self.MEGABYTES << 20)
        subprocess.run(
            ["/sbin/mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=1", "-d", str(root), str(unfinished)], check=True
        )
        unfinished.rename(self.pristine)
        shutil.rmtree(root)


def make_stick(path: Path, files: list[Path], megabytes: int = 24) -> None:
    """Makes an image of a USB stick like those sold: a FAT partition that begins at 1 MB."""
    make_fat(path, files, megabytes, first=2048)
    entry = bytes([0, 0, 2, 0, 0x0C, 0, 0, 0]) + (2048).to_bytes(4, "little") + ((megabytes - 1) << 11).to_bytes(4, "little")
    with open(path, "r+b") as file:
        file.seek(446)
        file.write(entry + bytes(48) + b"\x55\xaa")


def make_fat(path: Path, files: list[Path], megabytes: int, first: int = 0) -> None:
    """Makes a FAT file system with files and folders, at a sector of the image."""
    path.unlink(missing_ok=True)
    with open(path, "wb") as file:
        file.truncate(megabytes << 20)
    blocks = (megabytes << 10) - first // 2
    subprocess.run(
        ["/sbin/mkfs.vfat", "-n", "STICK", f"--offset={first}", str(path), str(blocks)], check=True, stdout=subprocess.DEVNULL
    )
    if files:
        image = f"{path}@@{first * 512}"
        environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "MTOOLS_SKIP_CHECK": "1"}
        subprocess.run(["mcopy", "-s", "-i", image, *map(str, files), "::"], check=True, env=environment)
