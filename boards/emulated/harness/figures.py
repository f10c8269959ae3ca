"""Writes docs/board-figures.md: what the package puts on the board, and the memory it takes while it plays."""

from pathlib import Path

from image import Image

CODECS = [
    ("WAV, 48 kHz", "music.wav"),
    ("WAV, 44.1 kHz, resampled", "music-44100.wav"),
    ("FLAC", "music.flac"),
    ("MP3", "music.mp3"),
    ("Ogg Vorbis", "music.ogg"),
    ("Opus", "music.opus"),
]

# The root file system is in memory, so the kernel's own sum of shared memory would hold more than rings.
PROCESSES = """for p in $(pidof swiftlet); do awk '
/^[0-9a-f]+-[0-9a-f]+ / { kind = $6 ~ /memfd/ ? "ring" : $6 ~ /^\\// ? "file" : "own" }
/^Pss:/ { pss[kind] += $2 }
END { print pss["own"] + 0, pss["ring"] + 0, pss["file"] + 0 }' /proc/$p/smaps; done"""

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
    box.fresh()
    lines.append(row("idle", box))
    for label, name in CODECS:
        box.run(f"play codecs/{name}")
        box.wait_for("playing")
        box.sound.wait_for(5)
        lines.append(row(label, box))
    box.run("set fade.length 8")
    box.run("play codecs/music.flac")
    box.run("queue add codecs/music.mp3")
    box.wait_for("playing")
    box.run("seek 19")
    box.wait_for("crossfading")
    box.sound.wait_for(3)
    lines.append(row("FLAC fading into MP3", box))
    box.fresh()
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
