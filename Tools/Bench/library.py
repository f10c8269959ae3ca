# Benchmark of the music index: the initial scan of 20,000 tagged files during playback, and query times afterwards.
# MPD indexes the same files for comparison.
import os
import statistics
import struct
import subprocess
import time

import players
from box import Box

ALBUMS, TRACKS = 1000, 20
WORDS = ["harbour", "Night", "river stone", "Light 17", "x", "Artist 4", "nothing of that kind"]


def files(folder, albums):
    """Makes FLAC files of 0.2 s with different tags; returns their folder."""
    plain = f"{folder}/plain.flac"
    os.makedirs(f"{folder}/music", exist_ok=True)
    subprocess.run(["sox", "-n", "-r", "44100", "-b", "16", "-c", "2", f"{folder}/plain.wav", "synth", "0.2", "sine", "330"], check=True)
    subprocess.run(["flac", "-s", "-f", "--no-padding", "--no-seektable", "-o", plain, f"{folder}/plain.wav"], check=True)
    with open(plain, "rb") as file:
        data = file.read()
    place, is_last, kept = 4, False, b""
    while not is_last:
        is_last, kind = data[place] & 0x80, data[place] & 0x7F
        length = int.from_bytes(data[place + 1:place + 4], "big")
        if kind == 0:
            kept = bytes([0]) + data[place + 1:place + 4 + length]
        place += 4 + length
    names = ["Harbour", "Night", "River", "Light", "Stone", "Paper", "Winter", "Glass"]
    for album in range(albums):
        artist = f"Artist {album // 4}"
        inside = f"{folder}/music/{artist}/Album {album}"
        os.makedirs(inside, exist_ok=True)
        for track in range(1, TRACKS + 1):
            title = f"{names[(album + track) % 8]} {names[(album * 3 + track) % 8]} {track}"
            tags = [f"TITLE={title}", f"ARTIST={artist}", f"ALBUM=Album {album}", f"TRACKNUMBER={track}"]
            block = struct.pack("<I", 4) + b"made" + struct.pack("<I", len(tags))
            block += b"".join(struct.pack("<I", len(tag.encode())) + tag.encode() for tag in tags)
            with open(f"{inside}/{track:02} {title}.flac", "wb") as file:
                file.write(b"fLaC" + kept + bytes([0x84]) + len(block).to_bytes(3, "big") + block + data[place:])
    return f"{folder}/music"


def peaks(found):
    """Appends the private memory (KiB) of each running scanner process to `found`; called repeatedly to get the peak.
    """
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if words[:2] != [b"swiftlet", b"library-update"]:
                continue
            with open(f"/proc/{name}/smaps_rollup") as file:
                own = [int(line.split()[1]) for line in file if line.startswith(("Private_Clean", "Private_Dirty"))]
            found.append(sum(own))
        except (OSError, ValueError):
            pass


def fields(lines):
    return dict(line.strip().split(":", 1) for line in lines if ":" in line)


def wait_for(box, tracks, found):
    while True:
        now = fields(box.ask("library"))
        if now["updating"].strip() == "no" and int(now["tracks"]) >= tracks:
            return
        peaks(found)
        time.sleep(0.2)


def milliseconds(box, commands):
    taken = []
    for command in commands:
        began = time.monotonic()
        box.ask(command)
        taken.append((time.monotonic() - began) * 1000)
    return taken


def library(bench, report):
    """Measures an index of 20,000 tagged files (2,000 if quick)."""
    albums = ALBUMS // 10 if bench.quick else ALBUMS
    count = albums * TRACKS
    folder = f"{bench.work}/library"
    music = files(folder, albums)
    long = bench.files(60)["FLAC"]
    table = report.table(
        f"An index of {count} files",
        ["player", "first filling, s", "nothing new, s", "memory of filling, MB", "on disk, MB", "search, ms: median / worst",
         "a folder, ms", "artists, ms"])
    program = bench.builds["Embedded"]
    card = bench.card()
    settings = ["set media.removable off", "set library.enabled on", "set queue.repeat all"]
    with Box(program, f"{folder}/box", card, music, settings=settings + [f"set media.root {music} {os.path.dirname(long)}"]) as box:
        box.ask(f"play {long}")
        card.first_start()
        began, found = time.monotonic(), []
        box.ask("library update")
        wait_for(box, count, found)
        first = time.monotonic() - began
        began = time.monotonic()
        box.ask("library update")
        wait_for(box, count, [])
        again = time.monotonic() - began
        searches = milliseconds(box, [f'search "{word}"' for word in WORDS * 6])
        folders = milliseconds(box, [f'find folder "Artist {n // 4}/Album {n}"' for n in range(0, albums, max(1, albums // 40))])
        artists = milliseconds(box, ["list artist"] * 10)
        stats = fields(box.ask("stats"))
        lost = int(stats["  xruns"] if "  xruns" in stats else stats["xruns"])
        size = sum(os.path.getsize(f"{folder}/box/{name}") for name in os.listdir(f"{folder}/box") if name.startswith("library"))

    table.row("Swiftlet", first, again, max(found, default=0) / 1024, size / 1e6, shown(searches), shown(folders), shown(artists))
    scale = count / (ALBUMS * TRACKS)
    report.bar(f"first filling of {count} files", first, 600 * scale, "s")
    report.bar("memory of filling", max(found, default=0) / 1024, 20, "MB")
    report.bar("a search, worst", max(searches), 50, "ms")
    report.bar("a folder, worst", max(folders), 50, "ms")
    report.bar("xruns and underruns while filling", lost, 0, "")
    mpd(bench, folder, music, table, albums)


def mpd(bench, folder, music, table, albums):
    began = time.monotonic()
    # MPD accepts connections only once its database is complete.
    with players.MPD(f"{folder}/mpd", music, players.null_card(folder)) as server:
        first = time.monotonic() - began

        def update():
            began = time.monotonic()
            server.ask("update")
            while "updating_db" in server.ask("status"):
                time.sleep(0.02)
            return time.monotonic() - began

        def taken(command):
            samples = []
            for _ in range(10):
                began = time.monotonic()
                server.ask(command)
                samples.append((time.monotonic() - began) * 1000)
            return shown(samples)

        again = update()
        with open(f"/proc/{server.pid}/smaps_rollup") as file:
            own = sum(int(line.split()[1]) for line in file if line.startswith(("Private_Clean", "Private_Dirty")))
        table.row(
            "MPD (memory: all of it)", first, again, own / 1024, os.path.getsize(f"{folder}/mpd/database") / 1e6,
            taken("search any harbour"), taken('lsinfo "Artist 1/Album 5"'), taken("list artist"))


def shown(samples):
    return f"{statistics.median(samples):.1f} / {max(samples):.1f}"


ALL = [library]
