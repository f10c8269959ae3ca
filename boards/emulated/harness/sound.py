"""Reads recordings of the board's sound card and compares them with known tracks. A frame is four bytes: S16 stereo."""

import array
import struct
import time
from pathlib import Path

FRAME = 4
HEADER = 44
FRAMES = struct.Struct("<hh")


class SoundError(AssertionError):
    """The recording differs from what is expected."""


class Recording:
    """Recording of what the card has played so far. QEMU writes it in blocks of 4096 bytes while the card runs."""

    def __init__(self, path: Path, rate: int):
        self.path = path
        self.rate = rate

    @property
    def frames(self) -> int:
        try:
            return max(0, self.path.stat().st_size - HEADER) // FRAME
        except FileNotFoundError:
            return 0

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Returns the frames from `start` up to, but not including, `end`."""
        with open(self.path, "rb") as file:
            file.seek(HEADER + start * FRAME)
            data = file.read() if end is None else file.read((end - start) * FRAME)
        return data[: len(data) // FRAME * FRAME]

    def wait(self, frames: int, seconds: float = 120) -> int:
        """Waits until the card has played this many frames since its start."""
        deadline = time.monotonic() + seconds
        while self.frames < frames:
            if time.monotonic() > deadline:
                raise SoundError(f"the card has played {self.frames} frames in {seconds:.0f} s, not {frames}")
            time.sleep(0.02)
        return self.frames

    def wait_for(self, seconds: float) -> int:
        """Waits until the card has played this many more seconds."""
        return self.wait(self.frames + int(seconds * self.rate))


    def set_aside(self, name: str) -> "Recording":
        """Renames the recording, because QEMU starts a new one when a card is plugged in."""
        other = Recording(self.path.with_name(name), self.rate)
        self.path.rename(other.path)
        return other


class Track:
    """A known track to find in a recording."""

    def __init__(self, frames: bytes, name: str):
        self.frames = frames
        self.name = name

    def __len__(self) -> int:
        return len(self.frames) // FRAME


def find(pattern: bytes, data: bytes, start: int = 0, end: int | None = None) -> int:
    """Returns the first frame at which `pattern` occurs in `data`, or -1."""
    at = start * FRAME
    limit = len(data) if end is None else end * FRAME
    while (at := data.find(pattern, at, limit)) >= 0:
        if at % FRAME == 0:
            return at // FRAME
        at += 1
    return -1


def common_prefix(a: bytes, b: bytes) -> int:
    """Returns the number of equal frames at the beginning of two recordings."""
    low, high = 0, min(len(a), len(b)) // FRAME
    while low < high:
        middle = (low + high + 1) // 2
        if a[low * FRAME : middle * FRAME] == b[low * FRAME : middle * FRAME]:
            low = middle
        else:
            high = middle - 1
    return low


class Stretch:
    """A stretch of a recording that equals part of a track, sample by sample."""

    def __init__(self, at: int, position: int, length: int):
        self.at, self.position, self.length = at, position, length

    @property
    def end(self) -> int:
        return self.at + self.length

    @property
    def end_position(self) -> int:
        return self.position + self.length

    def with_dither(self, data: bytes, track: Track) -> "Stretch":
        """Extends the stretch by adjacent frames that differ only by dither, which lasts slightly longer than
        necessary.
        """
        at, position, length = self.at, self.position, self.length
        while at > 0 and position > 0 and near(data, at - 1, track.frames, position - 1):
            at, position, length = at - 1, position - 1, length + 1
        while at + length < len(data) // FRAME and position + length < len(track) and near(
            data, at + length, track.frames, position + length
        ):
            length += 1
        return Stretch(at, position, length)

    def __repr__(self) -> str:
        return f"frames {self.at}…{self.end} are the track's {self.position}…{self.end_position}"


PROBE = 32


def exact(data: bytes, track: Track, start: int = 0, least: int = 512) -> Stretch | None:
    """Returns the first stretch from `start` on that equals part of `track`, with at least `least` frames; None if
    there is none.
    """
    total = len(data) // FRAME
    at = start
    while at + PROBE <= total:
        probe = data[at * FRAME : (at + PROBE) * FRAME]
        position = find(probe, track.frames)
        if position >= 0:
            # The stretch may begin before the probe.
            while at > start and position > 0 and same_frame(data, at - 1, track.frames, position - 1):
                at, position = at - 1, position - 1
            length = common_prefix(data[at * FRAME :], track.frames[position * FRAME :])
            if length >= least:
                return Stretch(at, position, length)
            at += length
        at += least // 2
    return None


def same_frame(a: bytes, i: int, b: bytes, j: int) -> bool:
    return a[i * FRAME : (i + 1) * FRAME] == b[j * FRAME : (j + 1) * FRAME]


def near(a: bytes, i: int, b: bytes, j: int) -> bool:
    """Returns whether the samples of two frames differ by at most one step."""
    left, right = FRAMES.unpack_from(a, i * FRAME), FRAMES.unpack_from(b, j * FRAME)
    return abs(left[0] - right[0]) <= 1 and abs(left[1] - right[1]) <= 1


def samples(data: bytes) -> array.array:
    """Returns the interleaved samples."""
    return array.array("h", data)


def silence_from(data: bytes, start: int) -> int:
    """Returns the first frame from `start` on after which only dither is heard for 64 frames, or -1."""
    run = 0
    for frame, (left, right) in enumerate(FRAMES.iter_unpack(data[start * FRAME :])):
        run = run + 1 if abs(left) <= 1 and abs(right) <= 1 else 0
        if run == 64:
            return start + frame - 63
    return -1


def sound_from(data: bytes, start: int) -> int:
    """Returns the first non-silent frame from `start` on, or the end."""
    block = 1024 * FRAME
    at = start * FRAME
    while at < len(data) and not any(data[at : at + block]):
        at += block
    while at < len(data) and not any(data[at : at + FRAME]):
        at += FRAME
    return min(at, len(data)) // FRAME


def gain(data: bytes, at: int, track: Track, position: int, channel: int, frames: int = 16) -> float:
    """Returns the gain of a track's channel, measured over some frames."""
    heard = samples(data[at * FRAME : (at + frames) * FRAME])[channel::2]
    known = samples(track.frames[position * FRAME : (position + frames) * FRAME])[channel::2]
    energy = sum(k * k for k in known)
    return sum(h * k for h, k in zip(heard, known)) / energy if energy else 0.0


