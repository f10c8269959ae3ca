"""Scenario: the machine is rebooted during playback; systemd starts the service, and the music continues."""

from scenarios.playing import play, stop

TITLE = "started anew while it plays: the service comes up by itself, and the music continues"


def run(board, note) -> None:
    play(board)
    position = board.position
    board.reboot()
    board.wait_active()
    board.wait(board.plays, "music after the start")
    after = board.position
    assert position - 1 <= after <= position + 90, f"it played at {position:.1f} s, and after the start at {after:.1f} s"
    failed = board.run("systemctl --failed --no-legend --plain")
    assert "swiftlet" not in failed, failed
    kernel = int(board.unit("ActiveEnterTimestampMonotonic")["ActiveEnterTimestampMonotonic"]) / 1e6
    note(f"ready {kernel:.1f} s after the kernel's start; at {position:.1f} s, then at {after:.1f} s")
    stop(board)
