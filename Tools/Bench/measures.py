# Benchmarks of playback: CPU time, instructions, memory, start, key latency, wake-ups. Each function adds tables and
# bars to the report.
import contextlib
import os
import shutil
import statistics
import subprocess
import time

import card
import instructions
import media
import players
import processes
import squeezelite

MS = 1e3


class Bench:
    """Paths and durations of one run."""

    def __init__(self, root, work, quick):
        self.root, self.work, self.quick = root, work, quick
        self.builds = {
            "Embedded": f"{root}/.embedded/release/swiftlet",
            "ordinary": f"{root}/.build/release/swiftlet",
        }
        # Built without SwiftPM, which would link it with Swift's runtime and so load that into each player.
        self.library = card.build(f"{root}/Tests/VirtualCard", work)
        self.decoder = players.build_decoder(f"{root}/Tools/Bench/decode.c", work)
        self.music = f"{work}/music"
        os.makedirs(self.music, exist_ok=True)
        self.seconds = 60 if quick else 120
        # For playing as fast as possible: long enough that the start, which `start` measures, is negligible.
        self.unpaced_seconds = 60 if quick else 600
        self.repeats = 1 if quick else 3
        self.cards = 0

    def files(self, seconds):
        return media.make(self.music, seconds)

    def second(self, path):
        """Copies a file, as the second track of a fade."""
        return shutil.copy(path, f"{self.music}/second-{os.path.basename(path)}")

    def card(self, **settings):
        self.cards += 1
        folder = f"{self.work}/card-{self.cards}"
        shutil.rmtree(folder, ignore_errors=True)
        return card.Card(folder, self.library, **settings)

    def card_player(self, build, card_, *arguments, terminal=False):
        words = [self.builds[build], "play", "--device", "default", "--format", "S16", *arguments]
        return processes.Live(words, card_.env, terminal)


def least(bench, measure):
    """Returns the minimum of several runs: other load on the host can only add to it."""
    return min(measure() for _ in range(bench.repeats))


# CPU time, as fast as possible

def cpu(bench, report):
    files, seconds = bench.files(bench.unpaced_seconds), bench.unpaced_seconds
    env = players.null_card(bench.work)

    def milliseconds(words):
        return least(bench, lambda: processes.spent(words, env)[0]) / seconds * MS

    table = report.table(
        "CPU, ms a second of audio, as fast as it goes",
        ["codec", "bare decoder", "Swiftlet Embedded", "Swiftlet ordinary", "MPD", "MPD decodes to", "mpg123", "mpv"])
    with players.MPD(f"{bench.work}/mpd", bench.music, env) as mpd:
        for codec in media.CODECS:
            path = files[codec]
            mpd.spent(os.path.basename(path))
            other = least(bench, lambda: mpd.spent(os.path.basename(path))) / seconds * MS
            bare = milliseconds([bench.decoder, path])
            own = {
                build: milliseconds([program, "play", path, "--output", "/dev/null"])
                for build, program in bench.builds.items()
            }
            mpg = milliseconds(["mpg123", "-q", "-o", "alsa", path]) if codec == "MP3" else None
            mpv = milliseconds(["mpv", "--no-config", "--no-video", "--ao=alsa", path])
            table.row(codec, bare, own["Embedded"], own["ordinary"], other, mpd.audio, mpg, mpv)
            if codec != "WAV":
                report.bar(f"CPU against the bare decoder, {codec}", own["Embedded"] / bare, 1.08, "of its")


