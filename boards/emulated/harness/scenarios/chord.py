"""Scenario: next and previous held together run the chord's command, and not those of the single buttons. The command
ends the daemon, which is restarted and continues where it was.
"""

from sound import exact

TITLE = "next and previous held down together; the daemon ends and comes back"


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    begin = box.sound.frames
    box.run("queue add one.wav two.flac three.wav")
    box.run("play")
    box.wait_for("playing")
    box.sound.wait_for(0.5)
    daemon = box.daemon
    box.chord(("next", "prev"), held=1.2)
    box.wait_until(lambda: box.daemon not in ("", daemon), "end of the daemon")
    box.on.console.wait(60)
    status = box.wait_for("playing")
    assert status["path"].endswith("one.wav"), f"a button of the chord acted by itself: {status['path']}"
    box.sound.wait_for(1)
    data = box.sound.read(begin)
    first = exact(data, track)
    last = exact(data, track, len(data) // 4 - box.sound.rate // 2)
    lost = last.position - last.at - (first.position - first.at)
    note(f"ended and went on, {first.end_position / box.sound.rate:.2f} s into the file")
    assert last.position >= first.end_position - box.sound.rate // 50, f"it went back to frame {last.position} {lost}"
