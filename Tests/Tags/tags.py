#!/usr/bin/env python3
"""A box that reads an emulated PN532 through the real libnfc: a placed tag plays, a lifted one pauses, and faults of
the reader do not affect the music.

Usage: tags.py SWIFTLET PRODUCTS
"""
import os, pathlib, shutil, signal, sys, tempfile, time
from genuine import FAILURES, GenuineBox, check, cpu, tone, wait
from pn532 import PN532

TAGS = {"04a21b0c": "one", "04a21b0c112233": "two", "88010203040506070809": "three"}


def reader(box):
    """The reader's process id; 0 if there is none."""
    for child in pathlib.Path(f"/proc/{box.process.pid}/task/{box.process.pid}/children").read_text().split():
        try:
            if b"\0reader\0" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        except OSError:
            pass
    return 0


def controls(box):
    """The lines of the response to `controls`."""
    box.session.write("controls\n")
    box.session.flush()
    lines = []
    while not lines or not lines[-1].startswith(("ok", "error")):
        lines.append(box.session.readline().strip())
    return lines


def maps(number):
    return pathlib.Path(f"/proc/{number}/maps").read_text()


def figure(number, name):
    for line in pathlib.Path(f"/proc/{number}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


class Run:
    def __init__(self, box, chip):
        self.box, self.chip = box, chip

    def is_at(self, title, state):
        fields = self.box.ask("status")
        return fields.get("title") == title and fields.get("state") == state

    def expect(self, what, title, state, seconds=5):
        check(what, wait(lambda: self.is_at(title, state), seconds), self.box.ask("status"))

    def place(self, tag):
        self.chip.tag = bytes.fromhex(tag)

    def problem(self):
        """The reader's problem in `controls`; empty if there is none."""
        return next((line for line in controls(self.box) if line.startswith("# reader shelf: ")), "")

    def comes_back(self, what, seconds=20):
        """The reader recovers with the tag still present, and the music is unaffected."""
        check(what + ": comes back", wait(lambda: not self.problem() and reader(self.box), seconds), self.problem())


def declare(box, path):
    check("no reader, no process", reader(box) == 0)
    check("no reader, no libnfc", "libnfc" not in maps(box.process.pid))
    for line in ["pn532_uart:ttyS0", f"pn532_uart:{path}:1200", "pn532_usb:/dev/null"]:
        check(f"refused: {line}", "error" in box.ask(f"reader shelf nfc {line}"))
    box.tell(f"reader shelf nfc pn532_uart:{path}")
    for tag, title in TAGS.items():
        box.tell(f"tag {tag} play {title}.flac")
    check("its process", wait(lambda: reader(box), 5))
    check("listed", f"reader shelf nfc pn532_uart:{path}:115200" in controls(box), controls(box))


def place_and_lift(run):
    for tag, title in TAGS.items():
        run.place(tag)
        began = time.monotonic()
        run.expect(f"{title} plays", title, "playing")
        print(f"tags: {tag} plays after {time.monotonic() - began:.2f} s")
        run.chip.tag = None
        began = time.monotonic()
        run.expect(f"{title} pauses", title, "paused")
        print(f"tags: {tag} pauses after {time.monotonic() - began:.2f} s")
    run.place("04a21b0c")
    run.expect("one again", "one", "playing")
    # One tag replaces another between two polls.
    run.place("04a21b0c112233")
    run.expect("swapped", "two", "playing")
    # The tag is missed three times in a row, with another one seen in the meantime: no event is reported.
    events = run.box.log().count("04a21b0c112233 has gone")
    run.chip.next = [None, None, None, bytes.fromhex("04a21b0c112233"), None, bytes.fromhex("04a21b0c"), None]
    check("missed", wait(lambda: not run.chip.next, 5))
    time.sleep(1)
    check("not lifted", run.is_at("two", "playing") and run.box.log().count("has gone") == events, run.box.ask("status"))
    # A phone, which has a new UID each time.
    run.chip.tag = None
    run.expect("two pauses", "two", "paused")
    run.chip.next = [bytes([8, 1, 2, number]) for number in range(8)]
    check("passed over", wait(lambda: not run.chip.next, 5) and "0801" not in run.box.log())
    run.place("04a21b0c112233")
    run.expect("two goes on", "two", "playing")


def trouble(run):
    """Each fault of the reader is reported, the music continues, and a tag that stays on the reader is not a second
    swipe."""
    box, chip = run.box, run.chip
    for mode, sentence in [("dead", "does not answer"), ("garbage", "does not answer as it should"), ("error", "does not answer as it should")]:
        chip.mode = mode
        check(f"{mode}: said", wait(lambda: sentence in run.problem(), 10), run.problem())
        check(f"{mode}: still said", wait(lambda: "no PN532 answers at" in run.problem(), 10), run.problem())
        check(f"{mode}: music", run.is_at("two", "playing"), box.ask("status"))
        chip.mode = "well"
        # A change of the controls retries the reader at once.
        box.tell(f"button other gpio gpiochip9 {len(mode)}")
        box.tell("remove other")
        run.comes_back(mode)
        check(f"{mode}: no swipe", not wait(lambda: not run.is_at("two", "playing"), 1), box.ask("status"))
    chip.mode = "mute"
    check("mute: said", wait(lambda: "does not answer" in run.problem(), 10), run.problem())
    chip.mode = "well"
    box.tell("button other gpio gpiochip9 1")
    box.tell("remove other")
    run.comes_back("mute")
    number = reader(box)
    os.kill(number, signal.SIGKILL)
    check("killed: said", wait(lambda: "its process has ended" in run.problem() or reader(box) not in (0, number), 5))
    run.comes_back("killed")
    check("killed: another", reader(box) != number)
    chip.unplug()
    check("unplugged: said", wait(lambda: run.problem(), 10))
    check("unplugged: why", wait(lambda: "cannot be opened (No such file or directory)" in run.problem(), 20), run.problem())
    # The tag is removed in the meantime.
    check("unplugged: music", run.is_at("two", "playing"), box.ask("status"))
    chip.tag = None
    chip.plug()
    box.tell("button other gpio gpiochip9 1")
    box.tell("remove other")
    run.comes_back("unplugged")
    run.expect("lifted meanwhile", "two", "paused")
    run.place("88010203040506070809")
    run.expect("three", "three", "playing")


def main():
    swiftlet, products = sys.argv[1:3]
    place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-tags-"))
    chip = PN532(str(place / "reader"))
    try:
        for index, title in enumerate(TAGS.values()):
            tone(place / f"{title}.flac", 200 + 100 * index, 300, title, index + 1)
        with GenuineBox(swiftlet, products, [
                "set output.device null", "set checkpoint.path off", f"set media.root {place}", "set tags.removed pause",
                "set cues.enabled off"]) as box:
            box.connect()
            run = Run(box, chip)
            declare(box, place / "reader")
            place_and_lift(run)
            number, began = reader(box), time.monotonic()
            used, waits, looks = cpu(number), figure(number, "voluntary_ctxt_switches"), chip.looks
            time.sleep(3)
            seconds = time.monotonic() - began
            rate = (chip.looks - looks) / seconds
            print(f"tags: the chip is asked {rate:.1f} times a second")
            # Every 0.15 s plus the duration of a poll.
            check("how often the chip is asked", 2 < rate < 6.8, rate)
            print(f"tags: its process uses {100 * (cpu(number) - used) / seconds:.1f} % of a core and wakes "
                  f"{(figure(number, 'voluntary_ctxt_switches') - waits) / seconds:.0f} times a second with a tag there; "
                  f"{figure(number, 'VmRSS')} KiB resident")
            check("confined", "Seccomp:\t2" in pathlib.Path(f"/proc/{number}/status").read_text())
            opened = {os.readlink(f"/proc/{number}/fd/{entry}") for entry in os.listdir(f"/proc/{number}/fd")}
            check("what it has open", all(name.startswith(("/dev/null", "pipe:", os.ttyname(chip.other))) for name in opened), opened)
            trouble(run)
            box.tell("remove shelf")
            check("removed", wait(lambda: reader(box) == 0, 5))
            check("still no libnfc", "libnfc" not in maps(box.process.pid))
            if FAILURES:
                print(box.log())
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print("tags: all is well" if not FAILURES else f"tags: {len(FAILURES)} failed")
    sys.exit(1 if FAILURES else 0)


main()
