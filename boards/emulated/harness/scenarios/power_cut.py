"""Scenario: a power cut during playback and in a paused crossfade; playback continues at the next power-on."""

from sound import exact, sound_from

TITLE = "power cut while playing and in a paused crossfade; continues at the next boot"


def run(box, note) -> None:
    rate = box.sound.rate
    track = box.music.tracks["one.wav"]
    box.run("play one.wav")
    box.wait_for("playing")
    begin = box.sound.frames
    box.sound.wait(begin + 13 * rate)
    data = box.sound.read(begin + 12 * rate)
    box.power_cut()
    last = exact(data, track).end_position
    box.power_on()
    box.wait_for("playing")
    box.sound.wait(rate)
    data = box.sound.read()
    resumed = exact(data, track, sound_from(data, 0))
    lost = last - resumed.position
    assert 0 <= lost <= 10.5 * rate, f"cut at {last / rate:.2f} s, it went on at {resumed.position / rate:.2f} s"
    note(f"cut at {last / rate:.2f} s, went on {lost / rate:.2f} s before that")

    box.fresh()
    box.run("set fade.length 4")
    box.run("save")
    box.run("queue add left.wav right.wav")
    box.run("play")
    box.wait_for("crossfading")
    box.sound.wait_for(0.5)
    box.run("pause")
    fade = box.wait_for("crossfadePaused")["fade"]
    box.sound.wait_for(0.3)
    fade = box.status()["fade"]
    box.power_cut()
    box.power_on()
    status = box.wait_for("crossfadePaused")
    assert status["fade"] == fade, f"the fade stood at {fade}, now at {status['fade']}"
    box.run("play")
    box.wait_for("playing")
    box.sound.wait_for(0.5)
    data = box.sound.read()
    right = box.music.tracks["right.wav"]
    after = exact(data, right)
    assert after and after.position >= 4 * rate, f"the second file was heard alone from {after} on"
    note(f"a paused fade was at {fade} before and after")
    box.run("unset fade.length")
    box.run("save")
