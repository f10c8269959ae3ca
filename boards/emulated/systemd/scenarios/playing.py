"""Music for the scenarios that need it."""


# Far from the beginning, to detect a box that starts the track again.
BEGIN = 60


def play(board) -> None:
    """Plays from the middle of a track, and waits until it plays."""
    board.run(f"swiftlet ctl play long.wav && swiftlet ctl seek {BEGIN}")
    board.wait(lambda: board.plays() and board.position > BEGIN, "music")


def stop(board) -> None:
    board.run("swiftlet ctl stop")
    board.run("swiftlet ctl queue clear")
