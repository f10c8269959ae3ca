"""The sound card is pulled out while it plays and comes back: the music goes on at the frame where it was lost."""

from sound import exact, sound_from

TITLE = "a USB sound card pulled out and put back; goes on at the same frame"


def run(box, note) -> None:
    rate = box.sound.rate
    track = box.music.tracks["one.wav"]
    machine = box.on
    machine.plug_usb_card()
    box.wait_until(lambda: "usb" in machine.shell.run("cat /proc/asound/cards").lower(), "the USB card")
    box.configure("set output.device hw:1,0\nset cues.enabled off\n")
    try:
        machine.console.wait(60)
        box.run("volume 100")
        box.run("play one.wav")
        status = box.wait_for("playing")
        note(status["output"].partition("; ")[2])
        machine.usb_recording.wait(2 * rate)
        machine.unplug_usb_card()
        box.wait_for("paused")
        before = machine.usb_recording.set_aside("usb-before.wav").read()
        machine.plug_usb_card()
        box.wait_for("playing")
        machine.usb_recording.wait(rate)
        after = machine.usb_recording.read()
        first = exact(before, track, sound_from(before, 0))
        assert first and first.position == 0, f"before the loss was heard: {first}"
        second = exact(after, track, sound_from(after, 0))
        gap = second.position - first.end_position
        note(f"lost on frame {first.end_position}, went on {gap:+} frames from there")
        assert abs(gap) <= rate // 2, f"{gap} frames between what was heard before and after"
        assert second.end == len(after) // 4
    finally:
        box.configure("")
        machine.console.wait(60)
        machine.unplug_usb_card()