def resampling(bench, report):
    path, seconds = bench.files(bench.seconds)["FLAC"], bench.seconds
    env = players.null_card(bench.work)

    def milliseconds(program, *more):
        words = [program, "play", path, "--output", "/dev/null", *more]
        return least(bench, lambda: processes.spent(words, env)[0]) / seconds * MS

    table = report.table(
        "44.1 → 48 kHz, ms of CPU a second of audio (FLAC)",
        ["player", "native", "48 kHz", "more"])
    for build, program in bench.builds.items():
        native, other = milliseconds(program), milliseconds(program, "--rate", "48000")
        table.row(f"Swiftlet {build}", native, other, other - native)
        if build == "Embedded":
            report.bar("resampling 44.1 → 48 kHz", other - native, 3, "ms/s more")
    soxr = 'resampler {\n  plugin "soxr"\n  quality "high"\n}'
    name = os.path.basename(path)
    with players.MPD(f"{bench.work}/mpd", bench.music, env) as mpd:
        native = least(bench, lambda: mpd.spent(name)) / seconds * MS
    for label, plugin in (("MPD, default", ""), ("MPD, soxr high", soxr)):
        with players.MPD(f"{bench.work}/mpd", bench.music, env, resampler=plugin) as mpd:
            other = least(bench, lambda: mpd.spent(name)) / seconds * MS
        table.row(label, native, other, other - native)


# Instructions, in real time

def count(bench, report):
    short, long = 3, 7 if bench.quick else 11
    brief, full = bench.files(short), bench.files(long)
    stand_in = instructions.build_stand_in(bench.work)
    folder = f"{bench.work}/callgrind"
    shutil.rmtree(folder, ignore_errors=True)
    builds = ["Embedded"] if bench.quick else ["Embedded", "ordinary"]
    programs = {build: instructions.without_debugging(bench.builds[build], f"{folder}/{build}") for build in builds}

    def measure(label, command, library=None):
        started = [
            instructions.start(command(files), f"{folder}/{label}-{name}", library)
            for name, files in (("short", brief), ("long", full))
        ]
        counted = [instructions.finish(one) for one in started]
        return instructions.split(counted[1], counted[0], long - short)

    table = report.table(
        "Million instructions a second of audio, playing in real time",
        ["codec", "bare decoder"]
        + [f"{build}: {part}" for build in builds for part in ("codec libraries", "everything else")])
    for codec in media.CODECS:
        bare = sum(measure(f"bare-{codec}", lambda files: [bench.decoder, files[codec]]))
        cells = []
        for build in builds:
            library, _, rest = measure(
                f"{build}-{codec}",
                lambda files: [programs[build], "play", "--device", "null", files[codec]], stand_in)
            cells += [library, rest]
            if build == "Embedded":
                report.bar(f"instructions beside the codec, {codec}", rest, 0.4 if codec == "WAV" else 0.8, "M/s")
        table.row(codec, bare, *cells)


# Memory

def memory(bench, report):
    files = bench.files(60)
    others = bench.files(3)
    table = report.table(
        "Memory, MB of all processes: PSS / private, that is mapped by no other program",
        ["codec", "Embedded", "Embedded, in a fade", "ordinary", "ordinary, in a fade", "MPD", "mpg123", "squeezelite"])

    def shown(sample):
        return None if sample is None else f"{sample[0]:.1f} / {sample[1]:.1f}"

    def playing(build, codec):
        with bench.card_player(build, bench.card(), files[codec]) as player:
            player.sleep(2)
            return processes.memory(player.pid)

    def fading(build, codec):
        arguments = ["--crossfade", "8", "--start-at", "51", files[codec], bench.second(files[codec])]
        with bench.card_player(build, bench.card(), *arguments) as player:
            player.sleep(4)
            return processes.memory(player.pid)

    for codec in media.CODECS:
        row = []
        for build in bench.builds:
            if bench.quick and build == "ordinary":
                row += [None, None]
                continue
            row += [playing(build, codec), fading(build, codec)]
        report.bar(f"memory playing, {codec}", row[0][1], 4.5, "MB")
        report.bar(f"memory in a fade, {codec}", row[1][1], 6, "MB")
        mpg = None
        other = bench.card()
        with players.MPD(f"{bench.work}/mpd", bench.music, other.env) as mpd:
            mpd.play(os.path.basename(files[codec]))
            mpd.live.sleep(1.5)
            mpd_sample = processes.memory(mpd.pid)
        if codec == "MP3":
            with processes.Live(["mpg123", "-q", "-o", "alsa", files[codec]], bench.card().env) as player:
                player.sleep(1.5)
                mpg = processes.memory(player.pid)
        with squeezelite.Squeezelite(bench.card().env, files[codec]) as player:
            player.live.sleep(1.5)
            squeezelite_sample = processes.memory(player.pid)
        table.row(codec, *(shown(sample) for sample in row), shown(mpd_sample), shown(mpg), shown(squeezelite_sample))


