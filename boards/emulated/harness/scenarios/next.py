"""Scenario: a press on next plays the other file from its first frame."""

from sound import exact

TITLE = "a press on next; the next file from its beginning"


def run(box, note) -> None:
    box.run("queue add one.wav two.flac")
    begin = box.sound.frames
    box.run("play")
    box.wait_for("playing")
    box.sound.wait_for(1)
    box.press("next")
    box.sound.wait_for(1.5)
    status = box.status()
    assert status["path"].endswith("two.flac"), f"it plays {status['path']}"
    data = box.sound.read(begin)
    one, two = box.music.tracks["one.wav"], box.music.tracks["two.flac"]
    first = exact(data, one).with_dither(data, one)
    second = exact(data, two, first.end).with_dither(data, two)
    # Frames that are not bit-exact are under the ramp that prevents a click.
    ramp = box.sound.rate // 50
    assert second.position <= ramp, f"its first {second.position} frames are missing or not as in the file"
    assert second.end == len(data) // 4, "the second file was not heard on"
    begins = second.at - second.position
    note(f"{begins - first.end} frames from the one to the other")
    assert begins - first.end <= box.sound.rate, "it took more than a second"
