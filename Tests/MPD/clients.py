#!/usr/bin/env python3
"""Real MPD clients with a real box: all commands of mpc, python-mpd2 as Music Assistant uses it, its asyncio client as
Home Assistant uses it, and ncmpcpp in a terminal.

Usage: clients.py SWIFTLET CODECS
"""
import array, asyncio, fcntl, math, os, pathlib, pty, re, signal, socket, struct, subprocess, sys, termios, threading, time
import mpd, mpd.asyncio
from box import Box
from genuine import FAILURES, check, wait


def mpc(box, *words, status=0):
    outcome = subprocess.run(["mpc", "--port", str(box.port), *words], capture_output=True, timeout=30)
    # The output may be a picture.
    said = outcome.stdout.decode(errors="replace")
    check(f"mpc {' '.join(words)}", outcome.returncode == status, said + outcome.stderr.decode(errors="replace"))
    return said


def mpc_waiting(box, words, does, awaits):
    """Starts an mpc that waits, triggers an event, and checks the line that mpc prints."""
    waiting = subprocess.Popen(["stdbuf", "-oL", "mpc", "--port", str(box.port), *words], stdout=subprocess.PIPE, text=True)
    time.sleep(0.3)
    does()
    said = []
    reader = threading.Thread(target=lambda: said.append(waiting.stdout.readline()), daemon=True)
    reader.start()
    reader.join(10)
    waiting.kill()
    waiting.wait()
    check(f"mpc {' '.join(words)}", said and awaits in said[0], said)


def mpc_session(box):
    """The commands of mpc that a box supports."""
    mpc(box, "clear")
    mpc(box, "add", "Albums")
    check("mpc add", mpc(box, "playlist").count("tune.flac") + mpc(box, "playlist").count("Tune") >= 3)
    mpc(box, "insert", "lone.flac")
    mpc(box, "play", "1")
    for words in (["pause"], ["toggle"], ["pause-if-playing"], ["play"], ["next"], ["prev"], ["cdprev"], ["seek", "5"], ["seek", "50%"],
                  ["seek", "+2"], ["seekthrough", "+1"], ["volume", "30"], ["volume", "+5"], ["volume"], ["random", "on"],
                  ["random", "off"], ["repeat", "on"], ["single", "on"], ["single", "off"], ["repeat", "off"], ["consume", "off"],
                  ["crossfade", "2"], ["crossfade", "0"], ["crossfade"], ["replaygain", "track"], ["replaygain", "off"], ["replaygain"], ["shuffle"],
                  ["move", "1", "2"], ["del", "1"], ["crop"], ["current"], ["status"], ["version"], ["outputs"], ["enable", "1"],
                  ["ls"], ["ls", "Albums"], ["listall"], ["lsplaylists"], ["load", "mix"], ["playlist"], ["tab", "Alb"], ["update"],
                  ["channels"], ["stats"], ["queued"], ["mixrampdb"], ["mixrampdelay"], ["searchplay", "nothing at all"],
                  ["clearerror"], ["prio", "10", "1"], ["save", "kept"], ["playlist", "kept"], ["rm", "kept"], ["rescan"],
                  ["sticker", "lone.flac", "set", "rating", "5"], ["sticker", "lone.flac", "get", "rating"],
                  ["sticker", "lone.flac", "list"], ["sticker", "", "find", "rating"], ["sticker", "lone.flac", "delete", "rating"],
                  ["albumart", "Albums/One/01 tune.flac"], ["readpicture", "Other/Zwei/2 b.flac"], ["toggleoutput", "1"],
                  ["outputset", "1", "a=b"], ["listneighbors"], ["mount"], ["unmount", "stick"], ["sendmessage", "nobody", "hears"]):
        # Searches without a result, and features that a box does not have, are refused with a message.
        refused = words[0] in ("searchplay", "toggleoutput", "outputset", "listneighbors", "mount", "unmount", "sendmessage")
        mpc(box, *words, status=1 if refused else 0)
    mpc(box, "stop")
    mpc(box, "disable", "1", status=1)
    mpc(box, "add", "nothing there", status=1)
    # These commands of mpc wait for an event.
    mpc_waiting(box, ["idle", "mixer"], lambda: mpc(box, "volume", "41"), "mixer")
    mpc_waiting(box, ["idleloop", "mixer"], lambda: mpc(box, "volume", "42"), "mixer")
    for verb in ("waitmessage", "subscribe"):
        mpc_waiting(box, [verb, "door"], lambda: mpc(box, "sendmessage", "door", "bell"), "bell")