# Start

def start(bench, report):
    files = bench.files(60)
    trials = 5 if bench.quick else 15
    table = report.table("exec → first frame, ms: median / worst", ["player", *media.CODECS])

    def milliseconds(words):
        one = bench.card()
        with processes.Live(words, one.env) as player:
            first = one.first_start()
            return (first - player.started) / 1e6

    def shown(samples):
        return f"{statistics.median(samples):.1f} / {max(samples):.1f}"

    for build, program in bench.builds.items():
        cells = []
        for codec in media.CODECS:
            samples = [
                milliseconds([program, "play", "--device", "default", "--format", "S16", files[codec]])
                for _ in range(trials)
            ]
            cells.append(shown(samples))
            if build == "Embedded":
                report.bar(f"exec → first frame, {codec}", statistics.median(samples), 12, "ms")
        table.row(f"Swiftlet {build}", *cells)
    mpg = [milliseconds(["mpg123", "-q", "-o", "alsa", files["MP3"]]) for _ in range(trials)]
    table.row("mpg123", *[None] * (len(media.CODECS) - 1), shown(mpg))


# Key latency

def keys(bench, report):
    level, trials = 20000, 10 if bench.quick else 30
    path = media.constant(bench.work, 90, level)
    table = report.table(
        "Key → change in the sound, ms: median / worst",
        ["build and mode", "pause", "resume", "resume from standstill", "trials", "xruns"])
    modes = [("Embedded", "deep"), ("Embedded", "shallow")]
    if not bench.quick:
        modes.append(("ordinary", "deep"))
    for build, mode in modes:
        one = bench.card()
        presses = []
        with bench.card_player(build, one, "--mode", mode, path, terminal=True) as player:
            one.first_start()
            player.sleep(1)
            for trial in range(trials):
                # Uneven waits, so that presses fall at any point of a period and of the engine's turns.
                presses.append(("pause", player.press(b" ")))
                standing = trial % 5 == 4
                player.sleep(1.6 if standing else 0.31 + trial % 7 * 0.013)
                name = "resume from standstill" if standing else "resume"
                presses.append((name, player.press(b" ")))
                player.sleep(0.37 + trial % 11 * 0.017)
            xruns = one.words[26]
        heard = one.heard()
        late = {"pause": [], "resume": [], "resume from standstill": []}
        for name, when in presses:
            before = level if name == "pause" else 0
            frame = max(0, int(one.frame_at(when)))
            # Two steps of 16 bits are dither, not a change.
            while frame < len(heard) and abs(heard[frame] - before) <= 2:
                frame += 1
            late[name].append((one.time_of(frame) - when) / 1e6)

        def shown(samples):
            return f"{statistics.median(samples):.1f} / {max(samples):.1f}" if samples else None

        table.row(f"{build}, {mode}", shown(late["pause"]), shown(late["resume"]),
                  shown(late["resume from standstill"]), str(len(presses)), str(xruns))
        if build == "Embedded" and mode == "deep":
            everything = [value for samples in late.values() for value in samples]
            report.bar("key → sound, worst", max(everything), 12, "ms")


# Playing in real time: CPU and wake-ups

class Reading:
    """CPU time and context switches of a player at a moment."""

    def __init__(self, pid):
        self.time, self.cpu, self.switches = time.monotonic(), processes.cpu_of_family(pid), processes.switches(pid)

    def since(self, before):
        """Returns (ms of CPU per second, wake-ups per second)."""
        seconds = self.time - before.time
        return (self.cpu - before.cpu) / seconds * MS, (self.switches - before.switches) / seconds


