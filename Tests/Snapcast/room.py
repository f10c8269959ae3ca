"""A box as a room of a genuine snapserver, whose card keeps its own time, and what it plays when, beside a genuine snapclient's."""
import array, json, operator, os, socket, struct, threading, time
from genuine import GenuineBox
from server import RATE

# Milliseconds after which snapclient 0.26 says that what it writes is heard.
CLIENT_AHEAD = 0.010


class Room(GenuineBox):
    """A daemon that is a room; `with` ends it. Its card is the tests' virtual one, whose clock is wrong by so many millionths."""

    def __init__(self, swiftlet, products, server, ppm=0, lines=()):
        place = self.folder()
        (place / "card.conf").write_text(
            f'record "{place}/heard.raw"\ncontrol "{place}/card"\nformats "S16_LE"\nrates "{RATE}"\nthread 1\n'
            f"speed {1 + ppm / 1e6}\n")
        (place / "asound.conf").write_text(
            f'pcm_type.swiftlet {{ lib "{products}/libSwiftletVirtualCard.so" }}\n'
            f'pcm.virtual {{ type swiftlet settings "{place}/card.conf" }}\n')
        super().__init__(swiftlet, products, [
            "set output.device virtual", "set output.format S16", f"set output.rate {RATE}", "set cues.enabled off",
            "set volume.start 100", "set checkpoint.path off", f"source room snapcast 127.0.0.1:{server.clients}", *lines],
            dict(ALSA_CONFIG_PATH=f"{place}/asound.conf"), ["--strict"], place)
        self.session = self.connect()

    def samples(self):
        """The left channel of what the card has played."""
        path = self.place / "heard.raw"
        return left(path.read_bytes()) if path.exists() else array.array("h")

    def moments(self):
        """Since when which frame of that was heard, and how many follow in a second: (seconds, frame, rate)."""
        with open(self.place / "card", "rb") as file:
            words = struct.unpack(f"<{os.fstat(file.fileno()).st_size // 8}Q", file.read()[:os.fstat(file.fileno()).st_size // 8 * 8])
        # The log is the last thing in the file: 1024 entries of four words, behind their count.
        count, log = words[-4097], words[-4096:]
        assert count < 1024
        return [(log[4 * i] / 1e9, log[4 * i + 1], log[4 * i + 2] / 1000) for i in range(count)]

    def frame(self, moment):
        """The frame that is heard at a moment of the monotonic clock, as a fraction."""
        at, frame, rate = [each for each in self.moments() if each[0] <= moment and each[2] > 0][-1]
        return frame + (moment - at) * rate


class ClientTimes:
    """When a snapclient has written what: it writes what is heard a moment later."""

    def __init__(self, client):
        self.client, self.writes, self.isOver = client, [], False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        size = 0
        while not self.isOver:
            found = os.stat(self.client.path).st_size if self.client.path.exists() else 0
            if found < size:
                # A client that connects again begins its file anew.
                self.writes, size = [], 0
            if found > size:
                self.writes.append((time.monotonic(), size // 4))
                size = found
            time.sleep(0.0003)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()

    def moment(self, frame):
        """When a frame of what it has written is heard, by the write that came soonest among its neighbours: others were seen late."""
        near = [(at - first / RATE, abs(first - frame)) for at, first in self.writes]
        near = [offset for offset, distance in near if distance < RATE]
        return min(near) + frame / RATE + CLIENT_AHEAD


class Reference:
    """A client of a server that plays nothing: when the server wants which sample to be heard. Its clock is this machine's."""

    def __init__(self, server):
        self.server, self.isOver, self.chunks, self.buffer = server, False, [], 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        hello = json.dumps(dict(Arch="", ClientName="Reference", HostName="reference", ID="reference", Instance=1,
                                MAC="00:00:00:00:00:00", OS="Linux", SnapStreamProtocolVersion=2, Version="0.26.0")).encode()
        while not self.isOver:
            try:
                with socket.create_connection(("127.0.0.1", self.server.clients), timeout=2) as connection:
                    connection.sendall(struct.pack("<HHHiiiiII", 5, 1, 0, 0, 0, 0, 0, len(hello) + 4, len(hello)) + hello)
                    file = connection.makefile("rb")
                    while not self.isOver:
                        kind, _, _, _, _, _, _, size = struct.unpack("<HHHiiiiI", file.read(26))
                        body = file.read(size)
                        if kind == 3:
                            self.buffer = json.loads(body[4:])["bufferMs"] / 1000
                        if kind == 2:
                            seconds, micros, _ = struct.unpack("<iiI", body[:12])
                            self.chunks.append((seconds + micros / 1e6 + self.buffer, left(body[12:])))
            except (OSError, struct.error):
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()


class Feed:
    """Sends noise to a server's source without end, as it is taken. `with` ends it."""

    def __init__(self, server, samples):
        self.server, self.samples, self.isOver = server, samples, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        data, place = memoryview(self.samples), 0
        while not self.isOver:
            try:
                with socket.create_connection(("127.0.0.1", self.server.feed), timeout=2) as connection:
                    while not self.isOver:
                        # Paced: what the server's kernel would take in advance counts for nothing.
                        connection.sendall(data[place:place + RATE * 4 // 50])
                        place = (place + RATE * 4 // 50) % (len(data) - RATE)
                        time.sleep(0.0195)
            except OSError:
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()


def left(data):
    samples = array.array("h")
    samples.frombytes(data[:len(data) // 4 * 4])
    return samples[::2]


def best(piece, sound, around, reach):
    """Where in a sound a piece lies best, near a frame, to a part of a frame; and how well, up to 1."""
    energy = lambda samples: sum(map(operator.mul, samples, samples)) or 1
    scores = []
    for first in range(around - reach, around + reach + 1):
        other = sound[max(0, first):first + len(piece)]
        if first < 0 or len(other) < len(piece):
            scores.append(0)
            continue
        scores.append(sum(map(operator.mul, piece, other)) / (energy(piece) * energy(other)) ** 0.5)
    top = max(range(len(scores)), key=scores.__getitem__)
    part = 0
    if 0 < top < len(scores) - 1:
        one, two, three = scores[top - 1:top + 2]
        part = (one - three) / (2 * (one - 2 * two + three)) if one - 2 * two + three else 0
    return around - reach + top + part, scores[top]


def errors(room, client, times, since, until, reach=240):
    """By how many seconds the box is later than the client, again and again between two moments."""
    theirs, ours, found = left(client.heard()), room.samples(), []
    offset = times.moment(len(theirs) // 2) - len(theirs) / 2 / RATE
    moment = since
    while moment < until:
        first = int((moment - offset) * RATE)
        piece = theirs[first:first + 600]
        heard = times.moment(first)
        if len(piece) == 600 and any(piece):
            place, score = best(piece, ours, round(room.frame(heard)), reach)
            if score > 0.8:
                found.append((place - room.frame(heard)) / RATE)
        moment += (until - since) / 20
    return found
