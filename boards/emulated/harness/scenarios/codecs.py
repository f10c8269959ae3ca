"""Scenario: every codec works on this CPU, with its sandbox and libraries. Compares the loudness of each format with
that of FLAC.
"""

from sound import samples

TITLE = "MP3, Vorbis, Opus and FLAC play on this processor"

# The first is the reference for the loudness of the others.
CODECS = ("music.flac", "music.mp3", "music.ogg", "music.opus", "music-44100.wav")


def run(box, note) -> None:
    reference = None
    failed = box.run("stats")["failed-tracks"]
    for name in CODECS:
        box.run(f"play codecs/{name}")
        box.wait_for("playing")
        # The lookup of the file and the start of its decoder take about a second here.
        begin = box.sound.frames
        box.sound.wait_for(2)
        level = loudness(box.sound.read(begin + box.sound.rate, begin + 2 * box.sound.rate - 8192))
        reference = reference or level
        assert 0.8 < level / reference < 1.25, f"{name} is {level:.0f} loud, FLAC {reference:.0f}"
        assert box.run("stats")["failed-tracks"] == failed, box.status().get("last-error")
        box.run("stop")
        box.wait_silent()
    note(f"{len(CODECS)} formats")


def loudness(data: bytes) -> float:
    """Returns the root mean square of both channels."""
    values = samples(data)
    return (sum(value * value for value in values) / max(1, len(values))) ** 0.5
