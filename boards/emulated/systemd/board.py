"""The board with systemd from outside: power, a root shell, buttons, a USB stick. One QEMU at a time, on one disk."""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import local_socket
from disk import Disk, make_fat
from gpio import GPIO
from qmp import QMP
from serial_lines import SerialLine, Shell

# Generous: under emulation on a busy host, systemd is slow.
BOOT_SECONDS = 240


class Board:
    """The disk outlives each boot; `renew` restores its initial contents."""

    def __init__(self, disk: Disk, share: Path, folder: Path, say):
        self.image, self.share, self.folder, self.say = disk, share, folder, say
        self.disk = folder / "disk.img"
        self.is_installed = False
        self.process: subprocess.Popen | None = None
        self.boots = 0
        self.log = folder

    # Power

    def renew(self, files: dict[str, str] | None = None) -> None:
        """Restores the initial disk, with additional files."""
        self.power_cut()
        shutil.copyfile(self.image.pristine, self.disk)
        self.is_installed = False
        for name, text in (files or {}).items():
            local = self.folder / "file"
            local.write_text(text)
            # Without mounting the disk.
            place, _, file = name.rpartition("/")
            subprocess.run(
                ["/sbin/debugfs", "-w", "-f", "-", str(self.disk)], input=f"cd /{place}\nwrite {local} {file}\n", text=True, check=True,
                capture_output=True,
            )  # fmt: skip

    def power_on(self, more: str = "", card: Path | None = None, waits: bool = True) -> None:
        """Boots the board.

        more: added to the kernel command line. card: image of the boot partition.
        """
        if not self.disk.exists():
            self.renew()
        if "ds=" not in more:
            # Otherwise cloud-init would use the files of another scenario's card.
            more += " cloud-init=disabled"
        self.boots += 1
        folder = self.log = self.folder / f"boot-{self.boots}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [
            "qemu-system-aarch64",
            *("-M", "virt,gic-version=2", "-cpu", "cortex-a53", "-smp", "2", "-m", "1024"),
            *("-accel", "tcg,thread=multi", "-nodefaults", "-nographic", "-no-reboot"),
            *("-kernel", str(self.image.kernel), "-initrd", str(self.image.initramfs)),
            *("-append", f"console=ttyAMA0 loglevel=4 panic=-1 cryptomgr.notests systemd.getty_auto=no {more}".strip()),
            *("-chardev", "file,id=kernel,path=kernel.log", "-serial", "chardev:kernel"),
            *("-qtest", "unix:gpio.sock,server=on,wait=off", "-qtest-log", "none"),
            *("-qmp", "unix:qmp.sock,server=on,wait=off"),
            # The first line is the box's console, as in the board's profile.
            *("-chardev", "null,id=console", "-device", "pci-serial,chardev=console"),
            *("-chardev", "socket,id=shell,path=shell.sock,server=on,wait=off", "-device", "pci-serial,chardev=shell"),
            *("-drive", f"if=none,id=disk,format=raw,file={self.disk}", "-device", "virtio-blk-pci,drive=disk"),
            *("-fsdev", f"local,id=host,path={self.share},security_model=none,readonly=on"),
            *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
            *("-audiodev", "none,id=hda", "-device", "intel-hda", "-device", "hda-output,audiodev=hda,mixer=off"),
            *("-device", "qemu-xhci,id=xhci"),
        ]
        command += ["-drive", f"if=none,id=card,format=raw,file={card or self._blank()}", "-device", "virtio-blk-pci,drive=card"]
        (folder / "command").write_text(" ".join(command) + "\n")
        with open(folder / "qemu.log", "w") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self._qmp = QMP(self._socket("qmp.sock"))
            self.gpio = GPIO(self._socket("gpio.sock"), seed=self.boots)
            self.gpio.attach(self._qmp.find("pl061"))
            self._line = SerialLine(self._socket("shell.sock"), folder / "shell.log")
            self._shell = Shell(self._line)
            if waits:
                self._shell.wait(BOOT_SECONDS)
        except BaseException:
            self.power_cut()
            raise

    def _blank(self) -> Path:
        """Returns an empty boot partition; QEMU loads the kernel itself."""
        path = self.folder / "blank.img"
        if not path.exists():
            make_fat(path, [], 8)
        return path

    def reboot(self) -> None:
        """Reboots the board with systemctl."""
        self.run("systemctl --no-block reboot")
        self.wait_off()
        self.power_on()

    def wait_off(self, seconds: float = 120) -> None:
        """Waits until the board has switched itself off or reboots."""
        assert self.process
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        if self.process.poll() is None:
            raise AssertionError(f"the board is still on after {seconds:.0f} s")
        self._close()

    def power_cut(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self._close()

    def _close(self) -> None:
        self.process = None
        for name in ("_qmp", "gpio", "_line"):
            if hasattr(self, name):
                getattr(self, name).close()
                delattr(self, name)

    def _socket(self, name: str) -> socket.socket:
        assert self.process
        process = self.process
        return local_socket.connect(self.log / name, lambda: local_socket.check_running(process, self.log / "qemu.log"))

    # Commands and state

    def run(self, command: str, seconds: float = 120, check: bool = True) -> str:
        """Runs a command as root and returns its output."""
        return self._shell.run(command, seconds, check)

    def holds(self, command: str) -> bool:
        """Returns whether a command succeeds."""
        return self.run(f"if {command}; then echo yes; else echo no; fi").endswith("yes")

    def unit(self, *names: str, unit: str = "swiftlet.service") -> dict[str, str]:
        """Returns properties of a unit."""
        words = " ".join(f"-p {name}" for name in names)
        lines = self.run(f"systemctl show {unit} {words}").splitlines()
        return dict(line.partition("=")[::2] for line in lines)

    def status(self) -> dict[str, str]:
        """Returns the daemon's status; empty while it does not answer."""
        answer = self.run("swiftlet ctl status 2>&1", check=False)
        return dict(re.findall(r"^ *([\w-]+): *(.*)$", answer, re.M))

    @property
    def position(self) -> float:
        return float(self.status().get("position", "0").split()[0])

    def wait(self, holds, what: str, seconds: float = 60) -> float:
        """Waits until `holds()` is true; returns the seconds that took."""
        began = time.monotonic()
        while not holds():
            if time.monotonic() - began > seconds:
                raise AssertionError(f"no {what} within {seconds:.0f} s")
            time.sleep(0.2)
        return time.monotonic() - began

    def wait_active(self, seconds: float = 60) -> float:
        return self.wait(lambda: self.unit("ActiveState", "SubState") == {"ActiveState": "active", "SubState": "running"},
                         "running service", seconds)  # fmt: skip

    def plays(self) -> bool:
        """Returns whether the position advances."""
        before = self.status()
        if before.get("state") != "playing":
            return False
        self.run("sleep 0.5")
        return self.position > float(before["position"].split()[0])

    def last_words(self) -> list[str]:
        """Returns the end of the journal, or of the kernel's console."""
        with contextlib.suppress(Exception):
            if self.process and self.process.poll() is None:
                return self.run("journalctl -b --no-pager -o short-monotonic -n 25", 20, check=False).splitlines()
        with contextlib.suppress(OSError):
            return (self.log / "kernel.log").read_text(errors="replace").splitlines()[-25:]
        return []

    def press(self, button: str) -> None:
        """Presses a button of the profile briefly."""
        line = ("play", "next", "prev").index(button)
        self.gpio.down(line)
        time.sleep(0.15)
        self.gpio.up(line)

    # USB sticks

    def plug(self, image: Path) -> None:
        self._qmp.run("blockdev-add", driver="raw", node_name="stick", read_only=True,
                      file={"driver": "file", "filename": str(image)})  # fmt: skip
        self._qmp.run("device_add", driver="usb-storage", id="stick", drive="stick", bus="xhci.0")

    def unplug(self) -> None:
        self._qmp.run("device_del", id="stick")
        deadline = time.monotonic() + 10
        while True:
            try:
                self._qmp.run("blockdev-del", node_name="stick")
                return
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
