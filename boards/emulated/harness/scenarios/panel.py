"""A microcontroller on a serial line reports buttons and a knob, with noise and half lines in between."""

from sound import check_pause, exact, gain

TITLE = "a panel on a serial line: button and knob through noise; heard"

CONFIGURATION = """panel /dev/ttyS2
button song panel
knob dial panel
bind song press toggle
bind dial left volume down
bind dial right volume up
"""


def run(box, note) -> None:
    machine = box.on
    track = box.music.tracks["one.wav"]
    ramp = box.sound.rate // 5
    box.configure(CONFIGURATION)
    try:
        machine.console.wait(60)
        box.fresh()
        box.wait_until(lambda: "control-missing" not in box.status(), "panel")
        panel = machine.panel
        panel.send("ng\nready")
        begin = box.sound.frames
        box.run("play one.wav")
        box.wait_for("playing")
        box.sound.wait_for(1)
        panel.connection.sendall(b"\x00\xff~~~" * 40 + b"\ndow")
        panel.send("n song\ndown song")
        box.wait_silent()
        panel.send("up song\nup nobody\ndown song\nup song")
        box.wait_for("playing")
        box.sound.wait_for(1.5)
        data = box.sound.read(begin)
        first = exact(data, track).with_dither(data, track)
        assert first and first.position == 0, f"the beginning was not heard: {first}"
        resumed = check_pause(data, track, first, ramp)
        before = box.status()["volume"]
        panel.send("turn dial -2\nturn dial 99999")
        box.wait_until(lambda: box.status()["volume"] == before - 10, "lower volume")
        box.sound.wait_for(0.6)
        data = box.sound.read(begin)
        at = len(data) // 4 - 1024
        heard = gain(data, at, track, at - resumed.at + resumed.position, 0, frames=512)
        assert 0.1 < heard < 1, f"the knob turned the gain to {heard}"
        panel.send("turn dial +2")
        box.wait_until(lambda: box.status()["volume"] == before, "old volume")
        note(f"paused on frame {first.end_position}; the knob's gain {heard:.3f}")
    finally:
        box.configure("")
        machine.console.wait(60)
