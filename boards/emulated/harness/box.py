"""The emulated box as seen by a scenario: commands and button presses go in, sound comes out. One board at a time."""

import contextlib
import shutil
import time
from pathlib import Path

from image import Image
from machine import Machine, make_disk
from gpio import quadrature
from music import RATE, Music
from sound import Recording

# GPIO lines of boards/emulated/profile.
BUTTONS = {"play": 0, "next": 1, "prev": 2}
KNOB = (4, 5)
LIGHT = 6

CONFIGURATION = "/var/lib/swiftlet/swiftlet.conf"


class Box:
    """Boots on demand; several scenarios share one boot."""

    buttons = BUTTONS

    def __init__(self, image: Image, music: Music, folder: Path, seed: int, say, traces: bool = False):
        self.image, self.music, self.folder = image, music, folder
        self.seed, self.say, self.traces = seed, say, traces
        self.disk = folder / "disk.img"
        self.machine: Machine | None = None
        self.boots = 0
        self.is_new = True

    # Power

    def power_on(self) -> None:
        """Boots with the disk as left by the last boot."""
        if self.is_new:
            make_disk(self.disk)
        self.boots += 1
        folder = self.folder / f"boot-{self.boots}"
        shutil.rmtree(folder, ignore_errors=True)
        began = time.monotonic()
        machine = Machine(self.image, self.disk, self.music.folder, folder, RATE, self.seed + self.boots, self.traces)
        self.machine = machine
        try:
            machine.boot()
            if self.is_new:
                self.configure("")
            self.is_new = False
            machine.console.wait(60)
        except BaseException:
            machine.check()
            raise
        self.say(f"booted in {time.monotonic() - began:.1f} s")

    def power_cut(self) -> None:
        """Cuts the power without notice to the board."""
        assert self.machine
        self.machine.kill()
        self.machine = None

    def throw_away(self) -> None:
        """Discards board and disk, so that the next scenario begins with a new box."""
        if self.machine:
            self.power_cut()
        self.is_new = True

    @property
    def on(self) -> Machine:
        """The running machine, booted if necessary."""
        if self.machine is None:
            self.power_on()
        assert self.machine
        return self.machine

    # Configuration of the daemon

    def configure(self, more: str) -> None:
        """Starts the daemon with the board's profile, further configuration lines, and no saved state."""
        lines = "board emulated\nset media.root /srv/music\n" + more
        shell = self.on.shell
        # Repeatedly, because the daemon may just be starting.
        shell.run("touch /run/hold; until [ -e /run/held ]; do kill $(cat /run/swiftlet/pid); usleep 200000; done 2>/dev/null")
        shell.run("rm -f /var/lib/swiftlet/*; true")
        quoted = lines.replace("'", "'\\''").replace("\n", "\\n")
        shell.run(f"printf '{quoted}' >{CONFIGURATION}; chown swiftlet:swiftlet {CONFIGURATION}; sync")
        shell.run("rm /run/hold /run/held")

    @contextlib.contextmanager
    def configured(self, more: str):
        """Runs the daemon with these lines within the `with` block, and with the usual configuration afterwards."""
        self.configure(more)
        try:
            self.on.console.wait(60)
            yield
        finally:
            self.configure("")
            self.on.console.wait(60)

    @property
    def daemon(self) -> str:
        """The pid of the daemon; empty if it does not run."""
        return self.on.shell.run("cat /run/swiftlet/pid 2>/dev/null; true")

    # Commands, buttons, sound

    def run(self, command: str) -> dict:
        return self.on.console.run(command)

    def ask(self, command: str) -> dict:
        return self.on.console.ask(command)

    def status(self) -> dict:
        return self.run("status")

    @property
    def state(self) -> str:
        return self.status()["state"]

    def wait_for(self, *states: str, seconds: float = 30) -> dict:
        """Waits until the box is in one of these states; returns its status."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.status()
            if status["state"] in states:
                return status
            if time.monotonic() > deadline:
                raise AssertionError(f"the box is {status['state']} after {seconds:.0f} s, not {' or '.join(states)}")
            time.sleep(0.05)

    def wait_until(self, holds, what: str, seconds: float = 60) -> None:
        """Waits until `holds()` is true; `what` describes that."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what} within {seconds:.0f} s")
            time.sleep(0.05)

    def rest(self, seconds: float) -> None:
        """Lets seconds pass on the board, whose clock may be slower than the host's."""
        self.on.shell.run(f"usleep {int(seconds * 1e6)}")

    def wait_silent(self) -> None:
        """Waits for the end of a pause's ramp."""
        self.wait_for("paused", "crossfadePaused", "finished", "idle")
        self.rest(0.4)

    def press(self, name: str, held: float = 0.12) -> None:
        """Presses and releases a button, with bounce."""
        self.on.gpio.down(BUTTONS[name])
        self.rest(held)
        self.on.gpio.up(BUTTONS[name])
        self.rest(0.05)

    def chord(self, names: tuple[str, ...], held: float) -> None:
        """Holds several buttons together."""
        for name in names:
            self.on.gpio.down(BUTTONS[name])
            self.rest(0.02)
        self.rest(held)
        for name in names:
            self.on.gpio.up(BUTTONS[name])
            self.rest(0.02)

    def turn(self, detents: int) -> None:
        """Turns the knob; positive is to the right."""
        for _ in range(abs(detents)):
            for levels in quadrature(detents > 0):
                for line, level in zip(KNOB, levels):
                    self.on.gpio.set(line, level)
                self.rest(0.008)

    @property
    def sound(self) -> Recording:
        return self.on.recording

    def fresh(self) -> None:
        """Stops playback and restores the settings, between scenarios."""
        self.run("stop")
        self.wait_for("idle", "finished", "failed", "ready")
        self.ask("reset")
        for key in ("fade.length", "fade.quick-finish"):
            self.run(f"unset {key}")
        self.run("queue repeat off")
        self.run("volume 100")
        self.run("queue clear")
        self.run("set cues.enabled off")
