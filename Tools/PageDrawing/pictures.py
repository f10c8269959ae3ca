"""The pictures of docs/using/first-box.md, one function for each. Used by scripts/draw-pages."""

import os
import sys

import things
from canvas import Picture

BOARDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "boards")
sys.path.append(os.path.join(BOARDS, "..", "Tools", "BoardDrawing"))
from board import Board  # noqa: E402


def parts() -> Picture:
    page = Picture(
        900, 340, "The parts of the cheapest box that works",
        "Eight parts, with numbers: 1 a Raspberry Pi with pins, 2 an SD card, 3 a power supply, 4 a USB stick, 5 a PCM5102A sound module,"
        " 6 jumper wires, 7 a push button, 8 an active loudspeaker.",
    )  # fmt: skip
    labels = ("Raspberry Pi", "SD card", "power supply", "USB stick", "sound module", "jumper wires", "push button", "active loudspeaker")
    for number, label in enumerate(labels):
        x, y = 20 + number % 4 * 217, 20 + number // 4 * 154
        page.box(x, y, 209, 146)
        page.number(x + 24, y + 24, number + 1)
        page.text(x + 104, y + 130, label, 15, "ink", "middle", True)
    things.board(page, 68, 40, 112, 68)
    things.card(page, 318, 44, 1.0)
    things.supply(page, 536, 36)
    things.stick(page, 736, 60)
    things.dac(page, 70, 200, 104, 66)
    things.wires(page, 292, 206)
    things.button(page, 560, 234)
    things.speaker(page, 744, 190)
    return page


def imager() -> Picture:
    page = Picture(
        900, 470, "What to choose in Raspberry Pi Imager",
        "Three choices: the device is your board, the system is Raspberry Pi OS (other), then Raspberry Pi OS Lite (64-bit), the storage is the"
        " SD card. Then the settings: a name for the box, the time zone, a user with a password, the wireless network. Then write.",
    )  # fmt: skip
    columns = (
        ("Device", ("Your board,", "such as", "Raspberry Pi 4")),
        ("System (OS)", ("Raspberry Pi OS (other)", "▸ Raspberry Pi OS Lite", "    (64-bit)")),
        ("Storage", ("The SD card:", "look at its size, so that", "no other disk is erased")),
    )
    for number, (head, body) in enumerate(columns):
        x = 20 + number * 293
        page.box(x, 20, 274, 132)
        page.number(x + 26, 46, number + 1)
        page.text(x + 52, 52, head, 17, "ink", bold=True)
        page.box(x + 14, 72, 246, 68, "paper", "blue", 5)
        page.lines(x + 26, 92, body, 14, pitch=19)
        if number < 2:
            page.arrow(f"M{x + 276} 86h14", x + 292, 86, "right")
    page.box(20, 172, 860, 224)
    page.number(46, 198, 4)
    page.text(72, 204, "Settings (“Customisation”, “Edit settings”)", 17, "ink", bold=True)
    rows = (
        ("Name (hostname)", "box", "what the box is called in your network"),
        ("Time zone", "Europe/Berlin", "yours; alarms and bedtime need it"),
        ("User and password", "pi    ••••••••", "any; you need it only for a terminal, later"),
        ("Wi-Fi", "Home    ••••••••", "your network; leave it empty for a box without network"),
    )
    for number, (name, value, why) in enumerate(rows):
        y = 222 + number * 42
        page.text(40, y + 21, name, 15)
        page.box(212, y, 210, 32, "paper", "blue", 5)
        page.text(224, y + 21, value, 14, mono=True)
        page.text(440, y + 21, why, 14, "faint")
    page.number(46, 434, 5)
    page.box(72, 414, 130, 40, "blue", None, 6)
    page.text(137, 440, "Write", 16, "paper", "middle", True)
    page.text(222, 440, "Wait until Imager says that it has finished: it writes, and then compares.", 14, "faint")
    return page


OWN = ("swiftlet", "sound-card.txt", "swiftlet.conf", "SWIFTLET-README.txt", "vendor-data", "wifi.txt")
SYSTEM = ("overlays", "cmdline.txt", "config.txt", "network-config", "user-data", "… and others")


