"""A real box with the tests' virtual sound card, whose output is recorded in a file."""
import array
from genuine import GenuineBox, virtual_card

RATE = 44100


class Box(GenuineBox):
    """A daemon; `with` ends it and removes its folder."""

    def __init__(self, swiftlet, products, lines=(), environment=None):
        place = self.folder()
        super().__init__(swiftlet, products, [
            "set output.device virtual", "set output.format FLOAT", f"set output.rate {RATE}", "set media.root /",
            "set cues.enabled off", "set volume.start 100", "set checkpoint.path off", *lines],
            dict(environment or {}, **virtual_card(place, products, "FLOAT_LE", RATE)), ["--strict"], place)
        self.session = self.connect()

    def heard(self):
        """Number of frames that the card has played."""
        path = self.place / "heard.raw"
        return path.stat().st_size // 8 if path.exists() else 0

    def left(self, first=0, count=None):
        """The left channel of the card's recording."""
        with open(self.place / "heard.raw", "rb") as file:
            file.seek(first * 8)
            data = file.read() if count is None else file.read(count * 8)
        samples = array.array("f")
        samples.frombytes(data[:len(data) // 8 * 8])
        return samples[::2]


def pitch(samples):
    """The frequency of some frames in Hz, from rising zero crossings; 0 for silence."""
    if not samples or max(samples) < 0.02:
        return 0
    rises = [index for index in range(1, len(samples)) if samples[index - 1] < 0 <= samples[index]]
    return RATE * (len(rises) - 1) / (rises[-1] - rises[0]) if len(rises) > 2 else 0


def stretches(samples, tones, window=1024):
    """The sequence of tones: (tone, first frame, frames) each; a tone of 0 is silence, and None is a tone other than
    the given ones."""
    found = []
    for first in range(0, len(samples) - window + 1, window):
        heard = pitch(samples[first:first + window])
        name = 0 if heard == 0 else next((tone for tone in tones if abs(heard - tone) < tone * 0.06), None)
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1], found[-1][2] + window)
        else:
            found.append((name, first, window))
    return found
