"""Scenario: the USB stick is pulled during playback; it is unmounted, and plays on when it returns under the same
name.
"""

from scenarios.stick import UNIT, is_gone, plug

TITLE = "a stick pulled while it plays is unmounted all the same, and plays on when it is back"


def run(board, note) -> None:
    plug(board)
    board.run("swiftlet ctl play '/media/sda1/long.wav'")
    board.wait(board.plays, "music from the stick")
    position = board.position
    board.unplug()
    board.wait(lambda: is_gone(board), "tidy /media")
    board.wait(lambda: board.unit("ActiveState", unit=UNIT)["ActiveState"] in ("inactive", "failed"), "end of the stick's unit")
    # Decoded music may still be heard; then the player waits for the stick.
    state = board.wait(lambda: board.status().get("state") != "playing", "state that says why it is silent")
    status = board.status()
    plug(board)
    board.wait(board.plays, "music when the stick is back")
    after = board.position
    assert board.status()["path"].startswith("/media/sda1/"), board.status()
    assert position <= after + 1 and after < position + 60, f"it played at {position:.1f} s, and then at {after:.1f} s"
    note(f"pulled at {position:.1f} s, {status['state']} {state:.1f} s later, back at {after:.1f} s")
    board.run("swiftlet ctl stop; swiftlet ctl queue clear")
    board.unplug()
    board.wait(lambda: is_gone(board), "tidy /media")
