"""Reports a failed scenario: the traceback in a file, and a few lines on the terminal."""

import traceback
from pathlib import Path


def report(error: Exception, name: str, seconds: float, work: Path, last_words: list[str], say) -> None:
    """Call this while the exception is being handled."""
    (work / f"failed-{name}.txt").write_text(traceback.format_exc())
    say(f"FAILED  {name}  ({seconds:.1f} s)")
    place = traceback.extract_tb(error.__traceback__)[-1]
    say(f"        {type(error).__name__}: {error}")
    say(f"        {Path(place.filename).name}:{place.lineno}: {place.line}")
    for line in last_words:
        say(f"        | {line}")