def library(box):
    """Queries by tags, as mpc and python-mpd2 send them."""
    mpc(box, "update", "--wait")
    check("mpc stats", "Songs:        7" in mpc(box, "stats"))
    for words, lines in (
            (["search", "artist", "BAND"], ["lone.flac", "Albums/One/01 tune.flac", "Albums/One/02 tune.flac", "Albums/One/03 tune.flac"]),
            (["find", "title", "Blue Moon"], ["Other/Zwei/2 b.flac"]), (["find", "(artist == 'Björk')"], ["Other/Zwei/2 b.flac"]),
            (["list", "artist"], ["", "Band", "Björk", "Cello's"]), (["list", "album", "artist", "Band"], ["One"]),
            (["--format", "%artist%-%title%-%time%", "find", "track", "10"], ['Cello\'s-Moon "Song"-0:05'])):
        check(f"mpc {' '.join(words)}", mpc(box, *words).splitlines() == lines, mpc(box, *words))
    mpc(box, "clear")
    mpc(box, "findadd", "artist", "Band")
    mpc(box, "searchadd", "title", "moon")
    check("mpc findadd, searchadd", len(mpc(box, "playlist").splitlines()) == 6, mpc(box, "playlist"))
    mpc(box, "clear")
    client = mpd.MPDClient()
    client.connect("127.0.0.1", box.port)
    check("python-mpd2 find", [song["title"] for song in client.find("album", "Zwei")] == ["Blue Moon", 'Moon "Song"'])
    check("python-mpd2 list", client.list("album", "group", "albumartist") == [
        {"albumartist": "", "album": ""}, {"albumartist": "Band", "album": "One"}, {"albumartist": "Various", "album": "Zwei"}],
        client.list("album", "group", "albumartist"))
    check("python-mpd2 count", client.count("artist", "Band") == {"songs": "4", "playtime": "110"}, client.count("artist", "Band"))
    check("python-mpd2 lsinfo", {song["title"]: song["duration"] for song in client.lsinfo("Albums/One")}
          == {f"Tune {n}": "30.000" for n in (1, 2, 3)}, client.lsinfo("Albums/One"))
    comments = client.readcomments("Other/Zwei/2 b.flac")
    check("python-mpd2 readcomments", comments == {
        "title": "Blue Moon", "artist": "Björk", "album": "Zwei", "albumartist": "Various", "track": "2", "genre": "Jazz",
        "date": "1993-05", "disc": "1"}, comments)
    check("python-mpd2 readcomments of a bare file", client.readcomments("lone.flac")["title"] == "Lone")
    try:
        client.readcomments("Other/nothing.flac")
        check("python-mpd2 readcomments of nothing", False)
    except mpd.CommandError as error:
        check("python-mpd2 readcomments of nothing", "No such file" in str(error), error)
    picture = client.readpicture("Other/Zwei/2 b.flac")
    check("python-mpd2 readpicture", picture["type"] == "image/png" and len(picture["binary"]) == 70, picture)
    check("python-mpd2 albumart", len(client.albumart("Other/Zwei/2 b.flac")["binary"]) == 70 + 80 * 256)
    check("python-mpd2 no picture", client.readpicture("Other/bare.flac") == {}, client.readpicture("Other/bare.flac"))
    client.close()


