# Benchmarks of everyday playback: output formats, volume below 100, fades, the volume knob, and equalizer bands.
# Counts instructions (as in `count`, measures.py) of `swiftlet play`, the daemon and MPD. Plays WAV, so that the
# codec's cost is negligible.
import os
import shutil
import signal
import subprocess
import time

import box
import instructions
import media
import players
import processes

#               name                 bits  volume  rate   mode       bar, M/s
CONFIGURATIONS = [("S16, volume 100", 16, 100, None, "deep", 0.4),
                  ("S16, volume 60", 16, 60, None, "deep", None),
                  ("S32, volume 100", 32, 100, None, "deep", None),
                  ("S32, volume 60", 32, 60, None, "deep", 0.8),
                  ("S16, volume 100, 44.1 → 48 kHz", 16, 100, 48000, "deep", None),
                  ("S16, volume 100, shallow", 16, 100, None, "shallow", None)]


class NoCard:
    """Takes the place of a card for players with a silent output of their own."""
    env = dict(os.environ)


def everyday(bench, report):
    short, long = 3, 7 if bench.quick else 11
    folder = f"{bench.work}/everyday"
    shutil.rmtree(folder, ignore_errors=True)
    stand_in = instructions.build_stand_in(bench.work)
    program = instructions.without_debugging(bench.builds["Embedded"], f"{folder}/Embedded")
    paths = {seconds: bench.files(seconds)["WAV"] for seconds in (short, long)}

    def beside(measure, label):
        """Returns the million instructions per second of audio, besides codec and resampler.

        Takes the difference between a long and a short file, to exclude start and end.
        """
        counted = {seconds: measure(path, seconds, f"{folder}/{label}-{seconds}") for seconds, path in paths.items()}
        return instructions.split(counted[long], counted[short], long - short)[2]

    table = report.table("Million instructions a second of audio as people listen (WAV), beside codec and resampler",
                         ["configuration", "Swiftlet play", "Swiftlet run", "MPD"])
    for name, bits, volume, rate, mode, bar in CONFIGURATIONS:
        options = ["--format", f"S{bits}", "--volume", str(volume), "--mode", mode]
        settings = [f"set output.format S{bits}", f"set volume.start {volume}", f"set output.mode {mode}"]
        if rate:
            options += ["--rate", str(rate)]
            settings += [f"set output.rate {rate}"]

        def play(path, _, place):
            return instructions.finish(
                instructions.start([program, "play", "--device", "null", *options, path], place, stand_in))

        def daemon(path, seconds, place):
            return of_daemon(bench, program, settings, stand_in, path, seconds, place)

        def mpd(path, seconds, place):
            return of_mpd(bench, bits, volume, rate, path, seconds, place)

        label = "".join(character for character in name if character.isalnum())
        own = beside(play, f"play-{label}")
        # MPD has no short output queue, and cannot rewind its queue.
        other = None if mode == "shallow" else beside(mpd, f"mpd-{label}")
        table.row(name, own, beside(daemon, f"run-{label}"), other)
        if bar:
            report.bar(f"instructions beside the codec, {name}", own, bar, "M/s")
    fades(bench, report, program, stand_in, folder)
    speaker(report, program, stand_in, folder, beside)


def speaker(report, program, stand_in, folder, beside):
    """Measures the cost of equalizer bands in addition to playback."""
    table = report.table("Million instructions a second of audio for the speaker's filters (WAV, S32, volume 60)",
                         ["filters", "Swiftlet play"])
    for bands in (0, 1, 10):
        script = f"{folder}/speaker-{bands}.script"
        with open(script, "w") as file:
            for band in range(1, bands + 1):
                file.write(f"at 0 eq {band} peak {band * 100}Hz -3dB\n")

        def play(path, _, place):
            options = ["--format", "S32", "--volume", "60", "--script", script]
            return instructions.finish(
                instructions.start([program, "play", "--device", "null", *options, path], place, stand_in))

        table.row("off" if bands == 0 else f"{bands} band" + ("s" if bands > 1 else ""), beside(play, f"speaker-{bands}"))


def of_daemon(bench, program, settings, stand_in, path, seconds, place):
    """Returns the instructions of the daemon and its worker for one file."""
    os.makedirs(place)
    command, env = instructions.command(place, stand_in)
    one = box.Box(program, f"{place}/box", NoCard, bench.music, settings=["set output.device null", *settings],
                  prefix=command, env=env)
    one.ask(f"play {path}", timeout=60)
    time.sleep(seconds + 3)
    ended(one.live.child)
    return instructions.collected(place)


def of_mpd(bench, bits, volume, rate, path, seconds, place):
    """Returns the instructions of MPD for one file, played to its null output in real time."""
    os.makedirs(place)
    command, env = instructions.command(place)
    output = f'  type "null"\n  mixer_type "software"\n  format "{rate or 44100}:{bits}:2"'
    soxr = 'resampler {\n  plugin "soxr"\n  quality "high"\n}'
    mpd = players.MPD(f"{place}/mpd", bench.music, env, output=output, prefix=command, timeout_seconds=90,
                      resampler=soxr if rate else None)
    mpd.ask(f"setvol {volume}")
    mpd.play(os.path.basename(path))
    time.sleep(seconds + 3)
    ended(mpd.live.child)
    return instructions.collected(place)


def ended(child):
    """Ends a process that runs under valgrind, which then writes its counts."""
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(60)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        raise RuntimeError("what was counted does not end")


def fades(bench, report, program, stand_in, folder):
    """Measures the cost of a second of a fade in the engine's process, without the second decoder, which is a
    separate process.
    """
    length, brief, full = 12, 2, 8
    first = bench.files(length)["WAV"]
    second = bench.second(first)

    def engine(label, *options, last=None):
        files = [last] if last else [first, second]
        started = instructions.start([program, "play", "--device", "null", *options, *files],
                                     f"{folder}/fade-{label}", stand_in)
        return sum(instructions.finish(started, only=" play ").values()) / 1e6

    table = report.table("Million instructions for each second of a fade, beside the second decoder (WAV)",
                         ["configuration", "fade", "with the knob turned ten times a second"])
    for name, options in (("S16, volume 100", ["--format", "S16"]), ("S32, volume 60", ["--format", "S32", "--volume", "60"])):
        label = options[1] + name[-3:].strip()
        alone = {seconds: engine(f"{label}-{seconds}-alone", *options, last=bench.files(seconds)["WAV"])
                 for seconds in (3, 7)}
        faded = {seconds: engine(f"{label}-{seconds}", "--crossfade", str(seconds), *options) for seconds in (brief, full)}
        usual = (alone[7] - alone[3]) / 4
        # Each second of a fade shortens both tracks together by one second.
        more = (faded[full] - faded[brief]) / (full - brief) + usual
        script = f"{folder}/{label}.script"
        with open(script, "w") as file:
            for turn in range(50):
                file.write(f"at {length - full + 1 + turn / 10:.1f} volume {50 + turn % 2}\n")
        turned = engine(f"{label}-knob", "--crossfade", str(full), "--script", script, *options)
        table.row(name, more, more + (turned - faded[full]) / 5)
        report.bar(f"instructions for a second of a fade, {name}", more, 1.2, "M")


ALL = [everyday]
