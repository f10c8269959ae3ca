# Benchmarks of the daemon: resuming from a checkpoint, button latency, memory and wake-ups. MPD and squeezelite run
# the same tests for comparison.
import os
import pty
import socket
import statistics
import subprocess
import time
import tty

import media
import players
import processes
import squeezelite


class Box:
    """A daemon in a folder of its own, with a pty as the serial panel of its button."""

    def __init__(self, program, folder, card, music, mode="auto", settings=(), prefix=(), env=None):
        """Writes the configuration and starts the daemon.

        settings: further lines of the configuration. prefix: command that runs the program, such as valgrind.
        """
        os.makedirs(folder, exist_ok=True)
        self.socket_path = f"{folder}/control"
        self.wire, theirs = pty.openpty()
        tty.setraw(theirs)
        self.theirs = theirs
        with open(f"{folder}/swiftlet.conf", "w") as file:
            file.write(f"""
set output.device default
set output.format S16
set output.mode {mode}
set media.root {music}
set socket.path {self.socket_path}
set checkpoint.path {folder}/checkpoint
set volume.start 100
set cues.enabled off
panel {os.ttyname(theirs)}
button play panel
bind play press toggle
""" + "".join(f"{line}\n" for line in settings))
        words = [*prefix, program, "run", "--config", f"{folder}/swiftlet.conf"]
        self.live = processes.Live(words, env or card.env)
        self.pid = self.live.pid

    def ask(self, command, timeout=10):
        """Sends a command and returns the lines of its answer."""
        end = time.monotonic() + timeout
        while True:
            try:
                link = socket.socket(socket.AF_UNIX)
                link.connect(self.socket_path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
        with link, link.makefile("rw") as file:
            file.write(command + "\n")
            file.flush()
            lines = []
            for line in file:
                lines.append(line.rstrip("\n"))
                if line.startswith("error:"):
                    raise RuntimeError(f"swiftlet: {command}: {line}")
                if line.startswith("ok"):
                    break
            return lines

    def press(self):
        """Presses and releases the button; returns when it went down (monotonic ns)."""
        when = time.monotonic_ns()
        os.write(self.wire, b"down play\n")
        time.sleep(0.03)
        os.write(self.wire, b"up play\n")
        return when

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.live.__exit__()
        os.close(self.wire)
        os.close(self.theirs)


def shown(samples):
    return f"{statistics.median(samples):.1f} / {max(samples):.1f}" if samples else None


def box_start(bench, report):
    """Measures the time from exec to the first frame of a player that was ended while playing and resumes."""
    path = bench.files(60)["FLAC"]
    trials = 4 if bench.quick else 12
    table = report.table("exec → first frame, resuming a queue (FLAC), ms: median / worst",
                         ["player", "resuming"])

    def milliseconds(live, card):
        first = card.first_start()
        if first is None:
            raise RuntimeError("it does not play on")
        return (first - live.started) / 1e6

    for build, program in bench.builds.items():
        folder = f"{bench.work}/box-start-{build}"
        card = bench.card()
        with Box(program, folder, card, bench.music) as box:
            box.ask(f"play {path}")
            card.first_start()
            time.sleep(1)
        samples = []
        for _ in range(trials):
            card = bench.card()
            with Box(program, folder, card, bench.music) as box:
                samples.append(milliseconds(box.live, card))
                time.sleep(0.3)
        table.row(f"Swiftlet {build}", shown(samples))
        if build == "Embedded":
            report.bar("exec → first frame, resuming", statistics.median(samples), 12, "ms")
    folder = f"{bench.work}/mpd-start"
    card = bench.card()
    with players.MPD(folder, bench.music, card.env, keeps_state=True) as mpd:
        mpd.play(os.path.basename(path))
        card.first_start()
        time.sleep(1)
    samples = []
    for _ in range(trials):
        card = bench.card()
        with processes.Live(["mpd", "--no-daemon", f"{folder}/mpd.conf"], card.env) as live:
            samples.append(milliseconds(live, card))
            time.sleep(0.3)
    table.row("MPD", shown(samples))
    samples = []
    for _ in range(trials):
        card = bench.card()
        with squeezelite.Squeezelite(card.env, path) as player:
            samples.append((card.first_sound() - player.live.started) / 1e6)
    table.row("squeezelite", shown(samples))


def box_day(bench, report):
    """Measures memory and wake-ups of the daemons while playing and while paused."""
    path = bench.files(60)["FLAC"]
    seconds = 5 if bench.quick else 10
    table = report.table("The daemon (FLAC)", ["player", "memory, MB: PSS / alone / anonymous", "wake-ups a second, playing",
                                               "wake-ups a second, paused"])

    def wakeups(pid):
        before = processes.switches(pid)
        time.sleep(seconds)
        return (processes.switches(pid) - before) / seconds

    def measure(pid, pause):
        time.sleep(3)
        sample = *processes.memory(pid), processes.anonymous(pid)
        playing = wakeups(pid)
        pause()
        # The card is released after a second, the worker checks its ring a few more times, and a ring check scheduled
        # by play expires within ten seconds.
        time.sleep(12)
        return " / ".join(f"{value:.1f}" for value in sample), playing, wakeups(pid)

    for build, program in bench.builds.items():
        with Box(program, f"{bench.work}/box-day-{build}", bench.card(), bench.music) as box:
            box.ask(f"play {path}")
            row = measure(box.pid, lambda: box.ask("pause"))
            table.row(f"Swiftlet {build}", *row)
            if build == "Embedded":
                report.bar("daemon, wake-ups playing", row[1], 2, "/s")
                report.bar("daemon, wake-ups paused", row[2], 0, "/s")
    with players.MPD(f"{bench.work}/mpd-day", bench.music, bench.card().env) as mpd:
        mpd.play(os.path.basename(path))
        table.row("MPD", *measure(mpd.pid, lambda: mpd.ask("pause 1")))
    for name, thrifty in (("squeezelite", False), ("squeezelite -C 1, not locked", True)):
        with squeezelite.Squeezelite(bench.card().env, path, thrifty) as player:
            table.row(name, *measure(player.pid, player.toggle))


def press(bench, report):
    """Measures the time from a button's edge to the first changed sample, to silence after a pause, and how much
    music a pause loses.

    For MPD, the button runs mpc.
    """
    level, trials = 20000, 10 if bench.quick else 30
    path = media.constant(bench.music, 90, level)
    stairs = media.staircase(bench.music, 90)
    table = report.table("Button → change in the sound, ms: median / worst",
                         ["player", "pause", "silence", "resume", "music lost by a pause", "trials"])

    def measure(card, act):
        card.first_start()
        time.sleep(1)
        presses = []
        for trial in range(trials):
            presses.append(("pause", act()))
            time.sleep(0.4 + trial % 7 * 0.013)
            presses.append(("resume", act()))
            time.sleep(0.6 + trial % 11 * 0.017)
        heard = card.heard()
        late = {"pause": [], "silence": [], "resume": []}
        for name, when in presses:
            before = level if name == "pause" else 0
            frame = max(0, int(card.frame_at(when)))
            while frame < len(heard) and abs(heard[frame] - before) <= 2:
                frame += 1
            changed = card.time_of(frame)
            # A player that stops the card mid-sound leaves no silence in the recording.
            stopped = card.stopped_after(when) if name == "pause" else None
            if stopped is not None:
                changed = min(changed, stopped)
            late[name].append((changed - when) / 1e6)
            if name == "pause":
                while frame < len(heard) and abs(heard[frame]) > 2:
                    frame += 1
                silent = card.time_of(frame)
                late["silence"].append(((silent if stopped is None else min(silent, stopped)) - when) / 1e6)
        return late

    def lost(card, act):
        """Returns how many ms of the staircase signal each pause loses: how far it advanced, less how much was heard.
        """
        time.sleep(2)
        pauses = []
        for trial in range(4 if bench.quick else 12):
            paused = act()
            time.sleep(0.4 + trial % 7 * 0.013)
            pauses.append((paused, act()))
            time.sleep(1)
        heard = card.heard()
        losses = []
        for paused, resumed in pauses:
            # Well outside of the ramps around the pause.
            first, there = media.step_from(heard, int(card.frame_at(paused - 50_000_000)))
            last, then = media.step_from(heard, int(card.frame_at(resumed + 500_000_000)))
            passed = (then - there) % (media.STEP * media.STEPS)
            # Up to two steps of 16 bits are dither, not music.
            losses.append((passed - sum(abs(value) > 2 for value in heard[first:last])) / 44.1)
        return losses

    def row(name, late, losses):
        table.row(name, shown(late["pause"]), shown(late["silence"]), shown(late["resume"]), shown(losses), str(2 * trials))

    for build, mode in (("Embedded", "auto"), ("Embedded", "shallow"), ("ordinary", "auto")):
        card = bench.card()
        with Box(bench.builds[build], f"{bench.work}/press-{build}-{mode}", card, bench.music, mode) as box:
            box.ask(f"play {path}")
            late = measure(card, box.press)
            box.ask(f"play {stairs}")
            row(f"Swiftlet {build}, {mode}", late, lost(card, box.press))
        if build == "Embedded" and mode == "auto":
            report.bar("button → sound, worst", max(late["pause"] + late["resume"]), 12, "ms")
    card = bench.card()
    with players.MPD(f"{bench.work}/mpd-press", bench.music, card.env) as mpd:
        mpd.play(os.path.basename(path))
        env = dict(os.environ, MPD_HOST=mpd.socket_path)

        def toggle():
            when = time.monotonic_ns()
            subprocess.run(["mpc", "--quiet", "toggle"], env=env, check=True, **processes.QUIET)
            return when

        late = measure(card, toggle)
        mpd.play(os.path.basename(stairs))
        row("MPD + mpc", late, lost(card, toggle))
    card = bench.card()
    with squeezelite.Squeezelite(card.env, path) as player:
        card.first_sound()
        late = measure(card, player.toggle)
        player.play(stairs)
        row("squeezelite", late, lost(card, player.toggle))


ALL = [box_start, box_day, press]
