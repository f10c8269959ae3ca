"""A PN532 on a pseudo-terminal: the frames of its user manual (UM0701-02) that libnfc uses. Tags can be placed in its
field, and it can be made to respond wrongly or not at all."""
import os, pty, select, threading, tty

ACK = bytes([0, 0, 0xFF, 0, 0xFF, 0])
ERROR = bytes([0, 0, 0xFF, 1, 0xFF, 0x7F, 0x81, 0])
DIAGNOSE, FIRMWARE, READ, WRITE, SAM, PARAMETERS, POWER_DOWN, RF, LIST, SELECT, DESELECT, RELEASE = (
    0x00, 0x02, 0x06, 0x08, 0x14, 0x12, 0x16, 0x32, 0x4A, 0x54, 0x44, 0x52)


def frame(body):
    return bytes([0, 0, 0xFF, len(body), -len(body) & 0xFF, *body, -sum(body) & 0xFF, 0])


def answer(tag):
    """The response to InListPassiveTarget for a tag of 4, 7 or 10 bytes: its number in the field, SENS_RES, SEL_RES,
    its UID."""
    if tag is None:
        return bytes([0])
    sizes = {4: 0x04, 7: 0x44, 10: 0x84}
    return bytes([1, 1, 0, sizes[len(tag)], 0, len(tag), *tag])


class PN532:
    """A chip on a serial line, at `path` until it is unplugged."""

    def __init__(self, path):
        self.path = path
        self.tag = None
        # Its behavior: correct (`well`), deaf (`dead`), acknowledging without a response (`mute`), or with `garbage` or
        # `error` frames as responses.
        self.mode = "well"
        # One-time responses to InListPassiveTarget, used before the actual tag.
        self.next = []
        self.hasField = False
        # How often it was polled for tags.
        self.looks = 0
        self.line = None
        self.plug()

    def plug(self):
        """Connects the line."""
        self.line, other = pty.openpty()
        tty.setraw(other)
        name = os.ttyname(other)
        # The other end stays open here, so that the line survives when the box closes it.
        self.other = other
        temporary = f"{self.path}.new"
        os.symlink(name, temporary)
        os.rename(temporary, self.path)
        self.running = True
        self.thread = threading.Thread(target=self.run, args=(self.line,), daemon=True)
        self.thread.start()

    def unplug(self):
        """Disconnects the line."""
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
        """Responds to the first complete frame. Returns False if there is none."""
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
