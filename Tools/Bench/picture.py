# Draws docs/bench.svg from the tables of docs/bench.md: Swiftlet beside MPD, for people who have never seen either.
import html
import re

SWIFTLET, MPD, INK, PALE = "#2f7d5b", "#b9b2a6", "#1a1a1a", "#666666"
WIDTH = 830
CODECS = ["WAV", "FLAC", "Vorbis", "Opus", "MP3"]


def tables(page):
    """Title → (columns, rows as lists of cells), of a page of the bench."""
    found = {}
    for part in re.split(r"(?m)^## ", page)[1:]:
        title, *lines = part.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        if len(rows) > 2:
            found[title] = (rows[0], rows[2:])
    return found


def number(cell, part=0):
    """A cell's figure, or one of `median / worst`; None where there is none."""
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
        return [(codec, self.cell(title, codec, self.embedded(title), part), self.cell(title, codec, "MPD", part))
                for codec in CODECS]

    def embedded(self, title):
        for name, (columns, _) in self.tables.items():
            if name.startswith(title):
                return next(column for column in columns if column in ("Swiftlet Embedded", "Embedded"))
        return ""


def panels(source):
    """(title, unit, rows of (name, Swiftlet, MPD), note)."""
    start = "exec → first frame, resuming a queue"
    press = "Button → change in the sound"
    paused = [source.cell("Wake-ups a second, paused", player, "paused") for player in ("Swiftlet Embedded", "MPD")]
    is_quiet = all(value is not None and value < 0.05 for value in paused)
    return [
        ("CPU while playing", "milliseconds per second of music",
         source.by_codec("CPU, ms a second, playing in real time"), ""),
        ("Wake-ups while playing", "per second, all threads and processes", source.by_codec("Wake-ups a second, playing"),
         "Both: none while paused." if is_quiet else ""),
        ("Memory while playing", "MB that no other program shares", source.by_codec("Memory, MB of all processes", 1), ""),
        ("Start", "milliseconds from exec to the first frame of a resumed queue",
         [("FLAC", source.cell(start, "Swiftlet Embedded", "resuming"), source.cell(start, "MPD", "resuming"))], ""),
        ("Button to sound", "milliseconds from a press to the pause in the sound",
         [("pause", source.cell(press, "Swiftlet Embedded, auto", "pause"), source.cell(press, "MPD + mpc", "pause"))],
         "MPD answers sooner by dropping the 0.9 s of music that it has queued; Swiftlet loses nothing."),
    ]


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")


def drawn(page, date):
    source = Source(page)
    parts, y = [], 66
    left, scale = 92, 560
    for title, unit, rows, note in panels(source):
        rows = [row for row in rows if row[1] is not None or row[2] is not None]
        if not rows:
            continue
        parts.append(f'<text x="20" y="{y + 16}" font-size="16" font-weight="bold" fill="{INK}">{html.escape(title)}'
                     f'<tspan font-size="13" font-weight="normal" fill="{PALE}" dx="10">{html.escape(unit)}</tspan></text>')
        y += 28
        most = max(value for row in rows for value in row[1:] if value is not None)
        for name, *values in rows:
            parts.append(f'<text x="{left - 10}" y="{y + 16}" text-anchor="end" font-size="13" fill="{INK}">'
                         f"{html.escape(name)}</text>")
            for value, colour in zip(values, (SWIFTLET, MPD)):
                if value is not None:
                    length = max(2, scale * value / most)
                    parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="10" rx="2" fill="{colour}"/>')
                    parts.append(f'<text x="{left + length + 8:.1f}" y="{y + 10}" font-size="12.5" fill="{INK}">'
                                 f"{figure(value)}</text>")
                y += 12
            y += 6
        if note:
            parts.append(f'<text x="{left}" y="{y + 10}" font-size="12.5" fill="{PALE}">{html.escape(note)}</text>')
            y += 16
        y += 16
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
        'font-family="DejaVu Sans, Verdana, sans-serif">',
        f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>',
        f'<text x="20" y="30" font-size="20" font-weight="bold" fill="{INK}">Swiftlet beside MPD: shorter is better</text>',
        f'<rect x="20" y="42" width="12" height="12" rx="2" fill="{SWIFTLET}"/>'
        f'<text x="38" y="53" font-size="13" fill="{INK}">Swiftlet</text>',
        f'<rect x="110" y="42" width="12" height="12" rx="2" fill="{MPD}"/>'
        f'<text x="128" y="53" font-size="13" fill="{INK}">MPD</text>',
        f'<text x="175" y="53" font-size="13" fill="{PALE}">measured side by side on one machine, {html.escape(date)}</text>',
    ]
    return "\n".join([*head, *parts, "</svg>", ""])
