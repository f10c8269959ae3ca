"""Scenario: holding play stops with a fade, and does not count as a press."""

from sound import exact, gain, silence_from

TITLE = "play held down; stops with a fade, and nothing else"


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    for command in ("unbind play press", "bind play short toggle", "bind play long stop"):
        box.run(command)
    box.run("queue add one.wav")
    begin = box.sound.frames
    box.run("play")
    box.wait_for("playing")
    box.sound.wait_for(1)
    box.press("play", held=1.2)
    box.wait_for("finished", "idle")
    box.wait_silent()
    data = box.sound.read(begin)
    first = exact(data, track).with_dither(data, track)
    silent = silence_from(data, first.end)
    assert silent > 0, "it has not become silent"
    length = silent - first.end
    fade = box.sound.rate // 2
    assert abs(length - fade) < fade // 20, f"the fade took {length} frames, not {fade}"
    gains = [gain(data, first.end + i, track, first.end_position + i, 0) for i in range(0, length - 16, fade // 10)]
    assert all(a > b for a, b in zip(gains, gains[1:])), f"the fade does not fall: {gains}"
    kinds = [row for row in box.ask("history 10")["rows"] if row.get("event") in ("pause", "toggle")]
    assert not kinds, f"it was taken for a press, too: {kinds}"
    note(f"faded out in {length} frames")
