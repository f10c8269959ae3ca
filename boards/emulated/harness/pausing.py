"""Pauses and resumes one.wav from its beginning, with any kind of button, and runs the null test on the recording."""

from sound import Stretch, check_pause, exact


def pause_and_resume(box, play: str, pause, resume) -> tuple[int, Stretch, Stretch]:
    """Runs the command `play`, then calls `pause` and `resume`.

    Returns the frame at which the recording begins, and the stretches heard before and after the pause.
    """
    track = box.music.tracks["one.wav"]
    begin = box.sound.frames
    box.run(play)
    box.wait_for("playing")
    box.sound.wait_for(1)
    pause()
    box.wait_silent()
    resume()
    box.wait_for("playing")
    box.sound.wait_for(1.5)
    data = box.sound.read(begin)
    first = exact(data, track).with_dither(data, track)
    assert first and first.position == 0, f"the beginning was not heard: {first}"
    resumed = check_pause(data, track, first, ramp=box.sound.rate // 5)
    assert resumed.end == len(data) // 4, f"from frame {resumed.end_position} on something else was heard"
    return begin, first, resumed
