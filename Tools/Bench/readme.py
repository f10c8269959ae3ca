# Writes the first table of README.md from the tables in docs/reference/bench.md.
import re

from picture import LOST, PRESSED, THRIFTY, Source, lost

HEAD = "| playing FLAC as a daemon"
PLAYERS = ("Swiftlet Embedded", "MPD", "squeezelite")


def write(path, page):
    """Replaces the table in README.md."""
    with open(path) as file:
        text = file.read()
    old = re.search(rf"(?m)^{re.escape(HEAD)}(?:.*\n)(?:\|.*\n)+", text)
    with open(path, "w") as file:
        file.write(text[:old.start()] + table(page) + text[old.end():])


def table(page):
    source = Source(page)
    day, disk = "The daemon", "On disk"
    start, press = "exec → first frame, resuming a queue", "Button → change in the sound"
    memory, playing, paused = "memory, MB: PSS / alone / anonymous", "wake-ups a second, playing", "wake-ups a second, paused"

    def each(players, shown):
        return [shown(player) for player in players]

    def awake(player):
        return " · ".join(plain(source.cell(day, player, column)) for column in (playing, paused))

    def megabytes(player, column, processor):
        kilobytes = source.cell(disk, f"{player}, {processor}", column)
        return missing(kilobytes, lambda value: f"{value / 1e3:.2f}" if value < 1e4 else f"{value / 1e3:.0f}")

    rows = [
        ("memory that no other program shares, pages of libraries included",
         each(PLAYERS, lambda player: united(source.cell(day, player, memory, 1), "MB"))),
        ("of it anonymous: heap, stacks and buffers",
         each(PLAYERS, lambda player: united(source.cell(day, player, memory, 2), "MB"))),
        ("wake-ups per second, playing · paused", each(PLAYERS, awake)),
        ("start → first frame of the resumed queue",
         each(PLAYERS, lambda player: united(source.cell(start, player, "resuming"), "ms"))),
        ("button → first change in the sound, pausing",
         each(PRESSED, lambda player: united(source.cell(press, player, "pause"), "ms"))),
        ("button → silence (`pause.ramp` is 200 ms)",
         each(PRESSED, lambda player: united(source.cell(press, player, "silence"), "ms"))),
        ("music lost by that pause",
         each(PRESSED, lambda player: missing(source.cell(press, player, LOST), lost))),
        ("size on disk with five codecs, without shared libraries (amd64 · arm64)",
         each(PLAYERS, lambda player: " · ".join(megabytes(player, "together", one) for one in ("amd64", "arm64")) + " MB")),
        ("the same with the shared libraries that it loads (amd64)",
         each(PLAYERS, lambda player: f"{megabytes(player, 'with all shared libraries', 'amd64')} MB")),
        ("the same with streams, AAC and WavPack, which MPD's figure includes",
         [f"{megabytes('Swiftlet Embedded with all packages', 'with all shared libraries', 'amd64')} MB",
          *(f"{megabytes(player, 'with all shared libraries', 'amd64')} MB" for player in PLAYERS[1:])]),
    ]
    # The cost of squeezelite's defaults, and what options can save.
    rows[0][1][2] += aside(source.cell(day, THRIFTY, memory, 1), "not locked")
    rows[1][1][2] += aside(source.cell(day, THRIFTY, paused), "with `-C 1`")
    heads = ["Swiftlet", f"MPD {version(page, 'Music Player Daemon')}", f"squeezelite {version(page, 'Squeezelite v')}"]
    lines = [f"{HEAD}, on the same machine | {' | '.join(head.strip() for head in heads)} |", "|---" + "|--:" * 3 + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows]
    return "\n".join(lines) + "\n"


def version(page, name):
    found = re.search(rf"{name} ?([0-9.]+)", page)
    return "" if found is None else found.group(1)


def missing(value, shown):
    return "–" if value is None else shown(value)


def plain(value):
    return missing(value, lambda value: f"{value:.1f}".removesuffix(".0"))


def united(value, unit):
    return missing(value, lambda value: f"{plain(value)} {unit}")


def aside(value, what):
    return "" if value is None else f" ({plain(value)} {what})"