def playing(bench, report):
    """Measures all players at the same time, each on a virtual card of its own, for equal conditions."""
    files = bench.files(60)
    # A worker decodes a quarter of the ring at a time, so measure whole multiples of that.
    seconds = {codec: 32768 / media.rate(codec) * (8 if bench.quick else 24) for codec in media.CODECS}
    with contextlib.ExitStack() as stack:
        live = {}

        def add(name, codec, player, pid=None):
            live[name, codec] = pid or player.pid
            stack.enter_context(player)

        for codec in media.CODECS:
            for build in bench.builds:
                add(build, codec, bench.card_player(build, bench.card(), files[codec]))
            mpd = players.MPD(f"{bench.work}/mpd-{codec}", bench.music, bench.card().env)
            add("MPD", codec, mpd)
            mpd.play(os.path.basename(files[codec]))
        add("mpg123", "MP3", processes.Live(["mpg123", "-q", "-o", "alsa", files["MP3"]], bench.card().env))
        for codec in media.CODECS:
            words = ["mpv", "--no-config", "--no-video", "--no-terminal", "--ao=alsa", files[codec]]
            add("mpv", codec, processes.Live(words, bench.card().env))
            add("squeezelite", codec, squeezelite.Squeezelite(bench.card().env, files[codec]))
        add("Embedded, shallow", "FLAC",
            bench.card_player("Embedded", bench.card(), "--mode", "shallow", files["FLAC"]))
        time.sleep(4)
        before = {key: Reading(pid) for key, pid in live.items()}
        after = {}
        for codec in sorted(media.CODECS, key=lambda codec: seconds[codec]):
            time.sleep(max(0, before["MPD", codec].time + seconds[codec] - time.monotonic()))
            for key, pid in live.items():
                if key[1] == codec:
                    after[key] = Reading(pid).since(before[key])
    names = ["Embedded", "ordinary", "MPD", "squeezelite", "mpg123", "mpv"]
    cpu_table = report.table(
        "CPU, ms a second, playing in real time on the same virtual card",
        ["codec", *(f"Swiftlet {name}" if name in bench.builds else name for name in names)])
    wake_table = report.table("Wake-ups a second, playing", cpu_table.columns)
    for codec in media.CODECS:
        used = [after.get((name, codec), (None, None)) for name in names]
        cpu_table.row(codec, *(one[0] for one in used))
        wake_table.row(codec, *(one[1] for one in used))
        report.bar(f"CPU against MPD, {codec}", used[0][0] / used[2][0],
                   0.8 if codec in ("Vorbis", "Opus") else 0.4, "of MPD's")
    wake_table.row("FLAC, shallow", after["Embedded, shallow", "FLAC"][1], *[None] * (len(names) - 1))
    report.bar("wake-ups playing, most", max(after["Embedded", codec][1] for codec in media.CODECS), 2, "/s")


def pausing(bench, report):
    files = bench.files(60)
    seconds = 5 if bench.quick else 10
    table = report.table("Wake-ups a second, paused (FLAC)", ["player", "paused"])
    with contextlib.ExitStack() as stack:
        own = {}
        for build in bench.builds:
            own[build] = stack.enter_context(
                bench.card_player(build, bench.card(), files["FLAC"], terminal=True))
        mpd = stack.enter_context(players.MPD(f"{bench.work}/mpd", bench.music, bench.card().env))
        mpd.play(os.path.basename(files["FLAC"]))
        other = stack.enter_context(squeezelite.Squeezelite(bench.card().env, files["FLAC"]))
        time.sleep(2)
        for player in own.values():
            player.press(b" ")
        mpd.ask("pause 1")
        other.toggle()
        # The card is released after a second, and the worker checks its ring once more.
        time.sleep(5)
        pids = {**{f"Swiftlet {build}": player.pid for build, player in own.items()}, "MPD": mpd.pid,
                "squeezelite": other.pid}
        before = {name: Reading(pid) for name, pid in pids.items()}
        time.sleep(seconds)
        for name, pid in pids.items():
            table.row(name, Reading(pid).since(before[name])[1])
        report.bar("wake-ups paused", Reading(own["Embedded"].pid).since(before["Swiftlet Embedded"])[1], 0, "/s")


ALL = [playing, pausing, start, keys, memory, cpu, resampling, count]