def music_assistant(box):
    """Two connections, one of them in `idle`; streams are added and the position is polled."""
    control, events = mpd.MPDClient(), mpd.MPDClient()
    control.connect("127.0.0.1", box.port)
    events.connect("127.0.0.1", box.port)
    control.clear()
    control.add("lone.flac")
    control.play(0)
    control.setvol(20)
    deadline = time.monotonic() + 10
    while control.status()["state"] != "play" or float(control.status()["elapsed"]) < 0.2:
        check("python-mpd2 play", time.monotonic() < deadline)
        if time.monotonic() > deadline:
            break
    check("python-mpd2 volume", control.status()["volume"] == "20")
    control.seekcur(7)
    check("python-mpd2 seekcur", 7 <= float(control.status()["elapsed"]) < 9, control.status())
    control.pause(1)
    check("python-mpd2 pause", control.status()["state"] == "pause")
    check("python-mpd2 idle", "player" in events.idle())
    song = control.currentsong()
    check("python-mpd2 currentsong", song["title"] == "Lone" and song["file"] == "lone.flac" and song["duration"] == "20.000", song)
    # A command list, as the library sends it.
    control.command_list_ok_begin()
    control.status()
    control.playlistinfo()
    control.currentsong()
    check("python-mpd2 list", len(control.command_list_end()) == 3)
    try:
        control.add("nothing there")
        check("python-mpd2 error", False)
    except mpd.CommandError as error:
        check("python-mpd2 error", error.errno == mpd.FailureResponseCode.NO_EXIST, error)
    control.stop()
    control.disconnect()
    events.disconnect()


async def home_assistant(box):
    """A new connection every ten seconds; pictures and playlists are requested if the server supports them."""
    for _ in range(3):
        client = mpd.asyncio.MPDClient()
        await client.connect("127.0.0.1", box.port)
        commands = await client.commands()
        status = await client.status()
        song = await client.currentsong()
        check("asyncio status", "state" in status and "volume" in status, status)
        for name in ("readpicture", "albumart"):
            if name in commands and "file" in song:
                await getattr(client, name)(song["file"])
        playlists = [entry["playlist"] for entry in await client.listplaylists()]
        check("asyncio playlists", playlists == ["mix"], playlists)
        # play_media replaces the queue by a song, then by a playlist.
        for take, name, count in ((client.add, "lone.flac", "1"), (client.load, "mix", "2")):
            await client.clear()
            await take(name)
            await client.play()
            deadline = time.monotonic() + 5
            while (status := await client.status())["state"] != "play" and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
            song = await client.currentsong()
            check(f"asyncio play_media {name}", status["state"] == "play" and status["playlistlength"] == count and song["file"] == "lone.flac", (status, song))
        await client.setvol(30)
        await client.repeat(1)
        await client.single(0)
        await client.random(0)
        await client.next()
        await client.previous()
        await client.seekcur(3)
        await client.pause(1)
        check("asyncio state", (await client.status())["state"] == "pause")
        await client.stop()
        await client.repeat(0)
        other = mpd.asyncio.MPDClient()
        await other.connect("127.0.0.1", box.port)

        async def first():
            async for subsystems in client.idle(["mixer"]):
                return subsystems

        waiting = asyncio.ensure_future(first())
        await asyncio.sleep(0.3)
        await other.setvol(31)
        try:
            check("asyncio idle", "mixer" in await asyncio.wait_for(waiting, 10))
        except asyncio.TimeoutError:
            check("asyncio idle", False, "nothing came")
        other.disconnect()
        client.disconnect()


