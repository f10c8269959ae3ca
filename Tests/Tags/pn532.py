"""A PN532 on a pseudo-terminal: the frames of its user manual (UM0701-02), as far as libnfc speaks them. It has tags in its field, or none, and can
be made to answer wrongly, or not at all."""
import os, pty, select, threading, tty

ACK = bytes([0, 0, 0xFF, 0, 0xFF, 0])
ERROR = bytes([0, 0, 0xFF, 1, 0xFF, 0x7F, 0x81, 0])
DIAGNOSE, FIRMWARE, READ, WRITE, SAM, PARAMETERS, POWER_DOWN, RF, LIST, SELECT, DESELECT, RELEASE = (
    0x00, 0x02, 0x06, 0x08, 0x14, 0x12, 0x16, 0x32, 0x4A, 0x54, 0x44, 0x52)


def frame(body):
    return bytes([0, 0, 0xFF, len(body), -len(body) & 0xFF, *body, -sum(body) & 0xFF, 0])


def answer(tag):
    """What InListPassiveTarget says of a tag of 4, 7 or 10 bytes: its number in the field, SENS_RES, SEL_RES, its UID."""
    if tag is None:
        return bytes([0])
    sizes = {4: 0x04, 7: 0x44, 10: 0x84}
    return bytes([1, 1, 0, sizes[len(tag)], 0, len(tag), *tag])


class PN532:
    """A chip at the end of a line, which is called `path` until it is unplugged."""

    def __init__(self, path):
        self.path = path
        self.tag = None
        # How it behaves: as it should (`well`), deaf (`dead`), without an answer once it has heard (`mute`), or with `garbage` or `error` frames
        # in place of answers.
        self.mode = "well"
        # What InListPassiveTarget answers once each, before what is true.
        self.next = []
        self.hasField = False
        # How often it has been asked what lies there.
        self.looks = 0
        self.line = None
        self.plug()

    def plug(self):
        """Appears."""
        self.line, other = pty.openpty()
        tty.setraw(other)
        name = os.ttyname(other)
        # With its other end open here it does not end as the box lets go of it.
        self.other = other
        temporary = f"{self.path}.new"
        os.symlink(name, temporary)
        os.rename(temporary, self.path)
        self.running = True
        self.thread = threading.Thread(target=self.run, args=(self.line,), daemon=True)
        self.thread.start()

    def unplug(self):
        """Is gone, and its line with it."""
        os.unlink(self.path)
        self.running = False
        self.thread.join()
        os.close(self.other)
        os.close(self.line)

    def run(self, line):
        data = bytearray()
        while self.running:
            if not select.select([line], [], [], 0.05)[0]:
                continue
            try:
                data += os.read(line, 4096)
            except OSError:
                continue
            while self.take(line, data):
                pass

    def take(self, line, data):
        """Answers the first frame of what has come; false where none is whole."""
        start = data.find(b"\x00\xff")
        if start < 0 or len(data) < start + 4:
            return False
        length, sum_ = data[start + 2], data[start + 3]
        if (length, sum_) in ((0, 0xFF), (0xFF, 0)):
            del data[:start + 4]
            return True
        if (length + sum_) & 0xFF:
            del data[:start + 2]
            return True
        end = start + 4 + length + 1
        if len(data) < end:
            return False
        body = bytes(data[start + 4:end - 1])
        isWhole = (sum(body) + data[end - 1]) & 0xFF == 0
        del data[:end]
        if isWhole and body and body[0] == 0xD4 and self.mode != "dead":
            self.obey(line, body[1], body[2:])
        return True

    def obey(self, line, command, words):
        if self.mode == "garbage":
            os.write(line, bytes(range(0x20, 0x60)))
            return
        os.write(line, ACK)
        if self.mode == "mute":
            return
        if self.mode == "error":
            os.write(line, ERROR)
            return
        reply = self.reply(command, words)
        os.write(line, ERROR if reply is None else frame(bytes([0xD5, command + 1]) + reply))

    def reply(self, command, words):
        if command == DIAGNOSE:
            return words if words[:1] == b"\0" else bytes([0])
        if command == FIRMWARE:
            return bytes([0x32, 1, 6, 7])
        if command == READ:
            return bytes(len(words) // 2)
        if command in (WRITE, SAM, PARAMETERS, RF):
            if command == RF and words[0] == 1:
                self.hasField = words[1] & 1 == 1
            return b""
        if command == POWER_DOWN:
            return bytes([0])
        if command == LIST:
            self.looks += 1
            # Without a field a tag has no power.
            return answer(None if not self.hasField else self.next.pop(0) if self.next else self.tag)
        if command in (SELECT, DESELECT, RELEASE):
            return bytes([0])
        return None
