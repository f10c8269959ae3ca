"""Scenario: holding `next` and `prev` together ends the daemon, and systemd does not restart it until the next boot."""

import time

TITLE = "next and prev together, held: the service ends well and stays down until the next start"
NEXT, PREV = 1, 2


def hold(board) -> None:
    for line in (NEXT, PREV):
        board.gpio.down(line)
    time.sleep(2.5)
    for line in (NEXT, PREV):
        board.gpio.up(line)


def run(board, note) -> None:
    before = board.unit("NRestarts")
    hold(board)
    board.wait(lambda: board.unit("ActiveState")["ActiveState"] == "inactive", "end of the service")
    board.run("sleep 5")
    after = board.unit("ActiveState", "Result", "ExecMainStatus", "NRestarts")
    assert after == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "10"} | before, after
    # The next boot starts it again, or a user does.
    board.run("systemctl start swiftlet")
    board.wait_active()
    note("exit status 10, no restart within 5 s")
