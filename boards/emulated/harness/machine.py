"""The emulated board: QEMU's `virt` machine with a Cortex-A53, a PL061 for buttons, three serial lines, a disk, the
host's music over 9p, and a sound card that records what it plays.
"""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

import local_socket
import tracing
from gpio import GPIO
from image import Image
from qmp import QMP, Pulse
from serial_lines import Console, SerialLine, Shell
from sound import Recording

# Generous timeouts: on a busy host, the board's clock runs slower than the host's.
BOOT_SECONDS = 180
# With -icount, the board's clock counts instructions: each takes 2 to the power of this many nanoseconds.
ICOUNT_SHIFT = 3
NANOSECONDS_PER_INSTRUCTION = 1 << ICOUNT_SHIFT


class Machine:
    """A board from power-on to power-off; its disk outlives it."""

    def __init__(self, image: Image, disk: Path, music: Path, folder: Path, rate: int, seed: int, traces: bool = False):
        """Starts QEMU. `traces`: log the code of programs when it is first executed."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.kernel_log = folder / "kernel.log"
        self.recording = Recording(folder / "sound.wav", rate)
        self.usb_recording = Recording(folder / "usb.wav", rate)
        # Socket paths are limited to 107 bytes, so QEMU is started in the folder and gets relative ones.
        command = [
            "qemu-system-aarch64",
            *("-M", "virt,gic-version=2", "-cpu", "cortex-a53", "-smp", "1", "-m", "512"),
            # Keeps the sound exact even if the host is busy.
            *("-accel", "tcg,thread=single", "-icount", f"shift={ICOUNT_SHIFT},sleep=on"),
            *("-nodefaults", "-nographic", "-no-reboot"),
            *("-kernel", str(image.kernel), "-initrd", str(image.initramfs)),
            *("-append", "console=ttyAMA0 loglevel=4 rdinit=/init panic=-1 cryptomgr.notests" + tracing.KERNEL * traces),
            *("-chardev", "file,id=kernel,path=kernel.log", "-serial", "chardev:kernel"),
            *("-qtest", "unix:gpio.sock,server=on,wait=off", "-qtest-log", "none"),
            *("-qmp", "unix:qmp.sock,server=on,wait=off", "-qmp", "unix:pulse.sock,server=on,wait=off"),
            *("-chardev", "socket,id=console,path=console.sock,server=on,wait=off"),
            *("-device", "pci-serial,chardev=console"),
            *("-chardev", "socket,id=shell,path=shell.sock,server=on,wait=off"),
            *("-device", "pci-serial,chardev=shell"),
            *("-chardev", "socket,id=panel,path=panel.sock,server=on,wait=off"),
            *("-device", "pci-serial,chardev=panel"),
            *("-drive", f"if=none,id=disk,format=raw,file={disk}", "-device", "virtio-blk-pci,drive=disk"),
            *("-fsdev", f"local,id=music,path={music},security_model=none,readonly=on"),
            *("-device", "virtio-9p-pci,fsdev=music,mount_tag=music"),
            *("-audiodev", f"wav,id=hda,path=sound.wav,out.frequency={rate},timer-period=1000"),
            *("-device", "intel-hda", "-device", "hda-output,audiodev=hda,mixer=off,use-timer=off"),
            *("-audiodev", f"wav,id=usb,path=usb.wav,out.frequency={rate},timer-period=1000"),
            *("-device", "qemu-xhci,id=xhci"),
        ]
        if traces:
            command += tracing.QEMU
        self._log = open(folder / "qemu.log", "w")
        (folder / "command").write_text(" ".join(command) + "\n")
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, preexec_fn=hurry
        )
        try:
            self._connect(seed)
        except BaseException:
            self.kill()
            raise

    def _connect(self, seed: int) -> None:
        self.qmp = QMP(self._socket("qmp.sock"))
        self._pulse = Pulse(self._socket("pulse.sock"))
        self.gpio = GPIO(self._socket("gpio.sock"), seed)
        self.gpio.attach(self.qmp.find("pl061"))
        self._console_line = SerialLine(self._socket("console.sock"), self.folder / "console.log")
        self.console = Console(self._console_line)
        self._shell_line = SerialLine(self._socket("shell.sock"), self.folder / "shell.log")
        self.shell = Shell(self._shell_line)
        self.panel = SerialLine(self._socket("panel.sock"), self.folder / "panel.log")

    def _socket(self, name: str) -> socket.socket:
        return local_socket.connect(self.folder / name, self.check)

    def boot(self) -> None:
        """Waits until the board's shell is ready."""
        self.shell.wait(BOOT_SECONDS)

    def check(self) -> None:
        local_socket.check_running(self.process, self.folder / "qemu.log")

    def plug_keyboard(self) -> None:
        self.qmp.run("device_add", driver="usb-kbd", id="keyboard", bus="xhci.0")

    def unplug_keyboard(self) -> None:
        self.qmp.run("device_del", id="keyboard")

    def key(self, name: str, is_down: bool) -> None:
        """Presses or releases a key of the keyboard, by QEMU's name for it."""
        event = {"type": "key", "data": {"down": is_down, "key": {"type": "qcode", "data": name}}}
        self.qmp.run("input-send-event", events=[event])

    def plug_usb_card(self) -> None:
        self.qmp.run("device_add", driver="usb-audio", id="usbcard", audiodev="usb", buffer=16384, bus="xhci.0")

    def unplug_usb_card(self) -> None:
        self.qmp.run("device_del", id="usbcard")

    def kill(self) -> None:
        """Cuts the power."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for name in ("_pulse", "qmp", "gpio", "_console_line", "_shell_line", "panel"):
            if hasattr(self, name):
                getattr(self, name).close()
        self._log.close()


def hurry() -> None:
    """Raises QEMU's priority, if permitted.

    If QEMU has to wait for the host's CPU while the board idles, the board's clock jumps ahead and its sound card
    underruns.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, -15)


def make_disk(path: Path) -> None:
    """Makes an empty file system, always the same."""
    path.unlink(missing_ok=True)
    with open(path, "wb") as file:
        file.truncate(32 << 20)
    subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0", str(path)], check=True)
