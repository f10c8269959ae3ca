"""Generates the test sounds: noise whose position can be identified to the frame, and music for measurements. The
output is always the same.
"""

import random
import subprocess
import wave
from pathlib import Path

from sound import Track

RATE = 48000

# Maps random bytes to high bytes of samples between a quarter and half of full scale, with either sign. So a gain can
# be measured from a few samples, and the sum of two tracks does not clip.
LOUD = bytes(0x20 + i % 32 if i < 128 else 0xC0 + i % 32 for i in range(256))


def noise(seed: int, seconds: float, sides: str) -> bytes:
    """Returns stereo noise on both channels, or on one with silence on the other."""
    generator = random.Random(seed)
    frames = int(seconds * RATE)
    data = bytearray(frames * 4)
    for index, side in enumerate("LR"):
        if side in sides:
            data[2 * index :: 4] = generator.randbytes(frames)
            data[2 * index + 1 :: 4] = generator.randbytes(frames).translate(LOUD)
    return bytes(data)


class Music:
    """A folder of test files, with the expected frames of each."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.tracks: dict[str, Track] = {}

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._noise("one.wav", 1, 60, "LR")
        self._noise("two.flac", 2, 60, "LR")
        self._noise("three.wav", 3, 30, "LR")
        # For fades, which take at most half of a track: each channel contains one track only, so that its gain can be
        # measured.
        self._noise("left.wav", 4, 9, "L")
        self._noise("right.wav", 5, 40, "R")
        self._broken()
        self._codecs()

    def _noise(self, name: str, seed: int, seconds: float, sides: str) -> None:
        frames = noise(seed, seconds, sides)
        self.tracks[name] = Track(frames, name)
        path = self.folder / name
        if path.exists():
            return
        plain = path.with_suffix(".wav")
        with wave.open(str(plain), "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(frames)
        if path.suffix == ".flac":
            run("flac", "--silent", "--fast", "--delete-input-file", "-o", path, plain)

    def _broken(self) -> None:
        """Makes a file that begins like FLAC, followed by random bytes."""
        path = self.folder / "broken.flac"
        path.write_bytes(b"fLaC\x00\x00\x00\x22" + random.Random(6).randbytes(20000))

    def _codecs(self) -> None:
        """Makes half a minute of music in each format, for measurements of memory."""
        folder = self.folder / "codecs"
        if (folder / "music.mp3").exists():
            return
        folder.mkdir(exist_ok=True)
        plain = folder / "music.wav"
        run("sox", "-R", "-D", "-n", "-r", "48000", "-c", "2", "-b", "16", plain,
            *"synth 30 sine 220 sine 331 tremolo 3 60 gain -6".split())  # fmt: skip
        run("flac", "--silent", "-o", folder / "music.flac", plain)
        run("oggenc", "--quiet", "-q", "6", "-s", "1", "-o", folder / "music.ogg", plain)
        run("opusenc", "--quiet", "--bitrate", "128", "--serial", "1", plain, folder / "music.opus")
        run("sox", "-R", "-D", plain, "-r", "44100", folder / "music-44100.wav")
        run("lame", "--quiet", "-V", "2", plain, folder / "music.mp3")


def run(*command) -> None:
    subprocess.run([str(word) for word in command], check=True)
