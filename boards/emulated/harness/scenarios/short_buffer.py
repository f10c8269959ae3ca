"""A device that cannot rewind: short periods, said by status, and nothing lost either."""

from sound import check_pause, exact

TITLE = "a device that cannot rewind takes the short buffer"


def run(box, note) -> None:
    box.configure("set output.device plughw:0,0\nset cues.enabled off\n")
    try:
        box.on.console.wait(60)
        box.run("volume 100")
        track = box.music.tracks["one.wav"]
        begin = box.sound.frames
        box.run("play one.wav")
        status = box.wait_for("playing")
        assert "short buffer" in status["output"], f"the output is {status['output']}"
        box.sound.wait_for(1)
        box.press("play")
        box.wait_silent()
        box.press("play")
        box.wait_for("playing")
        box.sound.wait_for(1)
        data = box.sound.read(begin)
        check_pause(data, track, exact(data, track), box.sound.rate // 5)
        assert box.run("stats")["xruns"] == 0
        note(status["output"].partition("; ")[2])
    finally:
        box.configure("")
        box.on.console.wait(60)
