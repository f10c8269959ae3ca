"""A press on play: the file is heard from its first frame on, bit for bit."""

from sound import common_prefix, sound_from

TITLE = "a press on play; what is heard is the file, bit for bit"


def run(box, note) -> None:
    box.run("queue add one.wav")
    begin = box.sound.frames
    box.press("play")
    box.wait_for("playing")
    box.sound.wait_for(3)
    data = box.sound.read(begin)
    start = sound_from(data, 0)
    track = box.music.tracks["one.wav"]
    same = common_prefix(data[4 * start :], track.frames)
    assert same >= 2 * box.sound.rate, f"only the first {same} frames are the file's"
    assert same == len(data) // 4 - start, f"from frame {same} on the recording differs from the file"
    note(f"{same} frames equal")
