"""Scenario: the sound card is unplugged during playback and plugged in again; the music continues at the frame where
it was lost.
"""

from sound import exact, sound_from

TITLE = "a USB sound card pulled out and put back; continues at the same frame"


def run(box, note) -> None:
    rate = box.sound.rate
    track = box.music.tracks["one.wav"]
    machine = box.on
    machine.plug_usb_card()
    box.wait_until(lambda: "usb" in machine.shell.run("cat /proc/asound/cards").lower(), "the USB card")
    with box.configured("set output.device hw:1,0\nset cues.enabled off\n"):
        box.run("volume 100")
        box.run("play one.wav")
        status = box.wait_for("playing")
        note(status["output"].partition("; ")[2])
        machine.usb_recording.wait(2 * rate)
        machine.unplug_usb_card()
        lost = round(float(box.wait_for("paused")["position"]) * rate)
        before = machine.usb_recording.set_aside("usb-before.wav").read()
        machine.plug_usb_card()
        box.wait_for("playing")
        machine.usb_recording.wait(rate)
        after = machine.usb_recording.read()
        first = exact(before, track)
        assert first and first.position == 0, f"before the loss was heard: {first}"
        # Frames that were in transit in QEMU and on the bus count as played, but are not heard.
        way = lost - first.end_position
        assert 0 <= way <= rate // 4, f"lost on frame {lost}, but heard until {first.end_position}"
        second = exact(after, track)
        # The ramp begins there; the board sets the card's volume slightly later.
        resumed = sound_from(after, 0) - second.at + second.position
        note(f"lost on frame {lost}, {way} of them on their way; went on at {resumed:}")
        # Status shows milliseconds.
        assert abs(resumed - lost) <= 64, f"lost on frame {lost}, it went on at {resumed}"
        assert second.end == len(after) // 4
    machine.unplug_usb_card()
