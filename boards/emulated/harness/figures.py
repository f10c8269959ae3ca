"""Writes docs/building/board-figures.md: installed sizes, and memory and instructions of the package while it plays on the
emulated board.
"""

from pathlib import Path

from image import Image
from machine import NANOSECONDS_PER_INSTRUCTION

CODECS = [
    ("WAV, 48 kHz", "music.wav"),
    ("WAV, 44.1 kHz, resampled", "music-44100.wav"),
    ("FLAC", "music.flac"),
    ("MP3", "music.mp3"),
    ("Ogg Vorbis", "music.ogg"),
    ("Opus", "music.opus"),
]

# The root file system is in memory, so the kernel's sum of shared memory would include more than rings.
PROCESSES = """for p in $(pidof swiftlet); do awk '
/^[0-9a-f]+-[0-9a-f]+ / { kind = $6 ~ /memfd/ ? "ring" : $6 ~ /^\\// ? "file" : "own" }
/^Pss:/ { pss[kind] += $2 }
END { print pss["own"] + 0, pss["ring"] + 0, pss["file"] + 0 }' /proc/$p/smaps; done"""

# For each thread: its process, its scheduling policy (1: real time), and the nanoseconds that it has run.
THREADS = """for p in $(pidof swiftlet); do for t in /proc/$p/task/*; do
echo $t $p $(cut -d" " -f41 $t/stat) $(cut -d" " -f1 $t/schedstat); done; done"""

HEAD = """# Figures of the board build

<!-- Written by `scripts/test-board --figures`. -->

Taken on the emulated board (QEMU virt, one Cortex-A53, Debian's kernel and libraries) with the arm64 package.
"""


def write(box, image: Image, path: Path) -> None:
    lines = [HEAD, "## On disk", "", "| file | bytes |", "|---|---|"]
    code = rest = 0
    for name, size in image.sizes():
        if not name.startswith(("usr/bin/", "usr/lib/swiftlet/")):
            rest += size
            continue
        lines.append(f"| `/{name}` | {size} |")
        code += size
    lines += [
        f"| **program and plugins** | **{code}** |",
        f"| profiles and drawings of boards, manual, unit | {rest} |",
        f"| the package | {image.deb.stat().st_size} |",
        "",
        "## Memory",
        "",
        "PSS of the engine and its workers, in KiB. Nothing else on the board uses these libraries, so all of libc, ALSA",
        "and the codec's library is in it, as far as it was touched; the engine locks its memory, so all that it maps is.",
        "",
        "| | processes | PSS | heaps and stacks | rings | program, plugin, libraries |",
        "|---|---|---|---|---|---|",
    ]
    counts = [
        "",
        "## Instructions",
        "",
        "Millions for a second of sound, system calls included. Time on this board is its count of instructions, so the kernel's account",
        "of what each thread has run is one, too, and the same on a busy host. A fade's second is one with both tracks in it.",
        "",
        "| | together | audio thread | other threads of the engine | workers |",
        "|---|---|---|---|---|",
    ]
    box.fresh()
    lines.append(row("idle", box))
    for label, name in CODECS:
        box.run(f"play codecs/{name}")
        box.wait_for("playing")
        box.sound.wait_for(3)
        counts.append(count(label, box, seconds=20))
        lines.append(row(label, box))
    box.run("set fade.length 8")
    box.run("play codecs/music.flac")
    box.run("queue add codecs/music.mp3")
    box.wait_for("playing")
    box.run("seek 19")
    box.wait_for("crossfading")
    counts.append(count("FLAC fading into MP3", box, seconds=5))
    lines.append(row("FLAC fading into MP3", box))
    box.fresh()
    lines += counts
    lines += ["", "## Time", ""]
    lines.append(f"Kernel to shell: {box.on.shell.run('cat /run/up')} s of the board's own time.")
    path.write_text("\n".join(lines) + "\n")
    box.say(f"wrote {path}")


def row(label: str, box) -> str:
    processes = [list(map(int, line.split())) for line in box.on.shell.run(PROCESSES.replace("\n", " ")).splitlines()]
    own, ring, file = (sum(column) for column in zip(*processes))
    total = own + ring + file
    box.say(f"{label}: {len(processes)} processes, PSS {total} KiB")
    return f"| {label} | {len(processes)} | {total} | {own} | {ring} | {file} |"


def count(label: str, box, seconds: float) -> str:
    """Measures the next seconds of sound; returns a table row of instructions."""
    before = threads(box)
    box.sound.wait_for(seconds)
    after = threads(box)
    engine = box.daemon
    audio = others = workers = 0
    for thread, (process, policy, ran) in after.items():
        million = (ran - before.get(thread, (0, 0, 0))[2]) / NANOSECONDS_PER_INSTRUCTION / 1e6 / seconds
        if process != engine:
            workers += million
        elif policy == "1":
            audio += million
        else:
            others += million
    box.say(f"{label}: {audio + others + workers:.2f} million instructions a second")
    return f"| {label} | {audio + others + workers:.2f} | {audio:.2f} | {others:.2f} | {workers:.2f} |"


def threads(box) -> dict[str, tuple[str, str, int]]:
    """Returns process, scheduling policy and run time in nanoseconds of each thread."""
    found = {}
    for line in box.on.shell.run(THREADS.replace("\n", " ")).splitlines():
        thread, process, policy, ran = line.split()
        found[thread] = (process, policy, int(ran))
    return found
