"""Music for the scenarios that need it."""


def play(board) -> None:
    """Plays from the beginning, until it is on its way and remembered."""
    board.run("swiftlet ctl play long.wav")
    board.wait(board.plays, "music")


def stop(board) -> None:
    board.run("swiftlet ctl stop")
    board.run("swiftlet ctl queue clear")
