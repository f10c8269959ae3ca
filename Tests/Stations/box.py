"""A genuine box, whose sound card is the virtual one of the tests: what it has played is in a file."""
import array, math, os, pathlib, shutil, socket, subprocess, tempfile, time

RATE = 44100


class Box:
    """A daemon; `with` ends it and removes its folder."""

    def __init__(self, swiftlet, products, lines=(), environment=None):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-station-"))
        place = self.place
        (place / "card.conf").write_text(
            f'record "{place}/heard.raw"\ncontrol "{place}/card"\nformats "FLOAT_LE"\nrates "{RATE}"\nthread 1\n')
        (place / "asound.conf").write_text(
            f'pcm_type.swiftlet {{ lib "{products}/libSwiftletVirtualCard.so" }}\n'
            f'pcm.virtual {{ type swiftlet settings "{place}/card.conf" }}\n')
        (place / "swiftlet.conf").write_text("".join(line + "\n" for line in [
            "set output.device virtual", "set output.format FLOAT", f"set output.rate {RATE}", "set media.root /",
            "set media.removable off", "set cues.enabled off", "set volume.start 100", f"set socket.path {place}/control",
            "set checkpoint.path off", "set report.path off", *lines]))
        self.output = open(place / "log", "w")
        self.process = subprocess.Popen(
            [swiftlet, "run", "--strict", "--config", place / "swiftlet.conf"], stdout=self.output, stderr=self.output,
            env=dict(os.environ, SWIFTLET_CODECS=products, ALSA_CONFIG_PATH=f"{place}/asound.conf", **(environment or {})))
        self.session = self.connect()

    def connect(self):
        deadline = time.monotonic() + 20
        while True:
            session = socket.socket(socket.AF_UNIX)
            try:
                session.connect(str(self.place / "control"))
                return session.makefile("rw")
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the box does not start: " + self.log())
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.place, ignore_errors=True)

    def ask(self, line):
        """The answer's fields; of an error, its sentence as `error`."""
        self.session.write(line + "\n")
        self.session.flush()
        fields = {}
        while True:
            answer = self.session.readline().strip()
            if answer.startswith("ok"):
                return fields
            name, _, value = answer.partition(":")
            fields[name] = value.strip()
            if name == "error" or not answer:
                return fields

    def tell(self, line):
        answer = self.ask(line)
        if "error" in answer or "" in answer:
            raise SystemExit(f"{line}: {answer}\n{self.log()}")

    def log(self):
        return (self.place / "log").read_text()[-3000:]

    def heard(self):
        """Frames that the card has played."""
        path = self.place / "heard.raw"
        return path.stat().st_size // 8 if path.exists() else 0

    def left(self, first=0, count=None):
        """The left channel of what the card has played."""
        with open(self.place / "heard.raw", "rb") as file:
            file.seek(first * 8)
            data = file.read() if count is None else file.read(count * 8)
        samples = array.array("f")
        samples.frombytes(data[:len(data) // 8 * 8])
        return samples[::2]


def pitch(samples):
    """The tone of some frames, in Hz, by its rising zeros; 0 where it is silent."""
    if not samples or max(samples) < 0.02:
        return 0
    rises = [index for index in range(1, len(samples)) if samples[index - 1] < 0 <= samples[index]]
    return RATE * (len(rises) - 1) / (rises[-1] - rises[0]) if len(rises) > 2 else 0


def stretches(samples, tones, window=1024):
    """What is heard when: (tone, first frame, frames) each; a tone of 0 is silence, one of None is none of those given."""
    found = []
    for first in range(0, len(samples) - window + 1, window):
        heard = pitch(samples[first:first + window])
        name = 0 if heard == 0 else next((tone for tone in tones if abs(heard - tone) < tone * 0.06), None)
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1], found[-1][2] + window)
        else:
            found.append((name, first, window))
    return found
