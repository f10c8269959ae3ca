"""Scenario: after a seek, the file is heard from the requested position, bit for bit."""

from sound import exact

TITLE = "a seek; what is heard is the file from there on"


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    target = 20 * box.sound.rate
    begin = box.sound.frames
    box.run("play one.wav")
    box.wait_for("playing")
    box.sound.wait_for(0.5)
    box.run("seek 20")
    box.wait_for("playing")
    box.sound.wait_for(1.5)
    data = box.sound.read(begin)
    first = exact(data, track).with_dither(data, track)
    second = exact(data, track, first.end).with_dither(data, track)
    # Up to there it is ramped in.
    assert target <= second.position <= target + box.sound.rate // 50, f"after the seek was heard: {second}"
    assert second.end == len(data) // 4
    note(f"{second.at - first.end} frames from the one place to the other")