def unpack() -> Picture:
    page = Picture(
        900, 440, "The contents of the zip file go onto the card, beside config.txt",
        "Left: the window of the zip file with swiftlet, sound-card.txt, swiftlet.conf, SWIFTLET-README.txt, vendor-data and wifi.txt. An arrow leads"
        " to the window of the card, bootfs, where they lie beside config.txt and user-data. Below: it is wrong if the card has a single folder named"
        " swiftlet-card.",
    )  # fmt: skip
    things.window(page, 20, 20, 330, 238, "swiftlet-card-….zip")
    for number, name in enumerate(OWN):
        things.entry(page, 42, 82 + number * 30, name, "blue", name == "swiftlet")
    page.arrow("M366 138h124", 492, 138, "right", thick=4)
    page.lines(428, 98, ("drag", "everything"), 14, "blue", "middle", True)
    things.window(page, 508, 20, 372, 404, "bootfs (the card)")
    for number, name in enumerate(SYSTEM):
        things.entry(page, 530, 80 + number * 28, name, "ink", name == "overlays")
    for number, name in enumerate(OWN):
        things.entry(page, 530, 250 + number * 28, name, "blue", name == "swiftlet")
    page.tick(856, 36)
    page.box(20, 284, 470, 140, "panel", "red", 8, 2)
    page.cross(46, 310)
    page.text(68, 316, "Wrong: one folder on the card", 15, "red", bold=True)
    things.entry(page, 46, 352, "config.txt")
    things.entry(page, 46, 378, "swiftlet-card-…-raspberry-pi-4", "ink", True)
    page.text(46, 408, "The box does not look into it.", 14, "faint")
    return page


def edit() -> Picture:
    page = Picture(
        900, 300, "How a line is switched on in wifi.txt",
        "Left, before: the lines #name=My network, #password= and #country=DE begin with a number sign, so the box skips them. Right, after: the signs"
        " are removed and the lines read name=Home, password= with the password, country=DE.",
    )  # fmt: skip
    things.window(page, 20, 20, 400, 262, "wifi.txt: before")
    things.window(page, 480, 20, 400, 262, "wifi.txt: after", "blue")
    page.arrow("M430 150h34", 468, 150, "right")
    for x in (40, 500):
        page.text(x, 84, "# The wireless network of the box.", 14, "faint", mono=True)
        page.text(x, 110, "# …", 14, "faint", mono=True)
    before = ("name=My network", "password=the password …", "country=DE")
    after = ("name=Home", "password=correct horse battery", "country=DE")
    for number in range(3):
        y = 150 + number * 30
        page.text(40, y, "#", 14, "red", mono=True, bold=True)
        page.text(49, y, before[number], 14, "faint", mono=True)
        page.text(500, y, after[number], 14, "green", mono=True, bold=True)
    page.text(40, 258, "A line that begins with # is skipped.", 14, "red")
    page.text(500, 258, "No # and no blank at the beginning.", 14, "green")
    return page


class Wires:
    """The pins of the first wires on a Raspberry Pi, from its profile and pins."""

    def __init__(self, name: str):
        board = Board(os.path.join(BOARDS, name))
        # Names as most modules print them.
        module = {what.split()[1].replace("LRCK", "LCK"): pin for pin, what in board.others.items() if what.startswith("DAC:")}
        taken = {*board.others, *board.grounds, *(one.pin for one in board.connections)}
        # The module's clock input is connected to a ground pin without another use.
        module["SCK"] = min(pin for pin, signal in board.signals.items() if signal == "GND" and pin not in taken)
        self.module = dict(sorted(module.items(), key=lambda item: item[1]))
        play = next(one.pin for one in board.connections if one.name == "play")
        self.play = (play, board.nearest_ground(play))

    def __eq__(self, other):
        return (self.module, self.play) == (other.module, other.play)


WIRES = Wires("raspberry-pi-4")


