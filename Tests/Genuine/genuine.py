"""Shared by the tests with real programs: a box in its own folder, and checks."""
import os, pathlib, shutil, socket, subprocess, sys, tempfile, time

FAILURES = []


def check(what, isTrue, found=""):
    if not isTrue:
        FAILURES.append(what)
        print(f"FAILED: {what} {found}", flush=True)


def wait(until, seconds, pause=0.02):
    """Whether the condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if until():
            return True
        time.sleep(pause)
    return False


def chosen(parts, names, extra=()):
    """The parts that the names on the command line select: all if there are none; parts of `extra` only by name. Exits
    if a name matches no part, so that a mistyped name is not a success. A part is a function or a name."""
    known = {getattr(part, "__name__", part): part for part in (*parts, *extra)}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no part {' '.join(unknown)}; the parts are: {' '.join(known)}")
    return [part for name, part in known.items() if name in names] if names else list(parts)


def cpu(number):
    """CPU seconds used by a process."""
    words = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tone(path, hertz, seconds, title=None, number=None, artist="Band", album="One", **more):
    tags = dict(title=title, track=number, artist=artist, album=album, **more) if title else {}
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"sine=frequency={hertz}:duration={seconds}", "-ac", "2", "-ar", "44100"]
        + [word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")] + [str(path)], check=True)


def virtual_card(place, products, format, rate, more=""):
    """Configures the tests' virtual sound card, which writes its output to `heard.raw` in a folder. Returns the
    environment in which it is available as `virtual`."""
    (place / "card.conf").write_text(
        f'record "{place}/heard.raw"\ncontrol "{place}/card"\nformats "{format}"\nrates "{rate}"\nthread 1\n{more}')
    (place / "asound.conf").write_text(
        f'pcm_type.swiftlet {{ lib "{products}/libSwiftletVirtualCard.so" }}\n'
        f'pcm.virtual {{ type swiftlet settings "{place}/card.conf" hint {{ show on description "card of tests" }} }}\n')
    return dict(ALSA_CONFIG_PATH=f"{place}/asound.conf")


class GenuineBox:
    """A daemon; `with` ends it and removes its folder."""

    def __init__(self, swiftlet, products, lines, environment=None, words=(), place=None):
        self.place = place or self.folder()
        (self.place / "swiftlet.conf").write_text("".join(line + "\n" for line in [
            "set media.removable off", f"set socket.path {self.place}/control", "set report.path off", *lines]))
        self.output = open(self.place / "log", "w")
        self.process = subprocess.Popen(
            [swiftlet, "run", *words, "--config", self.place / "swiftlet.conf"], stdout=self.output, stderr=self.output,
            env=dict(os.environ, SWIFTLET_CODECS=str(products), **(environment or {})))

    @staticmethod
    def folder():
        return pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-genuine-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.place, ignore_errors=True)

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

    def ask(self, line):
        """The fields of the response; for an error, its message as `error`."""
        if not hasattr(self, "session"):
            self.session = self.connect()
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

    def integration(self, name=""):
        """The process id of the integration, or of the one with that name; 0 if there is none."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            try:
                if b"\0serve\0" + name.encode() in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
            except OSError:
                pass
        return 0

    def memory(self, what="VmRSS"):
        """The resident memory of the integration in KiB, or its maximum (VmHWM)."""
        try:
            for line in pathlib.Path(f"/proc/{self.integration()}/status").read_text().splitlines():
                if line.startswith(what + ":"):
                    return int(line.split()[1])
        except OSError:
            pass
        return 0