# Maximum rounding and dither, in 16-bit steps.
ROUGHNESS = 2
# Maximum number of frames for which a ramp's gain is too close to 1 to change a sample by more than a step.
INVISIBLE = 8
# Maximum number of frames for which dither continues after it is needed
# (Sources/Audio/RealtimeAudio/Signal/Dither.swift).
DITHER = 8192


def check_pause(data: bytes, track: Track, before: Stretch, ramp: int) -> Stretch:
    """Null test around a pause; returns the stretch after it.

    After `before`, the track must follow under a linear ramp, then silence, then the track under a rising ramp from
    the very next frame, and then the unchanged track.
    """
    before = before.with_dither(data, track)
    after = exact(data, track, before.end + 2 * ramp - 2 * INVISIBLE)
    if after is None:
        raise SoundError("after the pause the track was not heard again")
    after = after.with_dither(data, track)
    between = after.position - before.end_position
    hidden = 2 * ramp - between
    if not 0 <= hidden <= 2 * INVISIBLE:
        raise SoundError(
            f"{between} frames of the track lie between the last frame before the pause and the first behind it that"
            f" are as in the file; two ramps are {2 * ramp}: frames were lost or played twice"
        )
    silence = after.at - before.end - between
    if silence < 0:
        raise SoundError(f"{-silence} frames were lost in the pause")
    reasons = []
    for early in range(hidden + 1):
        reason = _ramps_differ(data, track, before.end - early, before.end_position - early, ramp, silence)
        if reason is None:
            return after
        reasons.append(reason)
    raise SoundError(reasons[0])


def _ramps_differ(data: bytes, track: Track, at: int, position: int, ramp: int, silence: int) -> str | None:
    """Compares a recording from `at` on with a pause that begins there; returns the first difference, or None."""
    heard = samples(data[at * FRAME : (at + 2 * ramp + silence) * FRAME])
    known = samples(track.frames[position * FRAME : (position + 2 * ramp) * FRAME])
    quiet = heard[2 * ramp : 2 * (ramp + silence)]
    # Dither continues slightly into the silence.
    if any(abs(sample) > (1 if n < 2 * DITHER else 0) for n, sample in enumerate(quiet)):
        return f"the pause is not silent: {max(map(abs, quiet))} in its {silence} frames"
    for n in range(4 * ramp):
        frame = n // 2
        gain = 1 - frame / ramp if frame < ramp else frame / ramp - 1
        found = heard[n] if frame < ramp else heard[n + 2 * silence]
        if abs(found - known[n] * gain) > ROUGHNESS:
            where = "falling" if frame < ramp else "rising"
            return f"frame {frame % ramp} of the {where} ramp is {found} instead of {known[n] * gain:.1f}"
    return None
