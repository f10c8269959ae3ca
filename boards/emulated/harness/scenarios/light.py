"""Scenario: the status LED is dark, steady, or flashes for an error, as read from its GPIO line."""

import time

TITLE = "the light: dark when idle, steady when playing, 4 flashes for a damaged file"


def run(box, note) -> None:
    level = lambda: box.on.gpio.level(6)  # noqa: E731
    assert level() == 0, "it is lit though nothing plays"
    box.run("play one.wav")
    box.wait_for("playing")
    box.rest(0.3)
    for _ in range(50):
        assert level() == 1, "it is dark, or blinks, though the box plays"
        box.rest(0.01)
    box.run("stop")
    box.wait_for("finished", "idle")
    box.wait_until(lambda: level() == 0, "dark light", 10)
    box.run("queue clear")
    box.run("queue add broken.flac")
    box.ask("play")
    box.wait_for("failed")
    counts = flashes(level, groups=3)
    # The first group may have begun before the measurement.
    assert counts[1:] == [4, 4], f"it flashes {counts[1:]} times, not 4"
    note("4 flashes")


def flashes(level, groups: int) -> list[int]:
    """Counts the flashes between pauses."""
    counts = [0]
    last, since, longest = level(), time.monotonic(), 0.05
    deadline = time.monotonic() + 60
    while len(counts) <= groups:
        assert time.monotonic() < deadline, f"it does not flash in groups: {counts}"
        now, lit = time.monotonic(), level()
        if lit == last:
            # A pause is much longer than a flash. Durations are relative, because the board's clock may be slower
            # than the host's.
            if not lit and counts[-1] and now - since > 3 * longest:
                counts.append(0)
            continue
        if lit:
            counts[-1] += 1
        else:
            longest = max(longest, now - since)
        last, since = lit, now
    return counts[:groups]
