"""Runs scenarios on the emulated board. Started by scripts/test-board; see its usage text."""

import argparse
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import failure  # noqa: E402
from box import Box  # noqa: E402
from image import Image  # noqa: E402
from music import Music  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402


def main() -> int:
    arguments = parse()
    if arguments.list:
        for scenario in SCENARIOS:
            print(f"  {scenario.name:18} {scenario.title}")
        return 0
    chosen = choose(arguments.scenarios)
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    image = Image(arguments.deb, work, HERE.parent)
    if image.make():
        say(f"made {image.initramfs.name}, {image.initramfs.stat().st_size / 1e6:.1f} MB, with {arguments.deb.name}")
    music = Music(work / "music")
    music.make()
    if arguments.figures:
        chosen = []

    box = Box(image, music, work, arguments.seed, say, arguments.trace)
    say(f"seed {arguments.seed}")
    failed = 0
    try:
        if arguments.shell:
            import shell

            return shell.attach(box)
        if arguments.figures:
            import figures

            figures.write(box, image, arguments.figures)
        for scenario in chosen:
            failed += not any(run(scenario, box, work) for _ in range(arguments.tries))
    finally:
        if box.machine:
            box.machine.kill()
    if not arguments.figures:
        say(f"{len(chosen) - failed} of {len(chosen)} scenarios passed in {time.monotonic() - began:.0f} s")
    if failed or arguments.keep or arguments.trace:
        say(f"recordings and logs are in {work}/boot-*")
    else:
        for folder in work.glob("boot-*"):
            shutil.rmtree(folder)
    return 1 if failed else 0


def run(scenario, box: Box, work: Path) -> bool:
    """Runs a scenario and reports its result."""
    began = time.monotonic()
    notes: list[str] = []
    try:
        box.on
        box.fresh()
        began = time.monotonic()
        scenario.run(box, notes.append)
    except Exception as error:
        failure.report(error, scenario.name, time.monotonic() - began, work, last_words(box), say)
        box.throw_away()
        return False
    say(f"passed  {scenario.name:16} {time.monotonic() - began:5.1f} s  {'; '.join(notes)}")
    return True


def last_words(box: Box) -> list[str]:
    """Returns the last lines of the box's log."""
    if box.machine is None or box.machine.process.poll() is not None:
        return []
    try:
        rows = box.machine.console.ask("log 12", seconds=10).get("rows", [])
        return [str(row.get("text", row)) for row in rows]
    except Exception:
        return ["the console does not answer"]


def choose(names: list[str]):
    known = {scenario.name: scenario for scenario in SCENARIOS}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"test-board: there is no scenario {unknown[0]}; --list shows them", file=sys.stderr)
        sys.exit(64)
    return [s for s in SCENARIOS if not names or s.name in names]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/test-board", add_help=False)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--deb", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--figures", type=Path)
    return parser.parse_args()


def say(text: str) -> None:
    print(f"test-board: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