class Screen:
    """ncmpcpp in its own terminal: sends keys and checks the screen's output."""

    def __init__(self, box):
        mine, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        (box.place / "ncmpcpp").write_text(f"ncmpcpp_directory = {box.place}\nask_before_clearing_playlists = no\n")
        self.process = subprocess.Popen(
            ["ncmpcpp", "--quiet", "-c", box.place / "ncmpcpp", "-h", "127.0.0.1", "-p", str(box.port)],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env=dict(os.environ, TERM="xterm", LANG="C.UTF-8", HOME=str(box.place)))
        os.close(theirs)
        os.set_blocking(mine, False)
        self.terminal = mine
        self.drawn = b""

    def shows(self, text, seconds=10):
        """Whether a text was drawn since the last keys."""
        def look():
            try:
                self.drawn += os.read(self.terminal, 65536)
            except (BlockingIOError, OSError):
                pass
            return text in re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]", b"", self.drawn).decode(errors="replace")
        return wait(look, seconds)

    def press(self, keys):
        self.drawn = b""
        os.write(self.terminal, keys.encode())


def ncmpcpp(box):
    """The queue, the browser, the library by tags, and keys."""
    client = mpd.MPDClient()
    client.connect("127.0.0.1", box.port)
    client.clear()
    client.add("Albums/One")
    client.play(0)
    screen = Screen(box)

    def status(name, value):
        return wait(lambda: client.status().get(name) == value, 10)

    check("ncmpcpp queue", screen.shows("Tune 1"), screen.drawn)
    screen.press(">")
    check("ncmpcpp next", status("song", "1"), client.status())
    screen.press("p")
    check("ncmpcpp pause", status("state", "pause"), client.status())
    screen.press("r")
    check("ncmpcpp repeat", status("repeat", "1"), client.status())
    screen.press("r")
    check("ncmpcpp no repeat", status("repeat", "0"), client.status())
    volume = int(client.status()["volume"])
    screen.press("-")
    check("ncmpcpp volume", wait(lambda: int(client.status()["volume"]) < volume, 10), client.status())
    screen.press("2")
    check("ncmpcpp browser", screen.shows("Albums") and screen.shows("Lone"), screen.drawn)
    screen.press("4")
    check("ncmpcpp library", screen.shows("Band"), screen.drawn)
    screen.press("5")
    check("ncmpcpp playlists", screen.shows("mix"), screen.drawn)
    screen.press("1c")
    check("ncmpcpp clear", status("playlistlength", "0"), client.status())
    screen.press("q")
    check("ncmpcpp end", wait(lambda: screen.process.poll() == 0, 10))
    screen.process.kill()
    os.close(screen.terminal)
    client.disconnect()


def crowd(box):
    """A hundred clients: one sends commands endlessly without reading, 98 wait. The remaining client is served, the
    server's memory stays small, and the music, a sine, loses no frame."""
    before = box.memory()
    client = mpd.MPDClient()
    client.connect("127.0.0.1", box.port)
    client.add("Albums/One/01 tune.flac")
    client.play()
    check("crowd: it plays", wait(lambda: float(client.status().get("elapsed", 0)) > 1, 10))
    waiting = []
    for _ in range(98):
        one = socket.create_connection(("127.0.0.1", box.port))
        one.recv(100)
        one.sendall(b"idle\n")
        waiting.append(one)
    idle = box.memory() - before
    deaf = socket.create_connection(("127.0.0.1", box.port))
    deaf.setblocking(False)
    slowest = 0.0
    for _ in range(200):
        try:
            deaf.send(b"playlistinfo\nstatus\nlistall\n" * 50)
        except OSError:
            pass
        begin = time.monotonic()
        client.ping()
        client.status()
        slowest = max(slowest, time.monotonic() - begin)
    grown = box.memory() - before
    print(f"98 idle clients: {idle} KiB; a flood besides: others answered within {slowest * 1000:.0f} ms, the server grew by {grown} KiB")
    check("crowd: memory of those that wait", idle < 2048, idle)
    check("crowd: answers", slowest < 2, slowest)
    # The unread responses would be about 30 MB; the limit per connection and malloc's rounding come to 1.7 to 2.2 MB.
    check("crowd: memory", grown < 4096, grown)
    time.sleep(1)
    client.pause(1)
    time.sleep(0.5)
    heard = array.array("h", (box.place / "heard.raw").read_bytes())[::2]
    # Start and end are ramps. Elsewhere ffmpeg's sine of 200 Hz has steps of at most this size.
    first = next((place for place, value in enumerate(heard) if abs(value) > 2000), len(heard))
    last = len(heard) - next((place for place, value in enumerate(reversed(heard)) if abs(value) > 2000), 0)
    steps = max((abs(a - b) for a, b in zip(heard[first:last], heard[first + 1:last])), default=0)
    most = 2896 * 2 * math.pi * 200 / 44100 + 3
    check("crowd: not one frame is missing", last - first > 2 * 44100 and steps <= most, f"{last - first} frames, a step of {steps}")
    for one in waiting + [deaf]:
        one.close()
    client.disconnect()


