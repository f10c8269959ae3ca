"""SVG pictures for light and dark pages, with a title and a description for screen readers. Used by
scripts/draw-pages.
"""

from html import escape

# Colours by role: (on light pages, on dark pages).
COLOURS = {
    "paper": ("#ffffff", "#161b22"),
    "panel": ("#f1f4f7", "#232a33"),
    "ink": ("#1d2b36", "#e6edf3"),
    "faint": ("#566572", "#a9b4bf"),
    "edge": ("#8796a3", "#6e7b88"),
    "blue": ("#1f5fae", "#86beff"),
    "pale-blue": ("#dbe9fb", "#1c3553"),
    "green": ("#1a6f33", "#63d67f"),
    "pale-green": ("#dcf3e1", "#14381f"),
    "red": ("#b3231a", "#ff8f86"),
    "pale-red": ("#fde0de", "#4b1b18"),
    "amber": ("#845000", "#edbb55"),
    "pale-amber": ("#fbe8cf", "#3f2f08"),
    "violet": ("#6f3aa8", "#cda6ff"),
    "pale-violet": ("#efe3fa", "#352150"),
    "board": ("#2f7d4f", "#2f7d4f"),
    "metal": ("#c3ccd4", "#8b98a5"),
    "plastic": ("#3a4651", "#4b5966"),
    "white": ("#ffffff", "#ffffff"),
    "black": ("#1d2b36", "#1d2b36"),
    "cap": ("#b3231a", "#b3231a"),
}
# Text colours, and the background colours on which each must be readable.
READABLE = {
    "ink": ("paper", "panel", "pale-violet", "pale-blue"), "faint": ("paper", "panel"), "blue": ("paper", "panel", "pale-blue"), "paper": ("blue",),
    "green": ("panel", "pale-green"), "red": ("paper", "panel"), "amber": ("pale-amber",), "violet": ("paper", "pale-violet"),
    "white": ("board", "plastic"), "black": ("metal",),
}  # fmt: skip


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def unreadable():
    """Yields the pairs of text and background with a contrast below 4.5 (WCAG 2, level AA), on light or dark pages."""
    for ink, grounds in READABLE.items():
        for ground in grounds:
            for side, theme in enumerate(("light", "dark")):
                low, high = sorted((_luminance(COLOURS[ink][side]), _luminance(COLOURS[ground][side])))
                contrast = (high + 0.05) / (low + 0.05)
                if contrast < 4.5:
                    yield f"{ink} on {ground} has a contrast of {contrast:.1f} on {theme} pages"


def style() -> str:
    """Returns the style sheet with a class for each role: f-ROLE fills, s-ROLE strokes."""
    light, dark = (
        "".join(f".f-{role}{{fill:{pair[side]}}}.s-{role}{{stroke:{pair[side]}}}" for role, pair in COLOURS.items()) for side in (0, 1)
    )
    return f"<style>{light}\n@media (prefers-color-scheme:dark){{{dark}}}</style>"


class Picture:
    """A picture under construction. Coordinates are pixels from the upper left corner."""

    def __init__(self, width: int, height: int, title: str, description: str):
        self.width, self.height, self.title, self.description = width, height, title, description
        self.parts: list[str] = []
        self.box(0, 0, width, height, "paper", None, 12)

    def _add(self, shape: str, fill: str | None, stroke: str | None, width: float, more: str = ""):
        classes = " ".join([f"f-{fill}"] * bool(fill) + [f"s-{stroke}"] * bool(stroke))
        paint = ("" if fill else ' fill="none"') + (f' stroke-width="{width}"' if stroke else "")
        self.parts.append(f'<{shape} class="{classes}"{paint}{more}/>')

    def box(self, x, y, width, height, fill="panel", stroke="edge", radius=6, thick=1.5):
        self._add(f'rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"', fill, stroke, thick)

    def disc(self, x, y, radius, fill="panel", stroke="edge", thick=1.5):
        self._add(f'circle cx="{x}" cy="{y}" r="{radius}"', fill, stroke, thick)

    def path(self, points: str, stroke="ink", thick=2, fill=None, dashed=False):
        dashes = ' stroke-dasharray="5 5"' if dashed else ""
        self._add(f'path d="{points}"', fill, stroke, thick, f' stroke-linecap="round" stroke-linejoin="round"{dashes}')

    def arrow(self, points: str, x, y, direction: str, stroke="blue", thick=3):
        """Draws a line with an arrow head at (x, y) that points right, left, up or down."""
        self.path(points, stroke, thick)
        a, b = {"right": ((-11, -7), (-11, 7)), "left": ((11, -7), (11, 7)), "down": ((-7, -11), (7, -11)), "up": ((-7, 11), (7, 11))}[direction]
        self.path(f"M{x + a[0]} {y + a[1]}L{x} {y}L{x + b[0]} {y + b[1]}", stroke, thick)

    def text(self, x, y, text: str, size=15, colour="ink", anchor="start", bold=False, mono=False):
        weight = ' font-weight="bold"' * bold + ' font-family="DejaVu Sans Mono, Consolas, monospace" xml:space="preserve"' * mono
        self.parts.append(f'<text x="{x}" y="{y}" class="f-{colour}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def lines(self, x, y, texts, size=15, colour="ink", anchor="start", bold=False, pitch=None):
        for number, text in enumerate(texts):
            self.text(x, y + number * (pitch or round(size * 1.4)), text, size, colour, anchor, bold)

    def number(self, x, y, number):
        """Draws the number of a step in a disc."""
        self.disc(x, y, 14, "blue", None)
        self.text(x, y + 5.5, str(number), 15, "paper", "middle", True)

    def tick(self, x, y):
        self.disc(x, y, 12, "pale-green", "green")
        self.path(f"M{x - 5} {y}L{x - 1.5} {y + 4.5}L{x + 6} {y - 5}", "green", 2.5)

    def cross(self, x, y):
        self.disc(x, y, 12, "pale-red", "red")
        self.path(f"M{x - 5} {y - 5}L{x + 5} {y + 5}M{x + 5} {y - 5}L{x - 5} {y + 5}", "red", 2.5)

    def finished(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" aria-labelledby="title description"'
            f' font-family="DejaVu Sans, Verdana, sans-serif">\n<!-- Drawn by scripts/draw-pages. -->\n<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="description">{escape(self.description)}</desc>\n{style()}\n'
        )
        return head + "\n".join(self.parts) + "\n</svg>\n"
