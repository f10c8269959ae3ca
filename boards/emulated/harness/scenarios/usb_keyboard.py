"""A USB keyboard's keys are buttons: before it is there they are missing, then they work, also after it was pulled out with
a key held down."""

import contextlib

from qmp import QMPError
from sound import check_pause, exact

TITLE = "a USB keyboard plugged in, pulled out with a key held, and put back; its keys are buttons"

CONFIGURATION = """button song key space
button skip key right
bind song press toggle
bind skip long next
"""


def run(box, note) -> None:
    machine = box.on
    track = box.music.tracks["one.wav"]
    ramp = box.sound.rate // 5
    box.configure(CONFIGURATION)
    try:
        machine.console.wait(60)
        box.fresh()
        missing = box.status()["control-missing"]
        assert "song" in missing or "key" in missing, missing
        plug(box)
        begin = box.sound.frames
        box.run("queue add one.wav three.wav")
        box.run("play")
        box.wait_for("playing")
        box.sound.wait_for(1)
        press(box, "spc")
        box.wait_silent()
        press(box, "spc")
        box.wait_for("playing")
        box.sound.wait_for(1.5)
        data = box.sound.read(begin)
        first = exact(data, track).with_dither(data, track)
        assert first and first.position == 0, f"the beginning was not heard: {first}"
        resumed = check_pause(data, track, first, ramp)
        assert resumed.end == len(data) // 4, f"from frame {resumed.end_position} on something else was heard"
        machine.key("right", True)
        box.rest(0.1)
        machine.unplug_keyboard()
        box.wait_until(lambda: "control-missing" in box.status(), "word of the missing keyboard")
        assert box.state == "playing", box.state
        plug(box)
        press(box, "right", held=1)
        box.wait_until(lambda: box.status()["title"].startswith("three"), "next track")
        note(f"paused on frame {first.end_position}; said while it was away: {missing}")
    finally:
        with contextlib.suppress(QMPError):  # It may be out.
            machine.unplug_keyboard()
        box.configure("")
        machine.console.wait(60)


def plug(box) -> None:
    box.on.plug_keyboard()
    box.wait_until(lambda: "control-missing" not in box.status(), "keyboard")


def press(box, key: str, held: float = 0.12) -> None:
    box.on.key(key, True)
    box.rest(held)
    box.on.key(key, False)
    box.rest(0.05)