def edited(queue, line):
    """The ids of a queue after a command, as MPD defines it; unchanged by a command that is refused."""
    verb, *words = line.split()
    queue = list(queue)
    if verb == "swap":
        one, other = map(int, words)
        if max(one, other) < len(queue):
            queue[one], queue[other] = queue[other], queue[one]
        return queue
    first, last = map(int, words[0].split(":"))
    part = queue[first:last]
    if last > len(queue) and verb == "move":
        return queue
    rest = queue[:first] + queue[last:]
    if verb == "delete":
        return rest
    place = int(words[1])
    return rest[:place] + part + rest[place:] if place <= len(rest) else queue


def edits_at_once(box):
    """Two clients change the queue at the same time: each result is that of one command after the other."""
    client = mpd.MPDClient()
    client.connect("127.0.0.1", box.port)
    wires = [socket.create_connection(("127.0.0.1", box.port)) for _ in range(2)]
    files = [wire.makefile("rb") for wire in wires]
    for file in files:
        file.readline()
    commands = ["move 0:3 5", "move 6:8 0", "move 2:6 1", "swap 0 7", "swap 2 3", "delete 5:7"]
    mixed = []
    rounds = 0
    for first in commands:
        for second in commands:
            for _ in range(4):
                client.clear()
                for _ in range(8):
                    client.add("lone.flac")
                before = [song["id"] for song in client.playlistinfo()]
                for wire, line in zip(wires, (first, second)):
                    wire.sendall(line.encode() + b"\n")
                for file in files:
                    file.readline()
                after = [song["id"] for song in client.playlistinfo()]
                rounds += 1
                if after not in (edited(edited(before, first), second), edited(edited(before, second), first)):
                    mixed.append((first, second, before, after))
    print(f"two clients changed the queue at once, {rounds} times: {len(mixed)} results of no order")
    check("edits at once", not mixed, mixed[:3])
    for wire in wires:
        wire.close()
    client.clear()
    client.disconnect()


def death(box):
    """The server is killed: the box keeps playing and restarts the server within seconds."""
    client = mpd.MPDClient()
    client.connect("127.0.0.1", box.port)
    client.clear()
    client.add("Albums/One")
    client.play()
    server = box.server()
    os.kill(server, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while True:
        try:
            client = mpd.MPDClient()
            client.connect("127.0.0.1", box.port)
            break
        except OSError:
            if time.monotonic() > deadline:
                return check("death: another server", False)
            time.sleep(0.1)
    status = client.status()
    check("death: the box plays on", status["state"] == "play" and status["playlistlength"] == "3", status)
    check("death: another server", box.server() != server)
    client.stop()


def main():
    with Box(sys.argv[1], sys.argv[2]) as box:
        mpc_session(box)
        library(box)
        music_assistant(box)
        asyncio.run(home_assistant(box))
        ncmpcpp(box)
        edits_at_once(box)
        death(box)
        if FAILURES:
            print(box.log())
    with Box(sys.argv[1], sys.argv[2], is_heard=True) as box:
        crowd(box)
        if FAILURES:
            print(box.log())
    print("clients: " + ("all is well" if not FAILURES else f"{len(FAILURES)} failures"))
    sys.exit(1 if FAILURES else 0)


main()
