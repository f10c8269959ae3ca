"""Scenario: the udev rule and unit mount a USB stick read-only; it plays; after it is removed, no mount point
remains.
"""

TITLE = "a stick is mounted so that it can only be read, offered and played; pulled, nothing is left"

PLACE = "/media/sda1"
UNIT = "swiftlet-stick@sda1.service"


def plug(board) -> None:
    board.plug(board.stick)
    board.wait(lambda: board.holds(f"mountpoint -q {PLACE}"), "mounted stick")


def is_gone(board) -> bool:
    return board.holds(f"! mountpoint -q {PLACE} && [ ! -e {PLACE} ]")


def run(board, note) -> None:
    plug(board)
    options = set(board.run(f"findmnt -n -o OPTIONS {PLACE}").split(","))
    assert {"ro", "nosuid", "nodev", "noexec"} <= options, options
    assert board.unit("ActiveState", unit=UNIT)["ActiveState"] == "active"
    # Check the effect of the mount options: a program there must not start, and nothing can be written.
    assert not board.holds(f"{PLACE}/program 2>/dev/null") and not board.holds(f"touch {PLACE}/trial 2>/dev/null")
    board.wait(lambda: "storage" in board.run("swiftlet ctl history", check=False) or PLACE in board.run("swiftlet ctl media", check=False),
               "stick in the box's sight")  # fmt: skip
    # Play on an empty queue plays the stick. Files with non-ASCII names are found, too.
    board.run("swiftlet ctl play")
    board.wait(board.plays, "music from the stick")
    assert board.status()["path"].startswith(PLACE), board.status()
    board.run(f"swiftlet ctl play '{PLACE}/Käse.wav'")
    board.wait(board.plays, "music from a file whose name is not ASCII")
    board.run("swiftlet ctl stop; swiftlet ctl queue clear")
    board.unplug()
    board.wait(lambda: is_gone(board), "tidy /media")
    state = board.unit("ActiveState", "Result", unit=UNIT)
    assert state == {"ActiveState": "inactive", "Result": "success"}, state
    note(f"{','.join(sorted(options & {'ro', 'nosuid', 'nodev', 'noexec'}))}; found and played; /media is empty after")
