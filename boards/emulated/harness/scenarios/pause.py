"""A pause and a resume: ramped, and every frame of the file is heard once and only once."""

from sound import check_pause, exact

TITLE = "pause and resume by button; ramped, nothing lost, nothing twice"


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    ramp = box.sound.rate // 5
    begin = box.sound.frames
    box.run("play one.wav")
    box.wait_for("playing")
    box.sound.wait_for(1)
    box.press("play")
    box.wait_silent()
    box.press("play")
    box.wait_for("playing")
    box.sound.wait_for(1.5)
    data = box.sound.read(begin)
    first = exact(data, track).with_dither(data, track)
    assert first and first.position == 0, f"the beginning was not heard: {first}"
    resumed = check_pause(data, track, first, ramp)
    note(f"paused on frame {first.end_position}, silent for {resumed.at - first.end - 2 * ramp} frames")
    assert resumed.end == len(data) // 4, f"from frame {resumed.end_position} on something else was heard"
