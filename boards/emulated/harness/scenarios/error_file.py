"""Scenario: a file that cannot be decoded is reported and skipped, and the music continues."""

from sound import exact

TITLE = "a broken file; reported and skipped"


def run(box, note) -> None:
    failed = box.run("stats")["failed-tracks"]
    begin = box.sound.frames
    box.run("queue add broken.flac three.wav")
    box.run("play")
    status = box.wait_for("playing")
    assert status["path"].endswith("three.wav"), f"it plays {status['path']}"
    box.sound.wait_for(1)
    assert box.run("stats")["failed-tracks"] == failed + 1
    assert "last-error" not in status, f"the error outlives the next success: {status['last-error']}"
    data, track = box.sound.read(begin), box.music.tracks["three.wav"]
    heard = exact(data, track).with_dither(data, track)
    assert heard and heard.position == 0, f"of the next file was heard: {heard}"
    box.fresh()
    box.run("queue add broken.flac")
    box.ask("play")
    status = box.wait_for("failed")
    assert "broken.flac" in str(status.get("last-error")), f"the status shows {status.get('last-error')}"
    note(str(status["last-error"]))