def first_wires() -> Picture:
    page = Picture(
        900, 620, "The first wires: a sound module and one button",
        "A Raspberry Pi from above, its pins along the upper edge, pin 1 at the left, USB sockets at the right. The sound module: "
        + ", ".join(f"{name} to pin {pin}" for name, pin in WIRES.module.items())
        + ". The play button: one leg to pin {}, the other to pin {}. A cable leads from the sound module to the loudspeaker.".format(*WIRES.play),
    )  # fmt: skip
    left, pitch, top = 92, 30, 300

    def place(pin):
        return left + (pin - 1) // 2 * pitch, top + (0 if pin % 2 == 0 else pitch)

    # The board.
    page.box(50, top - 34, 800, 350, "board", None, 16)
    page.box(left - 22, top - 20, 20 * pitch + 14, 2 * pitch + 10, "plastic", None, 5)
    for row in range(2):
        page.box(770, top + 50 + row * 120, 100, 92, "metal", "edge", 4)
        page.text(820, top + 101 + row * 120, "USB", 15, "black", "middle", True)
    page.box(240, top + 130, 120, 110, "plastic", None, 8)
    page.box(34, top + 150, 46, 100, "metal", "edge", 4)
    page.lines(94, top + 190, ("SD card,", "underneath"), 14, "white", bold=True)
    colours = {name: "red" if name == "VIN" else "ink" if name in ("GND", "SCK") else "violet" for name in WIRES.module}
    used = {pin: colours[name] for name, pin in WIRES.module.items()} | dict.fromkeys(WIRES.play, "red")
    for pin in range(1, 41):
        x, y = place(pin)
        if pin in used:
            page.disc(x, y, 12, "paper", used[pin], 3)
            page.text(x, y + 4.5, str(pin), 12, "ink", "middle", True)
        elif pin == 1:
            page.box(x - 7, y - 7, 14, 14, "metal", None, 1)
        else:
            page.disc(x, y, 6, "metal", None)
    page.text(left - 4, top + 64, "pin 1", 13, "white", "middle", True)
    # The sound module, with its terminals above the pins.
    page.box(60, 40, 640, 128, "pale-violet", "violet", 10, 2)
    page.text(84, 76, "sound module (PCM5102A)", 18, "violet", bold=True)
    page.text(84, 100, "Go by the names on yours: their order differs.", 14, "ink")
    for name, pin in WIRES.module.items():
        (x, y), colour = place(pin), colours[name]
        start = x - pitch / 2 if pin % 2 else x
        page.box(start - 21, 128, 42, 28, "paper", colour, 4)
        page.text(start, 147, name, 13, colour, "middle", True)
        page.path(f"M{start} 156V{y - 14 if pin % 2 == 0 else y - pitch / 2}" + ("" if pin % 2 == 0 else f"L{x - 9} {y - 9}"), colour, 3.5)
    page.box(700, 76, 26, 32, "plastic", "edge", 3)
    page.path("M726 92h44", "plastic", 5)
    things.speaker(page, 772, 48)
    page.text(803, 158, "active loudspeaker", 13, "ink", "middle")
    # The button, on the board's lower half.
    (ax, ay), (bx, by) = place(WIRES.play[0]), place(WIRES.play[1])
    page.path(f"M{ax} {ay + 13}V{top + 190}h68", "red", 3.5)
    page.path(f"M{bx} {by + 13}V{top + 190}h-26", "red", 3.5)
    page.box(ax + 52, top + 148, 86, 86, "paper", "edge", 8)
    things.button(page, ax + 95, top + 191)
    page.text(ax + 95, top + 254, "play", 16, "white", "middle", True)
    return page


def first_start() -> Picture:
    page = Picture(
        900, 270, "The first start: about three minutes, then a short sound",
        "A line of time: power on; the box installs itself, for about two minutes; it starts two or three times in all; after about three minutes it plays a"
        " short sound. The status light, if there is one, stays dark until music plays.",
    )  # fmt: skip
    page.arrow("M40 128H862", 866, 128, "right", "edge")
    stages = ((40, 130, "amber", "pale-amber"), (176, 330, "blue", "pale-blue"), (512, 150, "amber", "pale-amber"), (668, 180, "green", "pale-green"))
    heads = ("starts", "installs itself", "starts anew", "ready")
    notes = (
        ("Power on. The", "box is silent."),
        ("Silent. The board’s own green light", "flickers. Leave the power on."),
        ("By itself; two or", "three times in all."),
        ("A short sound. A status", "light stays dark until", "music plays."),
    )
    for (x, width, colour, fill), head, note in zip(stages, heads, notes):
        page.box(x, 100, width, 56, fill, colour, 8, 2)
        page.text(x + width / 2, 134, head, 16, colour, "middle", True)
        page.lines(x + 2, 186, note, 14)
    for x, when in ((40, "0"), (512, "about 2 min"), (668, "about 3 min")):
        page.path(f"M{x} 70v22", "edge", 2)
        page.text(x, 60, when, 14, "faint")
    things.sound(page, 810, 62, "green")
    page.text(40, 246, "Times are estimates: not tried on hardware.", 14, "faint")
    return page


