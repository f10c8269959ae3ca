# Minimal terminal emulator with what Swiftlet's programs use: text, colours, cursor, erasing, a scrolling region.
import codecs

PLAIN = (None, False, False, False)  # colour, bold, dim, inverse


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [self.blank() for _ in range(rows)]
        self.x = self.y = 0
        self.saved = (0, 0)
        self.style = PLAIN
        self.top, self.bottom = 0, rows - 1
        self.wraps = True
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.pending = ""

    def blank(self):
        return [(" ", PLAIN)] * self.columns

    def feed(self, data):
        text = self.pending + self.decoder.decode(data)
        self.pending = ""
        place = 0
        while place < len(text):
            if text[place] == "\x1b":
                end = self.escape(text, place)
                if end is None:
                    # The rest of the sequence is in the next bytes.
                    self.pending = text[place:]
                    return
                place = end
            else:
                self.put(text[place])
                place += 1

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.line_feed()
        elif character == "\b":
            self.x = max(0, self.x - 1)
        elif character >= " ":
            if self.x >= self.columns:
                if not self.wraps:
                    return
                self.x = 0
                self.line_feed()
            self.cells[self.y][self.x] = (character, self.style)
            self.x += 1

    def line_feed(self):
        if self.y == self.bottom:
            del self.cells[self.top]
            self.cells.insert(self.bottom, self.blank())
        elif self.y < self.rows - 1:
            self.y += 1

    def escape(self, text, place):
        """Processes an escape sequence; returns its end, or None if it is incomplete."""
        if place + 1 >= len(text):
            return None
        kind = text[place + 1]
        if kind == "7":
            self.saved = (self.x, self.y)
        elif kind == "8":
            self.x, self.y = self.saved
        if kind != "[":
            return place + 2
        end = place + 2
        while end < len(text) and not "@" <= text[end] <= "~":
            end += 1
        if end == len(text):
            return None
        self.control(text[end], text[place + 2:end])
        return end + 1

    def control(self, final, parameters):
        private = parameters[:1] in ("?", "<", ">", "=")
        numbers = [int(part) if part.isdigit() else 0 for part in parameters.lstrip("?<>=").split(";")]
        first = numbers[0]
        if private:
            if numbers == [7]:
                self.wraps = final == "h"
        elif final in "Hf":
            self.y = min(max(first, 1), self.rows) - 1
            self.x = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif final == "A":
            self.y = max(0, self.y - max(first, 1))
        elif final == "B":
            self.y = min(self.rows - 1, self.y + max(first, 1))
        elif final == "C":
            self.x = min(self.columns - 1, self.x + max(first, 1))
        elif final == "D":
            self.x = max(0, self.x - max(first, 1))
        elif final == "G":
            self.x = max(first, 1) - 1
        elif final == "K":
            begin, end = {0: (self.x, self.columns), 1: (0, self.x + 1)}.get(first, (0, self.columns))
            self.cells[self.y][begin:end] = [(" ", PLAIN)] * (end - begin)
        elif final == "J":
            if first == 0:
                self.cells[self.y][self.x:] = [(" ", PLAIN)] * (self.columns - self.x)
            for row in range(self.y + 1 if first == 0 else 0, self.rows):
                self.cells[row] = self.blank()
        elif final == "r":
            self.top = max(first, 1) - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.x = self.y = 0
        elif final == "m":
            self.render(numbers)

    def render(self, numbers):
        for number in numbers:
            colour, bold, dim, inverse = self.style
            if number == 0:
                self.style = PLAIN
            elif number == 1:
                self.style = (colour, True, dim, inverse)
            elif number == 2:
                self.style = (colour, bold, True, inverse)
            elif number == 22:
                self.style = (colour, False, False, inverse)
            elif number == 7:
                self.style = (colour, bold, dim, True)
            elif number == 27:
                self.style = (colour, bold, dim, False)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self.style = (number, bold, dim, inverse)
            elif number == 39:
                self.style = (None, bold, dim, inverse)

    def snapshot(self):
        """Returns each row as runs of (column, text, style), without trailing blanks."""
        return tuple(self.row(cells) for cells in self.cells)

    @staticmethod
    def row(cells):
        runs = []
        for column, (character, style) in enumerate(cells):
            if runs and runs[-1][2] == style:
                runs[-1][1] += character
            else:
                runs.append([column, character, style])
        # A run of blanks is invisible unless it is inverse.
        return tuple((column, text if style[3] else text.rstrip(), style)
                     for column, text, style in runs if text.strip() or style[3])
