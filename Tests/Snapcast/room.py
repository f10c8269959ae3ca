"""A box as a client of a real snapserver, with its own sound card clock: when it plays which samples, compared with a
real snapclient."""
import array, ctypes, json, operator, os, shutil, socket, struct, subprocess, threading, time
from genuine import GenuineBox, virtual_card
from server import IN_TIME, RATE


class Card:
    """The recording of a virtual sound card and its timing; `place` is its folder."""

    def samples(self):
        """The left channel of the card's recording."""
        path = self.place / "heard.raw"
        return left(path.read_bytes()) if path.exists() else array.array("h")

    def moments(self):
        """The mapping of time to frames: (seconds, frame, frames per second)."""
        with open(self.place / "card", "rb") as file:
            words = struct.unpack(f"<{os.fstat(file.fileno()).st_size // 8}Q", file.read()[:os.fstat(file.fileno()).st_size // 8 * 8])
        # The log is at the end of the file: its count, then 1024 entries of four words.
        count, log = words[-4097], words[-4096:]
        assert count < 1024
        return [(log[4 * i] / 1e9, log[4 * i + 1], log[4 * i + 2] / 1000) for i in range(count)]

    def frame(self, moment):
        """The fractional frame that plays at a time of the monotonic clock; None during silence."""
        past = [each for each in self.moments() if each[0] <= moment]
        if not past or past[-1][2] == 0:
            return None
        at, frame, rate = past[-1]
        return frame + (moment - at) * rate


class Room(Card, GenuineBox):
    """A daemon that is a Snapcast client; `with` ends it. The clock of its virtual card is off by some ppm."""

    def __init__(self, swiftlet, products, server, ppm=0, host="127.0.0.1", lines=()):
        place = self.folder()
        super().__init__(swiftlet, products, [
            "set output.device virtual", "set output.format S16", f"set output.rate {RATE}", "set cues.enabled off",
            "set volume.start 100", "set checkpoint.path off", f"source room snapcast {host}:{server.clients}", *lines],
            virtual_card(place, products, "S16_LE", RATE, f"speed {1 + ppm / 1e6}\n"), ["--strict"], place)
        self.session = self.connect()


class Speaker(Card):
    """A snapclient that plays on a virtual card with a correct clock. `with` ends it."""

    def __init__(self, products, server):
        self.place = GenuineBox.folder()
        self.output = open(self.place / "log", "w")
        self.process = subprocess.Popen(
            [*IN_TIME, "snapclient", "-h", "127.0.0.1", "-p", str(server.clients), "--hostID", "speaker", "--player", "alsa", "-s", "virtual",
             "--logsink", "stdout"],
            stdout=self.output, stderr=self.output, env=dict(os.environ, **virtual_card(self.place, products, "S16_LE", RATE)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()
        shutil.rmtree(self.place, ignore_errors=True)


class Background:
    """Runs `run` on a thread until `with` ends."""

    def __init__(self):
        self.isOver = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()


class Reference(Background):
    """A silent client of a server, which records when each sample is due. It uses this machine's clock."""

    def __init__(self, server):
        self.server, self.chunks, self.buffer = server, [], 0
        super().__init__()

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
                        if kind == 1:
                            self.head = body[4 + struct.unpack("<I", body[:4])[0] + 4:]
                        if kind == 2:
                            seconds, micros, _ = struct.unpack("<iiI", body[:12])
                            self.chunks.append((seconds + micros / 1e6 + self.buffer, body[12:]))
            except (OSError, struct.error):
                time.sleep(0.1)

    def sounds(self, codec):
        """The due times of samples of the left channel, chunk by chunk."""
        chunks = list(self.chunks)
        if codec == "pcm":
            return [(due, left(data)) for due, data in chunks]
        if codec == "opus":
            library, code, output = ctypes.CDLL("libopus.so.0"), ctypes.c_int(), (ctypes.c_int16 * 11520)()
            library.opus_decoder_create.restype = ctypes.c_void_p
            decoder = ctypes.c_void_p(library.opus_decoder_create(RATE, 2, ctypes.byref(code)))
            count = lambda data: library.opus_decode(decoder, data, len(data), output, 5760, 0)
            return [(due, array.array("h", output[:2 * count(data)])[::2]) for due, data in chunks]
        return [sound for run in unbroken(chunks) for sound in self.decoded(run)]

    def decoded(self, run):
        """The samples of contiguous chunks of FLAC."""
        whole = subprocess.run(["ffmpeg", "-v", "error", "-f", "flac", "-i", "-", "-f", "s16le", "-"], check=True, stdout=subprocess.PIPE,
                               input=self.head + b"".join(data for _, data in run)).stdout
        samples, start = left(whole), run[0][0]
        return [(due, samples[round((due - start) * RATE):][:1000]) for due, _ in run]


class Feed(Background):
    """Sends noise to a server's source at the rate at which the server accepts it. `with` ends it."""

    def __init__(self, server, samples):
        self.server, self.samples = server, samples
        super().__init__()

    def run(self):
        data, place = memoryview(self.samples), 0
        while not self.isOver:
            try:
                with socket.create_connection(("127.0.0.1", self.server.feed), timeout=2) as connection:
                    while not self.isOver:
                        # Paced, so that the kernel's socket buffer does not run ahead.
                        connection.sendall(data[place:place + RATE * 4 // 50])
                        place = (place + RATE * 4 // 50) % (len(data) - RATE)
                        time.sleep(0.0195)
            except OSError:
                time.sleep(0.1)


def unbroken(chunks):
    """Chunks of equal length, split where the server has skipped some or restarted."""
    steps = sorted(after[0] - before[0] for before, after in zip(chunks, chunks[1:]))
    usual, runs = steps[len(steps) // 2], [[chunks[0]]]
    for before, after in zip(chunks, chunks[1:]):
        if abs(after[0] - before[0] - usual) > 0.001:
            runs.append([])
        runs[-1].append(after)
    return runs


def left(data):
    samples = array.array("h")
    samples.frombytes(data[:len(data) // 4 * 4])
    return samples[::2]


def best(piece, sound, around, reach):
    """The best position of a piece in a sound near a frame, as a fraction of a frame, and its correlation, up to 1."""
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


def delays(sounds, since, until, frame, sound, reach):
    """The delay of a sound relative to its due times in seconds, sampled between two times. `frame` returns the frame
    that plays at a time."""
    sounds = [each for each in sounds if since < each[0] < until]
    found = {}
    for due, piece in sounds[::max(1, len(sounds) // 15)]:
        wanted = frame(due)
        if wanted is None:
            continue
        place, score = best(piece[:700], sound, round(wanted), reach)
        if score > 0.9:
            found[due] = (place - wanted) / RATE
    return found
