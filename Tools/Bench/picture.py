# Draws docs/reference/bench.svg from the tables in docs/reference/bench.md: Swiftlet, MPD and squeezelite side by side, for readers new
# to all three.
import html
import re

INK, PALE = "#1a1a1a", "#666666"
PLAYERS = [("Swiftlet", "#2f7d5b"), ("MPD", "#b9b2a6"), ("squeezelite", "#c98f4e")]
KINDS = {"Swiftlet": "", "MPD": ", the Music Player Daemon", "squeezelite": ", which a music server feeds"}
PITCH = 14
WIDTH = 830
# Names of the players, and of one column, in the button table.
PRESSED, LOST = ("Swiftlet Embedded, auto", "MPD + mpc", "squeezelite"), "music lost by a pause"
THRIFTY = "squeezelite -C 1, not locked"
CODECS = ["WAV", "FLAC", "Vorbis", "Opus", "MP3"]


def tables(page):
    """Parses the tables of a Markdown page: title → (columns, rows as lists of cells)."""
    found = {}
    for part in re.split(r"(?m)^## ", page)[1:]:
        title, *lines = part.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        if len(rows) > 2:
            found[title] = (rows[0], rows[2:])
    return found


def number(cell, part=0):
    """Returns a cell's number, or one part of `median / worst`; None if there is none."""
    pieces = [piece.strip() for piece in cell.split("/")]
    try:
        return float(pieces[part])
    except (IndexError, ValueError):
        return None


class Source:
    def __init__(self, page):
        self.tables = tables(page)

    def cell(self, title, row, column, part=0):
        for name, (columns, rows) in self.tables.items():
            if name.startswith(title):
                for cells in rows:
                    if cells[0] == row and column in columns:
                        return number(cells[columns.index(column)], part)
        return None

    def by_codec(self, title, part=0):
        return [(codec, *(self.cell(title, codec, column, part)
                          for column in (self.embedded(title), "MPD", "squeezelite")))
                for codec in CODECS]

    def embedded(self, title):
        for name, (columns, _) in self.tables.items():
            if name.startswith(title):
                return next(column for column in columns if column in ("Swiftlet Embedded", "Embedded"))
        return ""


def panels(source):
    """Returns the panels as (title, unit, rows of (name, number of each player), note)."""
    start = "exec → first frame, resuming a queue"
    press = "Button → change in the sound"
    day = "The daemon"
    paused = [(name, source.cell("Wake-ups a second, paused", player, "paused"))
              for name, player in (("Swiftlet", "Swiftlet Embedded"), ("MPD", "MPD"), ("squeezelite", "squeezelite"))]
    awake = ", ".join(f"{name} {figure(value) if value >= 0.05 else 'none'}" for name, value in paused if value is not None)
    losses = ", ".join(
        f"{name} {lost(value)}" for name, value in zip(
            [name for name, _ in PLAYERS], [source.cell(press, player, LOST) for player in PRESSED]) if value is not None)
    unlocked = source.cell(day, THRIFTY, "memory, MB: PSS / alone / anonymous", 1)
    return [
        ("CPU while playing", "milliseconds per second of music",
         source.by_codec("CPU, ms a second, playing in real time"),
         "squeezelite is sent the file by a server, whose CPU is not in it."),
        ("Wake-ups while playing", "per second, all threads and processes", source.by_codec("Wake-ups a second, playing"),
         f"While paused: {awake}." if awake else ""),
        ("Memory while playing", "MB that no other program shares", source.by_codec("Memory, MB of all processes", 1),
         f"squeezelite locks all it has loaded; where it may not, it has {figure(unlocked)} MB." if unlocked else ""),
        ("Start", "milliseconds from exec to the first frame of a resumed queue",
         [("FLAC", *(source.cell(start, player, "resuming") for player in ("Swiftlet Embedded", "MPD", "squeezelite")))],
         ""),
        ("Button to sound", "milliseconds from a press to the pause in the sound",
         [("pause", *(source.cell(press, player, "pause") for player in PRESSED))],
         f"Music lost by that pause: {losses}." if losses else ""),
    ]


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")


def lost(milliseconds):
    # Less than a step of the staircase signal cannot be measured.
    return "none" if milliseconds < 1 else f"{milliseconds / 1e3:.1f} s"


def drawn(page, date):
    source = Source(page)
    parts, y = [], 88
    left, scale = 92, 560
    for title, unit, rows, note in panels(source):
        rows = [row for row in rows if any(value is not None for value in row[1:])]
        if not rows:
            continue
        parts.append(f'<text x="20" y="{y + 16}" font-size="16" font-weight="bold" fill="{INK}">{html.escape(title)}'
                     f'<tspan font-size="13" font-weight="normal" fill="{PALE}" dx="10">{html.escape(unit)}</tspan></text>')
        y += 28
        most = max(value for row in rows for value in row[1:] if value is not None)
        for name, *values in rows:
            middle = y + PITCH * sum(value is not None for value in values) / 2
            parts.append(f'<text x="{left - 10}" y="{middle + 3:.0f}" text-anchor="end" font-size="13" fill="{INK}">'
                         f"{html.escape(name)}</text>")
            for value, (_, colour) in zip(values, PLAYERS):
                if value is not None:
                    length = max(2, scale * value / most)
                    parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="11" rx="2" fill="{colour}"/>')
                    parts.append(f'<text x="{left + length + 8:.1f}" y="{y + 10}" font-size="12.5" fill="{INK}">'
                                 f"{figure(value)}</text>")
                    y += PITCH
            y += 6
        if note:
            parts.append(f'<text x="{left}" y="{y + 10}" font-size="12.5" fill="{PALE}">{html.escape(note)}</text>')
            y += 16
        y += 16
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
        'font-family="DejaVu Sans, Verdana, sans-serif">',
        f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>',
        f'<text x="20" y="30" font-size="20" font-weight="bold" fill="{INK}">Swiftlet beside MPD and squeezelite: '
        'shorter is better</text>',
    ]
    x = 20
    for name, colour in PLAYERS:
        head.append(f'<rect x="{x}" y="42" width="12" height="12" rx="2" fill="{colour}"/>'
                    f'<text x="{x + 18}" y="53" font-size="13" fill="{INK}">{name}'
                    f'<tspan fill="{PALE}">{KINDS[name]}</tspan></text>')
        x += 45 + round(7.4 * len(name + KINDS[name]))
    head.append(f'<text x="20" y="74" font-size="13" fill="{PALE}">measured side by side on one machine, '
                f"{html.escape(date)}</text>")
    return "\n".join([*head, *parts, "</svg>", ""])
