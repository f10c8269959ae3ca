#!/usr/bin/env python3
"""A real box whose integration is killed, stopped, or replaced by a hostile program: the music loses no frame, the box
reports what happened, restarts the integration and keeps nothing of the other program.

Usage: integrations.py SWIFTLET PRODUCTS [MISDEED…]
"""
import contextlib, os, pathlib, shutil, signal, socket, subprocess, sys, time
from genuine import FAILURES, GenuineBox, check, chosen, free_port, virtual_card, wait
from integration import MISDEEDS

RATE = 44100
FRAME = 4
# A timeout for conditions that take a second on an idle machine, because the machine may be busy.
LONG = 60
# Texts in `status` for each misdeed; empty if the box reports nothing.
SAID = dict(
    exits="it ended with status 0", fails="it ended with status 70", crashes="signal 11 ended it", says_escapes="all is well",
    babbles="it sent more than the protocol allows", says_one_line="it sent more than the protocol allows", counts_on="it sent more than the protocol allows", closes_its_report="it said nothing for 35 s", stops="it said nothing for 35 s", forks="it ended with status 0",
    gives_orders="it ended with status 0")


class Box(GenuineBox):
    def __init__(self, swiftlet, products):
        place = self.folder()
        self.port = free_port()
        shutil.copy(pathlib.Path(__file__).parent / "integration.py", place)
        (place / "integration.py").chmod(0o755)
        (place / "swiftlet").symlink_to(pathlib.Path(swiftlet).resolve())
        (place / "starts").write_text("")
        self.misdeed = place / "misdeed"
        self.misdeed.write_text("none")
        super().__init__(swiftlet, products, [
            "set output.device virtual", "set output.format S16", f"set output.rate {RATE}", "set cues.enabled off", "set volume.start 100",
            "set volume.maximum 100", "set checkpoint.path off", f"set media.root {place}", f"set mpd.listen 127.0.0.1:{self.port}"],
            dict(virtual_card(place, products, "S16_LE", RATE), LD_PRELOAD=f"{products}/libSwiftletFaults.so",
                 SWIFTLET_FAULTS_INTEGRATION=str(place / "integration.py")), ["--strict"], place)

    def ask(self, line):
        """Uses a new session if the old one was closed, because the box closes idle sessions."""
        with contextlib.suppress(AttributeError):
            self.session.close()
            del self.session
        return super().ask(line)

    def children(self):
        return set(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())

    def lines(self):
        """Number of lines in the log."""
        return (self.place / "log").read_text(errors="replace").count("\n")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def starts(self):
        """Process ids and start times of all programs started as the integration."""
        return [(int(line.split()[0]), float(line.split()[1])) for line in (self.place / "starts").read_text().splitlines()]

    def integration_now(self):
        """The process id of the program started last."""
        return self.starts()[-1][0]

    def isServed(self):
        """Whether the real integration responds."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as client:
                return client.recv(100).startswith(b"OK MPD")
        except OSError:
            return False

    def answers(self):
        """The response time of the box in seconds."""
        asked = time.monotonic()
        found = self.ask("status")
        check("the box plays", found.get("state") == "playing", found)
        return time.monotonic() - asked


def left_over(place):
    """Processes that still run the integration's program."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(place / "integration.py").encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass
    return found


def kill(number):
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass


def swap(box, name):
    """Replaces the integration by a misbehaving one, and then restores the real one."""
    check(f"{name}: served before", wait(box.isServed, LONG), box.log())
    time.sleep(0.5)
    lines = box.lines()
    children, descriptors, count = len(box.children()), box.descriptors(), len(box.starts())
    began = time.monotonic()
    box.misdeed.write_text(name)
    kill(box.integration_now())
    check(f"{name}: the killed one is replaced", wait(lambda: len(box.starts()) > count, LONG), box.log())
    slowest = 0
    if name in SAID:
        check(f"{name}: is said", wait(lambda: SAID[name] in box.ask("status").get("mpd", ""), LONG), box.ask("status").get("mpd"))
        check(f"{name}: is shown as text", "\x1b" not in box.ask("status").get("mpd", ""), box.ask("status").get("mpd"))
    end = time.monotonic() + 4
    while time.monotonic() < end:
        slowest = max(slowest, box.answers())
        time.sleep(0.05)
    check(f"{name}: the box answers", slowest < 1, f"{slowest:.2f} s")
    started = box.starts()[count:]
    gaps = [round(after[1] - before[1], 1) for before, after in zip(started, started[1:])]
    check(f"{name}: it is started again later and later", len(started) < 8 and all(b > a * 1.2 for a, b in zip(gaps, gaps[1:])), gaps)
    check(f"{name}: nothing was set", box.ask("status").get("volume") == "100", box.ask("status"))
    box.misdeed.write_text("none")
    kill(box.integration_now())
    check(f"{name}: the genuine one is back", wait(box.isServed, LONG), box.log())
    check(f"{name}: no process is left", wait(lambda: not left_over(box.place), 5), left_over(box.place))
    for number in left_over(box.place):
        kill(number)
    check(f"{name}: nor a child", wait(lambda: len(box.children()) == children, 5), box.children())
    check(f"{name}: nor a descriptor", wait(lambda: box.descriptors() <= descriptors, 5), (box.descriptors(), descriptors))
    check(f"{name}: the log is not filled", box.lines() - lines < 400, box.lines() - lines)
    # A changed setting restarts the backoff.
    box.tell("set mpd.listen off")
    check(f"{name}: the one that is not wanted is gone", wait(lambda: not box.isServed() and len(box.children()) == children - 1, 5))
    box.tell(f"set mpd.listen 127.0.0.1:{box.port}")
    print(f"{name}: {len(started)} started, {gaps} s apart; slowest answer {slowest * 1000:.0f} ms; {box.lines() - lines} lines of log; "
          f"{time.monotonic() - began:.0f} s", flush=True)


def recording(swiftlet, products, place, file):
    """The box's recording of a file, as bytes."""
    path = place / "recording.wav"
    subprocess.run(
        [swiftlet, "play", file, "--rate", str(RATE), "--format", "S16", "--force", "--output", path],
        env=dict(os.environ, SWIFTLET_CODECS=str(products)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path.read_bytes()[44:]


def main():
    swiftlet, products, *names = sys.argv[1:]
    names = chosen(MISDEEDS, names)
    with Box(swiftlet, products) as box:
        file = box.place / "noise.flac"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"anoisesrc=duration=900:seed=1:sample_rate={RATE}:amplitude=0.2", "-ac", "2",
                        "-sample_fmt", "s16", file], check=True)
        box.tell("play noise.flac")
        check("it plays", wait(lambda: box.ask("status").get("state") == "playing", LONG), box.log())
        for name in names:
            swap(box, name)
        check("no underrun", box.ask("stats").get("xruns") == "0", box.ask("stats"))
        heard = (box.place / "heard.raw").read_bytes()
        heard = heard[:len(heard) // FRAME * FRAME]
        wanted = recording(swiftlet, products, box.place, file)
        # The music starts without a ramp, after silence.
        probe = wanted[RATE * FRAME:(RATE + 1000) * FRAME]
        start = heard.find(probe) - RATE * FRAME
        last = min(len(heard), start + len(wanted))
        check("the music is heard", start >= 0 and start % FRAME == 0, start)
        check("with every frame", heard[start + RATE * FRAME:last] == wanted[RATE * FRAME:last - start], first_difference(heard[start:], wanted))
        print(f"heard {(last - start) / FRAME / RATE:.0f} s, all of them frame by frame", flush=True)
    if FAILURES:
        raise SystemExit(f"integrations: {len(FAILURES)} failed")
    print("integrations: all as they should be")


def first_difference(heard, wanted):
    return next((place // FRAME for place in range(RATE * FRAME, min(len(heard), len(wanted)), FRAME)
                 if heard[place:place + FRAME] != wanted[place:place + FRAME]), None)


main()
