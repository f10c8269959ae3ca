# Runs the benchmarks and writes their results to docs/reference/bench.md and the files derived from it. Started by
# scripts/bench.
import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time

import board
import box
import disk
import everyday
import features
import library
import measures
import picture
import readme
from report import Report


def first_line(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "not there"


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} × {model}, Linux {os.uname().release}"


def draw(root):
    """Writes the files derived from docs/reference/bench.md: the picture, and the table in README.md."""
    with open(f"{root}/docs/reference/bench.md") as file:
        page = file.read()
    date = next(line for line in page.splitlines() if line.startswith("- date: ")).split(": ")[1]
    with open(f"{root}/docs/reference/bench.svg", "w") as file:
        file.write(picture.drawn(page, date))
    readme.write(f"{root}/README.md", page)
    return 0


ALL = disk.ALL + measures.ALL + everyday.ALL + box.ALL + library.ALL + features.ALL + [board.board]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("--quick", action="store_true", help="about six minutes, coarser")
    parser.add_argument("--only", action="append", choices=[one.__name__ for one in ALL],
                        help="one measurement (may be given again)")
    parser.add_argument("--draw", action="store_true",
                        help="measure nothing: make docs/reference/bench.svg and README's table from docs/reference/bench.md")
    options = parser.parse_args()
    root = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
    if options.draw:
        return draw(root)
    facts = [
        ("date", datetime.date.today().isoformat()),
        ("machine", machine()),
        ("commit", first_line("git", "-C", root, "rev-parse", "--short", "HEAD")),
        ("compared with", f"{first_line('mpd', '--version')}; {first_line('mpg123', '--version')}; "
                          f"{first_line('mpv', '--version').split(' Copyright')[0]}; "
                          f"{first_line('squeezelite', '-?').split(',')[0]}"),
        ("command", "scripts/bench" + (" --quick" if options.quick else "")),
    ]
    report = Report(facts)
    try:
        # Same priority for all players, so that other processes on the host do not distort the comparison.
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        pass
    with tempfile.TemporaryDirectory(prefix="swiftlet-bench-") as work:
        bench = measures.Bench(root, work, options.quick)
        for measure in ALL:
            if options.only and measure.__name__ not in options.only:
                continue
            began = time.monotonic()
            print(f"bench: {measure.__name__} …", end="", file=sys.stderr, flush=True)
            measure(bench, report)
            print(f" {time.monotonic() - began:.0f} s", file=sys.stderr)
    facts.append(("load while measuring (1, 5, 15 min)", "%.1f, %.1f, %.1f" % os.getloadavg()))
    print(report.text(), end="")
    # Only a full run replaces the published results; others go to out/.
    is_full = not (options.quick or options.only)
    place = f"{root}/docs/reference" if is_full else f"{root}/out"
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/bench.md", "w") as file:
        file.write(report.markdown())
    with open(f"{place}/bench.svg", "w") as file:
        file.write(report.svg())
    if is_full:
        readme.write(f"{root}/README.md", report.markdown())
    return 0 if all(bar.passes for bar in report.bars) else 1


sys.exit(main())
