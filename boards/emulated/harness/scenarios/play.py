"""Scenario: a press on play plays the file from its first frame, bit for bit."""

from sound import DITHER, exact

TITLE = "a press on play; what is heard is the file, bit for bit"


def run(box, note) -> None:
    box.run("queue add one.wav")
    begin = box.sound.frames
    box.press("play")
    box.wait_for("playing")
    box.sound.wait_for(3)
    data, track = box.sound.read(begin), box.music.tracks["one.wav"]
    heard = exact(data, track)
    # The ready cue may have just ended, with some dither after it.
    whole = heard.with_dither(data, track)
    assert whole.position == 0, f"the beginning was not heard: {whole}"
    assert heard.end == len(data) // 4, f"from frame {heard.end_position} on something else was heard"
    assert heard.position <= DITHER + box.sound.rate // 2, f"only from {heard.position} on it is exact"
    assert heard.length >= 2 * box.sound.rate, f"only {heard.length} frames were heard"
    note(f"{heard.length} frames equal")
