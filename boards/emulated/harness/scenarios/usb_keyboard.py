"""Scenario: a USB keyboard's keys are buttons: missing before it is plugged in, working afterwards, and again after
it was unplugged with a key held down.
"""

from pausing import pause_and_resume

TITLE = "a USB keyboard plugged in, pulled out with a key held, and put back; its keys are buttons"

CONFIGURATION = """button song key space
button skip key right
bind song press toggle
bind skip long next
"""


def run(box, note) -> None:
    machine = box.on
    with box.configured(CONFIGURATION):
        box.fresh()
        missing = box.status()["control-missing"]
        assert "song" in missing or "key" in missing, missing
        plug(box)
        box.run("queue add one.wav three.wav")
        _, first, _ = pause_and_resume(box, "play", lambda: press(box, "spc"), lambda: press(box, "spc"))
        machine.key("right", True)
        box.rest(0.1)
        machine.unplug_keyboard()
        box.wait_until(lambda: "control-missing" in box.status(), "word of the missing keyboard")
        assert box.state == "playing", box.state
        plug(box)
        press(box, "right", held=1)
        box.wait_until(lambda: box.status()["title"].startswith("three"), "next track")
        note(f"paused on frame {first.end_position}; said while it was away: {missing}")
    machine.unplug_keyboard()


def plug(box) -> None:
    box.on.plug_keyboard()
    box.wait_until(lambda: "control-missing" not in box.status(), "keyboard")


def press(box, key: str, held: float = 0.12) -> None:
    box.on.key(key, True)
    box.rest(held)
    box.on.key(key, False)
    box.rest(0.05)
