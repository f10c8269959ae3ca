"""Scenario: a microcontroller on a serial line reports buttons and a knob, mixed with noise and incomplete lines."""

from pausing import pause_and_resume
from sound import gain

TITLE = "a panel on a serial line: button and knob through noise; heard"

CONFIGURATION = """panel /dev/ttyS2
button song panel
knob dial panel
bind song press toggle
bind dial left volume down
bind dial right volume up
"""


def run(box, note) -> None:
    with box.configured(CONFIGURATION):
        box.fresh()
        box.wait_until(lambda: "control-missing" not in box.status(), "panel")
        panel = box.on.panel
        panel.send("ng\nready")

        def press_in_noise() -> None:
            panel.connection.sendall(b"\x00\xff~~~" * 40 + b"\ndow")
            panel.send("n song\ndown song")

        begin, first, resumed = pause_and_resume(
            box, "play one.wav", press_in_noise, lambda: panel.send("up song\nup nobody\ndown song\nup song")
        )
        before = box.status()["volume"]
        panel.send("turn dial -2\nturn dial 99999")
        box.wait_until(lambda: box.status()["volume"] == before - 10, "lower volume")
        box.sound.wait_for(0.6)
        data = box.sound.read(begin)
        at = len(data) // 4 - 1024
        track = box.music.tracks["one.wav"]
        heard = gain(data, at, track, at - resumed.at + resumed.position, 0, frames=512)
        assert 0.1 < heard < 1, f"the knob turned the gain to {heard}"
        panel.send("turn dial +2")
        box.wait_until(lambda: box.status()["volume"] == before, "old volume")
        note(f"paused on frame {first.end_position}; the knob's gain {heard:.3f}")
