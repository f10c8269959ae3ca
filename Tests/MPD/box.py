"""A box with an MPD server and its own music in its own folder, with a null output or the tests' sound card."""
import socket, subprocess, sys, time
from genuine import GenuineBox, free_port, tone, virtual_card


def music(folder):
    (folder / "Albums" / "One").mkdir(parents=True)
    for number in (1, 2, 3):
        tone(folder / "Albums" / "One" / f"0{number} tune.flac", 200 * number, 30, f"Tune {number}", number)
    tone(folder / "lone.flac", 150, 20, "Lone", 1)
    (folder / "Other" / "Zwei").mkdir(parents=True)
    tone(folder / "Other" / "Zwei" / "2 b.flac", 300, 4, "Blue Moon", 2, artist="Björk", album="Zwei", album_artist="Various",
         genre="Jazz", date="1993-05", disc="1/2")
    tone(folder / "Other" / "Zwei" / "10 a.flac", 310, 5, "Moon \"Song\"", 10, artist="Cello's", album="Zwei", album_artist="Various",
         genre="Trip-Hop", date="1995", disc="2")
    tone(folder / "Other" / "bare.flac", 320, 3)
    # A cover of one pixel, and a larger one sent in several chunks.
    pixel = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360f8cf50000003860180a34d1f0b0000000049454e44ae426082")
    (folder / "Albums" / "One" / "cover.png").write_bytes(pixel)
    (folder / "Other" / "Zwei" / "cover.jpg").write_bytes(pixel + bytes(range(256)) * 80)
    subprocess.run(["metaflac", f"--import-picture-from={folder}/Albums/One/cover.png", str(folder / "Other" / "Zwei" / "2 b.flac")], check=True)
    (folder / "mix.m3u").write_text("lone.flac\nAlbums/One/01 tune.flac\n")


class Box(GenuineBox):
    """A daemon; `with` ends it and removes its folder."""

    def __init__(self, swiftlet, codecs, is_heard=False):
        place = self.folder()
        music(place / "music")
        self.port = free_port()
        card = virtual_card(place, codecs, "S16_LE", 44100) if is_heard else None
        super().__init__(swiftlet, codecs, [
            f"set output.device {'virtual' if is_heard else 'null'}", "set volume.start 100", "set cues.enabled off", f"set media.root {place}/music", f"set checkpoint.path {place}/checkpoint",
            "set library.enabled on", f"set mpd.listen 127.0.0.1:{self.port}"], environment=card, place=place)

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

    def server(self):
        """The process id of the MPD server."""
        return self.integration()
