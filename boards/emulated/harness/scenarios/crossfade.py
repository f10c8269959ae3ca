"""Scenario: a crossfade is paused and resumed, and continues from the frame on which it stopped."""

import math

from sound import exact, gain, silence_from, sound_from

TITLE = "a crossfade paused and resumed; gains to the frame"

FADE = 4


def run(box, note) -> None:
    left, right = box.music.tracks["left.wav"], box.music.tracks["right.wav"]
    rate = box.sound.rate
    fade, ramp = FADE * rate, rate // 5
    begin = box.sound.frames
    box.run(f"set fade.length {FADE}")
    # The point of the pause depends on the host's load; it must continue from there in any case.
    box.run("set fade.quick-finish never")
    box.run("queue add left.wav right.wav")
    box.run("play")
    box.wait_for("playing")
    status = box.wait_for("crossfading")
    while float(status["fade"]) < 0.2:
        status = box.status()
    box.press("play")
    box.wait_silent()
    box.press("play")
    box.wait_for("playing", seconds=120)
    box.sound.wait_for(0.5)
    data = box.sound.read(begin)

    # The left channel contains only the first file, the right one only the second.
    start = len(left) - fade
    alone = exact(data, left, sound_from(data, 0)).with_dither(data, left)
    assert alone.end_position >= start, f"the fade began {start - alone.end_position} frames early"
    after = exact(data, right, alone.end).with_dither(data, right)
    # The last frames of the first file are quieter than the dither.
    assert fade - 32 <= after.position <= fade, f"the second file is alone from {after} on, not from {fade}"
    before_shift = alone.at - alone.position
    after_shift = after.at - (start + after.position)
    silence = after_shift - before_shift
    assert silence >= 0, "frames of the fade were lost"

    paused = silence_from(data, alone.end)
    assert alone.end < paused < after.at, "the pause was not silent"
    index = paused - before_shift - start  # Index within the fade at which the pause's ramp ended.
    worst = 0.0
    for step in range(200, fade - 200, 1777):
        shift = before_shift if step < index else after_shift
        gate = min(1.0, abs(step - index) / ramp)
        at = shift + start + step
        angle = step / fade * math.pi / 2
        worst = max(
            worst,
            abs(gain(data, at, left, start + step, 0, 8) - gate * math.cos(angle)),
            abs(gain(data, at, right, step, 1, 8) - gate * math.sin(angle)),
        )
    assert worst < 0.002, f"a gain is off the curve by {worst:.4f}"
    note(f"paused at {index / fade:.1%} for {silence} frames; gains within {worst:.4f} of the curve")
