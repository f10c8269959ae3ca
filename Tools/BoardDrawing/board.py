# Parses the files that describe a board: profile, pins and header. Used by scripts/draw-boards.
import os
import shlex


class Mistake(Exception):
    """Mistake in a board's files; the text names the place."""


class Connection:
    """GPIO line connected to a pin of the header, such as `play`, `volume` A or `status` red."""

    def __init__(self, kind, name, part, chip, line):
        self.kind, self.name, self.part, self.chip, self.line = kind, name, part, chip, line
        self.pin = None

    @property
    def label(self):
        return f"{self.name} {self.part}".strip()


class Board:
    """A board, read from its folder in boards/."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.title, self.has_keypad = self.name, False
        # signals: pin to signal name. lines: GPIO line to pin. others: pin to a connection that is not a control.
        self.signals, self.lines, self.others, self.grounds = {}, {}, {}, []
        # connections: controls on GPIO lines. declared: all controls as (name, connection).
        self.connections, self.declared = [], []
        self.read_pins()
        self.read_profile()
        if self.signals:
            self.place()

    def rows_of(self, *path):
        path = os.path.join(self.folder, *path)
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                # A # begins a comment only at the start of a word.
                words = shlex.split(text, comments=True)
                if words:
                    yield f"{os.path.relpath(path)}, line {number}", words

    def read_pins(self):
        for place, words in self.rows_of("pins"):
            rest = " ".join(words[1:])
            if words[0] == "board":
                self.title = rest
            elif words[0] == "header":
                self.read_header(rest)
            elif words[0] == "keypad":
                self.has_keypad = True
            elif words[0] == "ground":
                self.grounds = [int(word) for word in words[1:]]
            elif words[0] == "other":
                self.others[int(words[1])] = " ".join(words[2:])
            else:
                raise Mistake(f"{place}: there is no '{words[0]}' here")
        for pin in self.grounds:
            if self.signals.get(pin) != "GND":
                raise Mistake(f"{self.name}: pin {pin} is no ground")

    def read_header(self, name):
        for place, words in self.rows_of("..", "headers", name):
            pin = int(words[0])
            if pin in self.signals:
                raise Mistake(f"{place}: pin {pin} is there twice")
            self.signals[pin] = words[1]
            if len(words) > 2:
                self.lines[int(words[2])] = pin

    def read_profile(self):
        for _, words in self.rows_of("profile"):
            if words[0] not in ("button", "knob", "led"):
                continue
            kind, name, source, rest = words[0], words[1], words[2], words[3:]
            part = ""
            if kind == "led":
                part = next((word for word in rest if word in ("red", "green", "blue")), "")
            self.declared.append((f"`{name}`" + (f" {part}" if part else ""), " ".join([source, *rest])))
            if source != "gpio":
                continue
            if kind == "knob":
                for part, line in (("A", rest[1]), ("B", rest[2])):
                    self.connections.append(Connection(kind, name, part, rest[0], int(line)))
            else:
                self.connections.append(Connection(kind, name, part, rest[0], int(rest[1])))
            wanted = "active-low" if kind == "led" else "active-high"
            if self.signals and wanted in rest:
                raise Mistake(f"{self.name}: '{name}' is {wanted}, which cannot be drawn")

    def place(self):
        taken = {pin: what for pin, what in self.others.items()}
        for connection in self.connections:
            pin = self.lines.get(connection.line)
            if pin is None:
                raise Mistake(f"{self.name}: line {connection.line} ('{connection.label}') has no pin")
            if pin in taken:
                raise Mistake(f"{self.name}: pin {pin} has '{taken[pin]}' and '{connection.label}'")
            connection.pin = taken[pin] = pin
            taken[pin] = connection.label
        for connection in self.connections:
            if not any(self.is_left(pin) == self.is_left(connection.pin) for pin in self.grounds):
                raise Mistake(f"{self.name}: 'ground' names no pin on the side of '{connection.label}'")

    @staticmethod
    def is_left(pin):
        return pin % 2 == 1

    def nearest_ground(self, pin):
        same = [ground for ground in self.grounds if self.is_left(ground) == self.is_left(pin)]
        return min(same, key=lambda ground: (abs(ground - pin), ground))
