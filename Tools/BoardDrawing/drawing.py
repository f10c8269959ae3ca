# Draws a board's wiring as SVG: the header in the middle with a row per pin pair, controls on both sides.
from html import escape

PITCH, TOP, CENTRE, WIDTH = 30, 104, 490, 980
PIN_X, SIGNAL_X, GROUND_X, WIRE_X = 19, 46, 86, 108
PILL_X, PILL_WIDTH, PART_X, RAIL_X = 128, 142, 322, 440

INK, FAINT, PAPER = "#1d2b36", "#8796a3", "#ffffff"
COLOURS = {
    "button": ("#dbe9fb", "#1f5fae"), "knob": ("#fbe8cf", "#9a5b00"), "led": ("#eef1f4", "#4a5966"),
    "red": ("#fde0de", "#c0271b"), "green": ("#dcf3e1", "#1a7f37"), "blue": ("#dfe6ff", "#2a48c8"),
    "DAC": ("#efe3fa", "#6f3aa8"), "serial": ("#d9f1f0", "#0f6f6b"),
}
SIGNALS = {"3V3": ("#ffe9a8", INK), "5V": ("#ffc9bd", INK), "GND": (INK, PAPER)}


class Page:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def add(self, text):
        self.parts.append(text)

    def line(self, x1, y1, x2, y2, colour=INK, width=2):
        self.add(f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{colour}" stroke-width="{width}" fill="none"/>')

    def path(self, d, colour=INK, width=2, fill="none"):
        self.add(f'<path d="{d}" stroke="{colour}" stroke-width="{width}" fill="{fill}" '
                 'stroke-linejoin="round" stroke-linecap="round"/>')

    def dot(self, x, y, radius=3.5, fill=INK, stroke="none", width=2):
        self.add(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{stroke}" '
                 f'stroke-width="{width}"/>')

    def box(self, x, y, width, height, fill, stroke, radius=6, stroke_width=1.5):
        self.add(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" '
                 f'stroke="{stroke}" stroke-width="{stroke_width}"/>')

    def text(self, x, y, text, size=13, anchor="start", colour=INK, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.add(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>'
                 f'{escape(text)}</text>')

    def finished(self, title):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'font-family="DejaVu Sans, Verdana, sans-serif" role="img">\n<title>{escape(title)}</title>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="{PAPER}"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


class Wiring:
    """Draws the wiring of a board that has a header."""

    def __init__(self, board):
        self.board = board
        self.rows = (max(board.signals) + 1) // 2
        self.page = Page(WIDTH, TOP + self.rows * PITCH + 92)

    def y(self, pin):
        return TOP + (pin - 1) // 2 * PITCH + PITCH // 2

    def side(self, pin):
        return -1 if self.board.is_left(pin) else 1

    def drawn(self):
        page, board = self.page, self.board
        page.text(CENTRE, 36, board.title, 22, "middle", bold=True)
        page.text(CENTRE, 60, f"wiring of boards/{board.name}/profile, seen from above; "
                  "pin 1 has the square pad", 13, "middle", FAINT)
        for side in (-1, 1):
            self.rail(side)
        self.header()
        self.knobs()
        for one in board.connections:
            if one.kind != "knob":
                self.control(one)
        for pin, what in board.others.items():
            self.other(pin, what)
        self.notes()
        return page.finished(f"Wiring of {board.title}")

    def header(self):
        page, board = self.page, self.board
        page.box(CENTRE - 38, TOP - 4, 76, self.rows * PITCH + 8, "#f3f5f7", FAINT, 8)
        used = {one.pin: COLOURS[one.part if one.part in COLOURS else one.kind]
                for one in board.connections}
        used |= {pin: COLOURS[what.split()[0].strip(":")] for pin, what in board.others.items()}
        for pin, signal in sorted(board.signals.items()):
            side, y = self.side(pin), self.y(pin)
            fill, ink = SIGNALS.get(signal, (PAPER, INK))
            stroke = FAINT
            if pin in used:
                stroke = used[pin][1]
                if signal not in SIGNALS:
                    fill = used[pin][0]
            x = CENTRE + side * PIN_X
            if pin == 1:
                page.box(x - 11, y - 11, 22, 22, fill, stroke, 2)
            else:
                page.dot(x, y, 11, fill, stroke, 1.5)
            page.text(x, y + 4, str(pin), 10, "middle", ink)
            wired = pin in used or pin in board.grounds
            page.text(CENTRE + side * SIGNAL_X, y + 4.5, signal, 12.5, "end" if side < 0 else "start",
                      INK if wired else FAINT, bold=wired)

    def rail(self, side):
        """Draws the line that connects all grounds on one side."""
        page, board = self.page, self.board
        grounds = [pin for pin in board.grounds if self.side(pin) == side]
        if not grounds:
            return
        x = CENTRE + side * RAIL_X
        ends = [self.y(pin) for pin in grounds]
        ends += [self.y(one.pin) for one in board.connections if self.side(one.pin) == side]
        page.line(x, min(ends), x, max(ends) + 14, width=2.5)
        for step in range(3):
            half = 12 - 4 * step
            page.line(x - half, max(ends) + 14 + 5 * step, x + half, max(ends) + 14 + 5 * step)
        for pin in grounds:
            y = self.y(pin)
            page.line(CENTRE + side * GROUND_X, y, x, y)
            page.dot(x, y)

    def pill(self, pin, text, colours):
        page, side, y = self.page, self.side(pin), self.y(pin)
        page.line(CENTRE + side * WIRE_X, y, CENTRE + side * PILL_X, y, colours[1])
        x = CENTRE + (PILL_X if side > 0 else -PILL_X - PILL_WIDTH)
        page.box(x, y - 11, PILL_WIDTH, 22, *colours, 11)
        page.text(x + PILL_WIDTH / 2, y + 4.5, text, 12.5, "middle", colours[1], bold=True)

    def control(self, one):
        page, side, y = self.page, self.side(one.pin), self.y(one.pin)
        colours = COLOURS[one.part if one.part in COLOURS else one.kind]
        rail, start = CENTRE + side * RAIL_X, CENTRE + side * (PILL_X + PILL_WIDTH)
        middle = CENTRE + side * PART_X
        if one.kind == "button":
            self.pill(one.pin, f"button {one.label}", colours)
            a, b = middle - side * 18, middle + side * 18
            page.line(start, y, a, y)
            page.line(b, y, rail, y)
            page.dot(a, y, 3.5, PAPER, INK, 1.8)
            page.dot(b, y, 3.5, PAPER, INK, 1.8)
            # The push-button symbol: a bar over two contacts, and its cap.
            page.line(a, y - 7, b, y - 7)
            page.line(middle, y - 7, middle, y - 12)
            page.line(middle - 6, y - 12, middle + 6, y - 12)
        else:
            self.pill(one.pin, f"light {one.label}", colours)
            resistor = middle - side * 8
            page.line(start, y, rail, y)
            page.box(resistor - 23, y - 8, 46, 16, PAPER, INK, 2)
            page.text(resistor, y + 4, "330 Ω", 10.5, "middle")
            tip = middle + side * 68
            back = tip - side * 16
            page.path(f"M{back} {y - 8}L{back} {y + 8}L{tip} {y}Z", colours[1], 1.8, colours[0])
            page.line(tip, y - 8, tip, y + 8, colours[1], 1.8)
        page.dot(rail, y)

    def knobs(self):
        page, board = self.page, self.board
        for a in (one for one in board.connections if one.kind == "knob" and one.part == "A"):
            b = next(one for one in board.connections
                     if one.kind == "knob" and one.name == a.name and one.part == "B")
            side, colours = self.side(a.pin), COLOURS["knob"]
            y = (self.y(a.pin) + self.y(b.pin)) / 2
            x, rail = CENTRE + side * (PART_X + 24), CENTRE + side * RAIL_X
            radius = max(24, abs(self.y(a.pin) - self.y(b.pin)) / 2 + 8)
            for one in (a, b):
                self.pill(one.pin, f"knob {one.label}", colours)
                page.line(CENTRE + side * (PILL_X + PILL_WIDTH), self.y(one.pin), x, self.y(one.pin))
            page.line(x, y, rail, y)
            page.dot(rail, y)
            page.dot(x, y, radius, colours[0], colours[1], 2)
            page.path(f"M{x - 10} {y + 4}A10.8 10.8 0 1 1 {x + 10} {y + 4}", colours[1], 2)
            page.path(f"M{x + 5} {y + 2}L{x + 10} {y + 5}L{x + 13.5} {y - 0.5}", colours[1], 2)
            for one in (a, b):
                above = one.pin == min(a.pin, b.pin)
                page.text(x - side * (radius + 9), self.y(one.pin) + (-5 if above else 13), one.part, 11,
                          "middle", colours[1], bold=True)
            page.text(x + side * (radius + 9), y - 5, "C", 11, "middle", colours[1], bold=True)

    def other(self, pin, what):
        self.pill(pin, what, COLOURS[what.split()[0].strip(":")])

    def notes(self):
        y = TOP + self.rows * PITCH + 40
        for offset, text in enumerate((
                "Buttons and the knob close to GND; the chip's own pull-up resistors hold the lines high.",
                "Lights share their cathode; 330 Ω to 1 kΩ for each colour. All GND pins are one: take the nearest.")):
            self.page.text(CENTRE, y + 20 * offset, text, 12.5, "middle", INK)


KEYPAD = [
    ("numlock", "Num", 0, 0, 1, 1), ("kpslash", "/", 1, 0, 1, 1), ("kpasterisk", "*", 2, 0, 1, 1),
    ("kpminus", "−", 3, 0, 1, 1), ("kp7", "7", 0, 1, 1, 1), ("kp8", "8", 1, 1, 1, 1),
    ("kp9", "9", 2, 1, 1, 1), ("kpplus", "+", 3, 1, 1, 2), ("kp4", "4", 0, 2, 1, 1),
    ("kp5", "5", 1, 2, 1, 1), ("kp6", "6", 2, 2, 1, 1), ("kp1", "1", 0, 3, 1, 1), ("kp2", "2", 1, 3, 1, 1),
    ("kp3", "3", 2, 3, 1, 1), ("kpenter", "Enter", 3, 3, 1, 2), ("kp0", "0", 0, 4, 2, 1),
    ("kpdot", ".", 2, 4, 1, 1),
]


def keypad(board):
    """Draws a numeric keypad and the buttons assigned to its keys."""
    unit, gap, left, top = 92, 8, 60, 96
    page = Page(left * 2 + 4 * unit, top + 5 * unit + 40)
    page.text(page.width / 2, 36, board.title, 22, "middle", bold=True)
    page.text(page.width / 2, 60, f"the keys of boards/{board.name}/profile", 13, "middle", FAINT)
    page.box(left - 18, top - 18, 4 * unit + 36 - gap, 5 * unit + 36 - gap, "#f3f5f7", FAINT, 16)
    names = {where.split()[1]: name.strip("`") for name, where in board.declared if where.startswith("key ")}
    for key, caption, column, row, wide, high in KEYPAD:
        x, y = left + column * unit, top + row * unit
        fill, ink = COLOURS["button"] if key in names else (PAPER, FAINT)
        page.box(x, y, wide * unit - gap, high * unit - gap, fill, ink, 10)
        page.text(x + 12, y + 26, caption, 16, "start", ink, bold=key in names)
        if key in names:
            page.text(x + (wide * unit - gap) / 2, y + (high * unit - gap) / 2 + 18, names[key], 15, "middle",
                      ink, bold=True)
    return page.finished(f"Keys of {board.title}")


def drawn(board):
    """Returns the board's drawing, or None if there is nothing to draw."""
    if board.signals:
        return Wiring(board).drawn()
    return keypad(board) if board.has_keypad else None
