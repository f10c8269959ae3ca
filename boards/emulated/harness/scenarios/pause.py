"""Scenario: a pause and a resume are ramped, and each frame of the file is heard exactly once."""

from pausing import pause_and_resume

TITLE = "pause and resume by button; ramped, nothing lost, nothing twice"


def run(box, note) -> None:
    def press() -> None:
        box.press("play")

    _, first, resumed = pause_and_resume(box, "play one.wav", press, press)
    ramps = 2 * (box.sound.rate // 5)
    note(f"paused on frame {first.end_position}, silent for {resumed.at - first.end - ramps} frames")
