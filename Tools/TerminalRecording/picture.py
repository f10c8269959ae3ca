# Draws screens over time as an SVG: a row is drawn once for each period in which it is unchanged, and shown by a CSS
# animation.
from html import escape

CELL, LINE, SIZE = 7.65, 17, 12.75
LEFT, TOP = 16, 44
PAPER, INK = "#10151c", "#d5dbe3"
COLOURS = {
    30: "#5b6672", 31: "#e06c75", 32: "#7fc58a", 33: "#e5a54b", 34: "#6ea8fe", 35: "#c792ea", 36: "#5cc8c8", 37: INK,
    90: "#7d8894", 91: "#ff7b86", 92: "#8fe39b", 93: "#ffd479", 94: "#8fbcff", 95: "#d8a8ff", 96: "#7fe3e3", 97: "#ffffff",
}
# Seconds for which the last screen is shown before the animation repeats.
REST = 2.0


def stretches(screens, end, row):
    """Returns the periods (from, to, runs) of a row."""
    found = []
    for place, (moment, snapshot) in enumerate(screens):
        until = screens[place + 1][0] if place + 1 < len(screens) else end
        if found and found[-1][2] == snapshot[row]:
            found[-1][1] = until
        else:
            found.append([moment, until, snapshot[row]])
    return [one for one in found if one[2]]


def text_of(runs, y):
    parts = []
    for column, text, (colour, bold, dim, inverse) in runs:
        x, width = LEFT + column * CELL, len(text) * CELL
        paint = COLOURS.get(colour, INK)
        if inverse:
            parts.append(f'<rect x="{x:.1f}" y="{y - 13}" width="{width:.1f}" height="{LINE}" fill="{paint}"/>')
            paint = PAPER
        style = (' font-weight="bold"' if bold else "") + (' opacity=".6"' if dim else "")
        style += f' fill="{paint}"' if paint != INK else ""
        parts.append(f'<text x="{x:.1f}" y="{y}" textLength="{width:.1f}"{style}>{escape(text)}</text>')
    return "".join(parts)


def drawn(screens, length, columns, rows, title):
    end = length + REST
    width, height = round(2 * LEFT + columns * CELL), TOP + rows * LINE + 6
    keyframes, body = {}, []
    for row in range(rows):
        y = TOP + row * LINE + 13
        for begin, until, runs in stretches(screens, end, row):
            text = text_of(runs, y)
            whole = begin <= screens[0][0] and until >= end
            if whole:
                body.append(f"<g>{text}</g>")
                continue
            span = (round(100 * begin / end, 2), round(100 * until / end, 2))
            name = keyframes.setdefault(span, f"k{len(keyframes)}")
            last = " last" if until >= end else ""
            body.append(f'<g class="s {name}{last}">{text}</g>')
    css = [f".s{{opacity:0;animation:{end:.1f}s step-end infinite}}"]
    for (begin, until), name in keyframes.items():
        frames = ("" if begin <= 0 else "0%{opacity:0}") + f"{begin}%{{opacity:1}}" + (
            f"{until}%{{opacity:0}}" if until < 100 else "")
        css.append(f"@keyframes {name}{{{frames}}}.{name}{{animation-name:{name}}}")
    # Users who prefer reduced motion see the last screen.
    css.append("@media (prefers-reduced-motion:reduce){.s{animation:none}.last{opacity:1}}")
    lights = "".join(f'<circle cx="{LEFT + 6 + 18 * n}" cy="16" r="5" fill="{colour}"/>'
                     for n, colour in enumerate(["#e06c75", "#e5a54b", "#7fc58a"]))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}" fill="{INK}" '
        'xml:space="preserve">',
        "<!-- Made by scripts/record-terminal. -->",
        f"<style>{''.join(css)}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>{lights}',
        f'<text x="{width / 2}" y="20" text-anchor="middle" fill="#8b96a3">{escape(title)}</text>',
        *body, "</svg>", ""])
