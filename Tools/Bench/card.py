# Controls the tests' virtual sound card (Tests/VirtualCard/include/SwiftletVirtualCard.h) from outside the player: it
# runs in real time, can rewind, and records what was heard when.
import array
import glob
import mmap
import os
import struct
import subprocess
import time

_MAGIC = 0x3164726143746653
_STARTS, _RECORDED, _LOG_COUNT, _LOG, _LOG_SIZE = 21, 32, 49, 50, 1024
_START_MARK = 1


def build(source, folder):
    """Compiles the card's ALSA plugin and returns its path."""
    library = f"{folder}/libcard.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{source}/include", "-o", library,
                    *sorted(glob.glob(f"{source}/*.c")), "-lasound", "-lpthread"], check=True)
    return library


class Card:
    """A virtual card in a folder of its own. `env` makes it the default ALSA device."""

    def __init__(self, folder, library, formats="S16_LE"):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        with open(f"{folder}/asound.conf", "w") as file:
            file.write(f"""
pcm_type.swiftlet {{ lib "{library}" }}
pcm.!default {{
  type swiftlet
  record "{folder}/heard.raw"
  control "{folder}/control"
  formats "{formats}"
}}
ctl.!default {{ type null }}
""")
        size = (_LOG + 4 * _LOG_SIZE) * 8
        with open(f"{folder}/control", "wb+") as file:
            file.write(struct.pack("<Q", _MAGIC).ljust(size, b"\0"))
            file.flush()
            self.words = memoryview(mmap.mmap(file.fileno(), size)).cast("Q")
        self.env = dict(os.environ, ALSA_CONFIG_PATH=f"{folder}/asound.conf")

    @property
    def starts(self):
        return self.words[_STARTS]

    @property
    def log(self):
        """Changes of the card's clock, as (time ns, frame, frames per second, mark)."""
        count = min(self.words[_LOG_COUNT], _LOG_SIZE)
        rows = [self.words[_LOG + 4 * n:_LOG + 4 * n + 4].tolist() for n in range(count)]
        return [(time_, frame, rate / 1000, mark) for time_, frame, rate, mark in rows]

    def first_start(self, timeout=5):
        """Returns when the first frame was due (ns); None after `timeout` seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.words[_LOG_COUNT]:
                for moment in self.log:
                    if moment[3] == _START_MARK:
                        return moment[0]
            time.sleep(0.001)
        return None

    def first_sound(self, timeout=10):
        """Returns when the first non-silent frame was due (ns), for a player that begins with silence."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            # Rarely, because reading the recording could delay the player.
            time.sleep(1)
            for frame, value in enumerate(self.heard() if self.starts else ()):
                if value:
                    return self.time_of(frame)
        raise RuntimeError("nothing is heard")

    def frame_at(self, when):
        """Returns the frame of the recording that was heard at a time (ns)."""
        last = None
        for moment in self.log:
            if moment[0] > when:
                break
            last = moment
        return last[1] + (when - last[0]) * last[2] / 1e9

    def rate_at(self, when):
        """Returns the rate at a time (ns), in frames per second; 0 while the card is stopped."""
        rate = 0
        for moment in self.log:
            if moment[0] > when:
                break
            rate = moment[2]
        return rate

    def stopped_after(self, when):
        """Returns when the card first stopped after a time (ns); None if it did not."""
        return next((moment[0] for moment in self.log if moment[0] > when and moment[2] == 0), None)

    def time_of(self, frame):
        """Returns when a frame of the recording was heard (ns)."""
        last = None
        for moment in self.log:
            if moment[1] > frame:
                break
            if moment[2] > 0:
                last = moment
        return last[0] + (frame - last[1]) * 1e9 / last[2]

    def heard(self):
        """Returns the left samples of an S16 recording."""
        samples = array.array("h")
        with open(f"{self.folder}/heard.raw", "rb") as file:
            samples.frombytes(file.read())
        return samples[::2]
