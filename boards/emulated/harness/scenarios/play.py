"""A press on play: the file is heard from its first frame on, bit for bit."""

from sound import exact

TITLE = "a press on play; what is heard is the file, bit for bit"


def run(box, note) -> None:
    box.run("queue add one.wav")
    begin = box.sound.frames
    box.press("play")
    box.wait_for("playing")
    box.sound.wait_for(3)
    data, track = box.sound.read(begin), box.music.tracks["one.wav"]
    heard = exact(data, track)
    assert heard and heard.position == 0, f"the beginning was not heard: {heard}"
    assert heard.end == len(data) // 4, f"from frame {heard.end_position} on something else was heard"
    assert heard.length >= 2 * box.sound.rate, f"only {heard.length} frames were heard"
    note(f"{heard.length} frames equal")
