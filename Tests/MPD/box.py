"""A box that plays into nothing, with an MPD server and music of its own, in a folder of its own."""
import os, pathlib, shutil, socket, subprocess, sys, tempfile, time


def music(folder):
    (folder / "Albums" / "One").mkdir(parents=True)
    for number in (1, 2, 3):
        tone(folder / "Albums" / "One" / f"0{number} tune.flac", 200 * number, 30, f"Tune {number}", number)
    tone(folder / "lone.flac", 150, 20, "Lone", 1)
    (folder / "Other" / "Zwei").mkdir(parents=True)
    tone(folder / "Other" / "Zwei" / "2 b.flac", 300, 4, "Blue Moon", 2, artist="Björk", album="Zwei", album_artist="Various")
    tone(folder / "Other" / "Zwei" / "10 a.flac", 310, 5, "Moon \"Song\"", 10, artist="Cello's", album="Zwei", album_artist="Various")
    tone(folder / "Other" / "bare.flac", 320, 3)
    (folder / "mix.m3u").write_text("lone.flac\nAlbums/One/01 tune.flac\n")


def tone(path, hertz, seconds, title=None, number=None, artist="Band", album="One", **more):
    tags = dict(title=title, track=number, artist=artist, album=album, **more) if title else {}
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"sine=frequency={hertz}:duration={seconds}", "-ac", "2", "-ar", "44100"]
        + [word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")] + [str(path)], check=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Box:
    """A daemon; `with` ends it and removes its folder."""

    def __init__(self, swiftlet, codecs):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-mpd-"))
        music(self.place / "music")
        self.port = free_port()
        (self.place / "swiftlet.conf").write_text(
            f"set output.device null\nset media.root {self.place}/music\nset media.removable off\n"
            f"set socket.path {self.place}/control\nset checkpoint.path {self.place}/checkpoint\nset report.path off\nset library.enabled on\n"
            f"set mpd.listen 127.0.0.1:{self.port}\n")
        self.output = open(self.place / "log", "w")
        self.process = subprocess.Popen(
            [swiftlet, "run", "--config", self.place / "swiftlet.conf"], env=dict(os.environ, SWIFTLET_CODECS=codecs),
            stdout=self.output, stderr=self.output)

    def __enter__(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("the box does not listen: " + self.log())
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.place, ignore_errors=True)

    def log(self):
        return (self.place / "log").read_text()[-3000:]

    def server(self):
        """The number of the MPD server's process."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            try:
                if b"\0serve\0" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
            except OSError:
                pass
        return 0

    def memory(self):
        """KiB that the MPD server has resident."""
        for line in pathlib.Path(f"/proc/{self.server()}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0
