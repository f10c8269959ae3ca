"""The deep buffer on HDA: few wake-ups in steady play, and yet a press is heard at once."""

import re

from sound import check_pause, exact

TITLE = "HDA takes the deep buffer; a press is heard within 20 ms"

PRESSES = 6


def run(box, note) -> None:
    track = box.music.tracks["one.wav"]
    begin = box.sound.frames
    box.run("play one.wav")
    status = box.wait_for("playing")
    assert "deep buffer" in status["output"], f"the output is {status['output']}"
    box.sound.wait_for(1)
    before = box.run("stats")
    box.sound.wait_for(4)
    after = box.run("stats")
    seconds = float(after["uptime"]) - float(before["uptime"])
    turns = (after["audio-turns"] - before["audio-turns"]) / seconds

    latencies = []
    for _ in range(PRESSES):
        at = box.sound.frames
        box.press("play")
        box.wait_silent()
        latencies.append(at - begin)
        box.press("play")
        box.wait_for("playing")
        box.sound.wait_for(0.6)
    data = box.sound.read(begin)
    stretch = exact(data, track)
    outside = []
    for at in latencies:
        outside.append(stretch.end - at)
        stretch = check_pause(data, track, stretch, box.sound.rate // 5)
    stats = box.run("stats")
    assert stats["xruns"] == 0, f"{stats['xruns']} underruns"
    rows = box.ask("stats")["rows"]
    worst = next((m for m in (re.search(r"worst ([0-9.]+) ms", str(row)) for row in rows) if m), None)
    assert worst, f"stats tell no latency: {rows}"
    note(f"{turns:.1f} turns of the audio thread a second")
    note(f"command to sound at worst {worst[1]} ms")
    note(f"press to sound in frames, as seen from outside: {sorted(outside)}")
    assert float(worst[1]) <= 20, f"a command was heard after {worst[1]} ms"
    assert turns < 10, f"{turns:.1f} turns a second"