def music() -> Picture:
    page = Picture(
        900, 270, "Music on a stick: copy, plug in, press play",
        "Three steps: copy folders with music onto a USB stick; plug the stick into the board, which answers with a short sound; press the play button.",
    )  # fmt: skip
    for number, head in enumerate(("Copy your music", "Plug it into the board", "Press play")):
        x = 20 + number * 293
        page.box(x, 20, 274, 230)
        page.number(x + 26, 46, number + 1)
        page.text(x + 50, 52, head, 15, "ink", bold=True)
    for number, name in enumerate(("Pippi", "Kind of Blue", "Songs for bed")):
        things.entry(page, 44, 98 + number * 30, name, "ink", True)
    page.arrow("M140 178v14", 140, 196, "down")
    things.stick(page, 94, 206)
    things.board(page, 336, 84, 130, 92)
    things.stick(page, 474, 116)
    page.text(450, 226, "A short sound answers.", 14, "faint", "middle")
    things.button(page, 682, 134)
    page.arrow("M682 76v14", 682, 96, "down")
    things.speaker(page, 756, 92)
    things.sound(page, 828, 138)
    page.text(743, 226, "The music begins.", 14, "faint", "middle")
    return page


def silent() -> Picture:
    page = Picture(
        900, 420, "What the card says about a box that stays silent",
        "A chart. Put the card into a computer. Is there swiftlet-errors.txt? Yes: do what it says. No: is there swiftlet/log.txt? No: the folder lies in the"
        " wrong place or the system is another one; write the card again. Yes: does its last line say done? No: give the box power for ten minutes. Yes: it is installed; look"
        " at wires and loudspeaker.",
    )  # fmt: skip
    questions = (
        (30, "swiftlet-errors.txt", "on the card?"),
        (320, "log.txt in the folder", "swiftlet?"),
        (610, "Its last lines have", "“done:”?"),
    )
    page.text(30, 44, "Put the card into a computer, and look:", 16, "ink", bold=True)
    for number, (x, one, two) in enumerate(questions):
        page.box(x, 70, 220, 84, "pale-blue", "blue", 12, 2)
        page.text(x + 110, 106, one, 15, "ink", "middle", True)
        page.text(x + 110, 130, two, 15, "ink", "middle", True)
        page.arrow(f"M{x + 110} 154v56", x + 110, 212, "down", "edge")
        if number < 2:
            page.arrow(f"M{x + 220} 112h66", x + 288, 112, "right", "edge")
            page.text(x + 252, 102, "no" if number == 0 else "yes", 14, "faint", "middle", True)
        page.text(x + 122, 188, ("yes", "no", "no")[number], 14, "faint", "start", True)
    page.arrow("M830 112H868V361H852", 850, 361, "left", "edge")
    page.text(849, 102, "yes", 14, "faint", "middle", True)
    answers = (
        (30, 216, ("Open it: it names the", "file, the line, and what", "to write instead.")),
        (320, 216, ("The installation never", "began: write the card", "again (steps 3 and 4).")),
        (610, 216, ("It was cut off. Leave the", "power on for ten minutes.")),
    )
    for x, y, text in answers:
        page.box(x, y, 236, 28 + 21 * len(text), "panel", "amber", 8, 2)
        page.lines(x + 14, y + 26, text, 15)
    page.box(320, 322, 526, 78, "panel", "green", 8, 2)
    page.lines(336, 353, ("Swiftlet is installed. The fault lies in the wires,", "the sound module or the loudspeaker: table below."), 15)
    return page


ALL = {
    "parts": parts, "imager": imager, "unpack": unpack, "edit": edit, "first-wires": first_wires, "first-start": first_start, "music": music,
    "silent": silent,
}  # fmt: skip
