"""Scenario: each detent of the knob changes the volume by a step, measured as gain; full volume is bit-exact again."""

from sound import exact, gain

TITLE = "the knob turned down and up again; heard as gain"


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    begin = box.sound.frames
    box.run("play one.wav")
    box.wait_for("playing")
    box.sound.wait_for(0.5)
    gains = []
    for volume in (90, 80):
        box.turn(-2)
        box.wait_until(lambda: box.status()["volume"] == volume, f"volume {volume}")
        box.sound.wait_for(0.6)
        gains.append(box.sound.frames)
    box.turn(4)
    box.wait_until(lambda: box.status()["volume"] == 100, "volume 100")
    box.sound.wait_for(1)
    data = box.sound.read(begin)
    first = exact(data, track)
    last = exact(data, track, gains[-1] - begin)
    assert last and last.end == len(data) // 4, "at full volume it is not bit-exact"
    offset = first.at - first.position
    assert last.at - last.position == offset, "frames were lost while the knob turned"
    heard = []
    for frames in gains:
        at = frames - begin - 2048
        heard.append(gain(data, at, track, at - offset, 0, frames=512))
    assert 1 > heard[0] > heard[1] > 0.1, f"gains {heard}"
    note("gains 1.000, " + ", ".join(f"{g:.3f}" for g in heard) + ", 1.000")
