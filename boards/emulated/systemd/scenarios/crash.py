"""Scenario: the process is killed during playback; systemd restarts it, and the music continues."""

from scenarios.playing import play, stop

TITLE = "killed while it plays: started again, and the music continues"


def run(board, note) -> None:
    before = board.unit("MainPID", "NRestarts")
    play(board)
    position = board.position
    board.run(f"kill -9 {before['MainPID']}")
    board.wait(lambda: board.unit("MainPID")["MainPID"] not in ("0", before["MainPID"]), "new process")
    seconds = board.wait_active()
    assert int(board.unit("NRestarts")["NRestarts"]) == int(before["NRestarts"]) + 1
    board.wait(board.plays, "music after the crash")
    after = board.position
    # A checkpoint is at most ten seconds old; the time until the first status counts, too.
    assert position - 11 <= after <= position + 30, f"it played at {position:.1f} s, and after the crash at {after:.1f} s"
    processes = board.run("systemctl status swiftlet --no-pager -n 0").count(" worker")
    assert processes <= 2, "workers of the killed process are left"
    note(f"at {position:.1f} s, then at {after:.1f} s; back {seconds:.1f} s after the new process")
    stop(board)
