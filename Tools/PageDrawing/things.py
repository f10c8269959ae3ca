"""Objects in the pictures: board, card, stick, loudspeaker, windows. Used by scripts/draw-pages."""

from canvas import Picture


def board(page: Picture, x, y, width=150, height=96):
    """Draws a single-board computer with its pin header at the top and its sockets at the right."""
    page.box(x, y, width, height, "board", None, 8)
    page.box(x + 12, y + 8, width * 0.62, 13, "plastic", None, 2)
    for column in range(10):
        for row in range(2):
            page.disc(x + 18 + column * width * 0.062, y + 11.5 + row * 6, 1.6, "metal", None)
    page.box(x + width * 0.34, y + height * 0.42, height * 0.3, height * 0.3, "plastic", None, 3)
    for row in range(2):
        page.box(x + width - 26, y + height * (0.36 + 0.3 * row), 32, height * 0.24, "metal", "edge", 2)
    page.box(x + 10, y + height - 12, 22, 14, "metal", "edge", 2)


def card(page: Picture, x, y, scale=1.0):
    """Draws an SD card, 44 by 58 pixels at scale 1."""
    width, height = 44 * scale, 58 * scale
    page.path(
        f"M{x} {y + 5}q0 -5 5 -5h{width - 19 * scale}l{14 * scale - 5} {14 * scale}v{height - 14 * scale - 5}q0 5 -5 5h{-(width - 10)}q-5 0 -5 -5z", "edge", 1.5, "plastic"
    )
    for number in range(4):
        page.box(x + (6 + 6 * number) * scale, y + 5 * scale, 3.5 * scale, 10 * scale, "metal", None, 1)
    page.text(x + width / 2, y + height * 0.7, "SD", round(14 * scale), "white", "middle", True)


def stick(page: Picture, x, y):
    """Draws a USB stick, 92 by 30 pixels, with its plug at the left."""
    page.box(x, y + 5, 26, 20, "metal", "edge", 2)
    page.box(x + 5, y + 9, 5, 4, "plastic", None, 0)
    page.box(x + 5, y + 17, 5, 4, "plastic", None, 0)
    page.box(x + 24, y, 68, 30, "blue", None, 5)
    page.text(x + 58, y + 20, "music", 13, "paper", "middle", True)


def supply(page: Picture, x, y):
    page.box(x, y, 46, 54, "plastic", None, 8)
    page.box(x - 14, y + 12, 14, 6, "metal", "edge", 1)
    page.box(x - 14, y + 36, 14, 6, "metal", "edge", 1)
    page.path(f"M{x + 46} {y + 27}h20q16 0 16 16v6", "plastic", 4)
    page.box(x + 73, y + 48, 18, 24, "plastic", None, 3)
    page.box(x + 77, y + 70, 10, 10, "metal", "edge", 1)


def dac(page: Picture, x, y, width=120, height=70):
    """Draws a DAC module with its socket at the right."""
    page.box(x, y, width, height, "violet", None, 6)
    page.box(x + width * 0.36, y + height * 0.34, height * 0.32, height * 0.32, "plastic", None, 2)
    page.box(x + width - 26, y + height * 0.28, 34, height * 0.44, "plastic", "edge", 3)
    for number in range(6):
        page.disc(x + 10, y + 10 + number * (height - 20) / 5, 3, "metal", None)


def button(page: Picture, x, y):
    """Draws a push button from above, 56 pixels wide, centred at (x, y)."""
    page.disc(x, y, 28, "metal", "edge")
    page.disc(x, y, 19, "cap", None)
    page.path(f"M{x - 6} {y - 9}L{x - 6} {y + 9}L{x + 10} {y}Z", "white", 1, "white")


def speaker(page: Picture, x, y):
    """Draws a loudspeaker, 62 by 88 pixels."""
    page.box(x, y, 62, 88, "plastic", "edge", 6)
    page.disc(x + 31, y + 22, 10, "panel", "edge")
    page.disc(x + 31, y + 58, 21, "panel", "edge")
    page.disc(x + 31, y + 58, 8, "edge", None)


def wires(page: Picture, x, y):
    """Draws three jumper wires with sockets at both ends."""
    for number, colour in enumerate(("red", "green", "blue")):
        top = y + number * 22
        page.path(f"M{x + 16} {top + 5}C{x + 40} {top - 12} {x + 66} {top + 22} {x + 92} {top + 5}", colour, 3)
        for end in (x, x + 90):
            page.box(end, top, 20, 10, "plastic", None, 2)


def sound(page: Picture, x, y, colour="blue"):
    """Draws sound waves from a loudspeaker at the left of (x, y)."""
    for number in range(3):
        size = 10 + number * 9
        page.path(f"M{x + number * 9} {y - size}a{size * 1.3} {size * 1.3} 0 0 1 0 {size * 2}", colour, 2.5)


def window(page: Picture, x, y, width, height, title, colour="edge"):
    """Draws a computer window with its title in a bar."""
    page.box(x, y, width, height, "panel", colour, 8, 2)
    page.path(f"M{x} {y + 32}h{width}", colour, 1.5)
    for number in range(3):
        page.disc(x + 16 + number * 14, y + 16, 4, "edge", None)
    page.text(x + 62, y + 21, title, 14, "ink", bold=True)


def entry(page: Picture, x, y, name, colour="ink", is_folder=False):
    """Draws a line of a file list: icon and name, 15 pixels high, with its baseline at y."""
    if is_folder:
        page.path(f"M{x} {y - 11}h7l3 3h10v11h-20z", "amber", 1.5, "pale-amber")
    else:
        page.path(f"M{x + 3} {y - 13}h9l5 5v11h-14z", "edge", 1.5, "paper")
    page.text(x + 28, y, name, 14, colour, mono=True)
