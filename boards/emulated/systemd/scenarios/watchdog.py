"""Scenario: the process hangs during playback; systemd's watchdog restarts it."""

from scenarios.playing import play, stop

TITLE = "hung while it plays: systemd's watchdog starts it again, and the music continues"
# Shorter than the unit's minute: the test is about the agreement of systemd and daemon.
SECONDS = 8


def run(board, note) -> None:
    assert board.unit("WatchdogUSec")["WatchdogUSec"] == "1min", board.unit("WatchdogUSec")
    board.run(
        "mkdir -p /run/systemd/system/swiftlet.service.d; cd /run/systemd/system/swiftlet.service.d;"
        f" printf '[Service]\\nWatchdogSec={SECONDS}\\nTimeoutAbortSec=3\\n' >short.conf; systemctl daemon-reload; systemctl restart swiftlet"
    )
    try:
        play(board)
        before = board.unit("MainPID", "NRestarts")
        # A healthy process must not be restarted for more than twice the watchdog's time.
        board.run(f"sleep {2 * SECONDS + 1}")
        assert board.unit("MainPID", "NRestarts") == before, "the watchdog takes a box that lives for a hung one"
        position = board.position
        board.run(f"kill -STOP {before['MainPID']}")
        seconds = board.wait(lambda: board.unit("MainPID")["MainPID"] not in ("0", before["MainPID"]), "new process")
        board.wait_active()
        journal = board.run("journalctl -b -u swiftlet --no-pager -o cat -n 40")
        assert "atchdog timeout" in journal, journal
        board.wait(board.plays, "music after the hang")
        after = board.position
        assert position - 11 <= after <= position + 30, f"it played at {position:.1f} s, and after the hang at {after:.1f} s"
        note(f"started again {seconds:.0f} s after it hung, with {SECONDS} s instead of 60; at {position:.1f} s, then at {after:.1f} s")
        stop(board)
    finally:
        board.run("rm -r /run/systemd/system/swiftlet.service.d; systemctl daemon-reload; systemctl restart swiftlet")
        board.wait_active()
