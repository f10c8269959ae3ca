"""Music for the scenarios that need it."""


# Far from the beginning, so that a box which begins anew is noticed.
BEGIN = 60


def play(board) -> None:
    """Plays from the middle of a track, until it is on its way."""
    board.run(f"swiftlet ctl play long.wav && swiftlet ctl seek {BEGIN}")
    board.wait(lambda: board.plays() and board.position > BEGIN, "music")


def stop(board) -> None:
    board.run("swiftlet ctl stop")
    board.run("swiftlet ctl queue clear")
