"""Scenario: the deep buffer on HDA causes few wake-ups in steady play, and yet a press is heard immediately."""

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

    counted = latencies(box)
    presses = []
    for _ in range(PRESSES):
        at = box.sound.frames
        box.press("play")
        box.wait_silent()
        presses.append(at - begin)
        box.press("play")
        box.wait_for("playing")
        box.sound.wait_for(0.6)
    data = box.sound.read(begin)
    stretch = exact(data, track)
    outside = []
    for at in presses:
        outside.append(stretch.end - at)
        stretch = check_pause(data, track, stretch, box.sound.rate // 5)
    stats = box.run("stats")
    assert stats["xruns"] == 0, f"{stats['xruns']} underruns"
    buckets = [(bound, count - before) for (bound, count), (_, before) in zip(latencies(box), counted)]
    late = sum(count for bound, count in buckets if bound is None or bound > 20)
    note(f"{turns:.1f} turns of the audio thread a second")
    note("command to sound: " + ", ".join(f"{count} in {bound} ms" for bound, count in buckets if count))
    note(f"press to sound, debounced and as seen from outside, in frames: {sorted(outside)}")
    assert not late, f"{late} commands were heard after more than 20 ms: {buckets}"
    assert turns < 10, f"{turns:.1f} turns a second"


def latencies(box) -> list[tuple[int | None, int]]:
    """Returns the daemon's own histogram as (upper bound in ms, number of commands)."""
    rows = box.ask("stats")["rows"]
    return [(row["at-most"], row["count"]) for row in rows if "at-most" in row]
