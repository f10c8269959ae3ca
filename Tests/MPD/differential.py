#!/usr/bin/env python3
"""Random commands, the same for Debian's mpd and for a box: the first difference that docs/using/mpd.md does not list is an
error.

Usage: differential.py SWIFTLET CODECS [--count N] [--from N] [--seed N] [--all] [--replay FILE]
A seed determines its commands; they do not depend on responses. After each command that may change something, status and
the `idle` events of a second client are compared, too; every few commands also the queue, the playlists and the stickers.
A difference is shrunk to the fewest commands that still differ, and printed with its seed. --all continues behind a
difference without shrinking it. --from skips the first commands of the seed, for a long run in pieces. --replay runs the
commands of a file, one per line.
"""
import pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time
import box as boxes
from box import Box
from compare import Connection, in_order, mpd, update
from genuine import tone, wait

# Fields that always differ between two servers: clocks, versions, counters.
PASSING = {
    "elapsed", "time", "bitrate", "audio", "Added", "Format", "uptime", "playtime", "db_update", "playlist", "updating_db", "Id", "songid",
    "nextsongid", "Prio", "mixrampdelay", "lastloadedplaylist", "outputname", "plugin", "attribute",
}
# Differences that docs/using/mpd.md lists: commands (and both responses), and the reason.
ACCEPTED = [
    (r'^playlistadd "(a/b)?" ', "^ACK", "of two faults either may be named"),
    (r'^add(id)? "/.*" ', "^ACK", "of two faults either may be named"),
    (r'^(find|search)add .* position ', "^ACK", "of two faults either may be named"),
    (r'^move(id)? \S+ [+-]', "^ACK", "of two faults either may be named"),
    (r'^(list|count) .*group .*group', "^ACK", "of two faults either may be named"),
    (r'^playlist(find|search) .*AudioFormat', "", "the queue of a box knows formats"),
]
SECONDS = 300
# A file with an embedded cue sheet in its own folder.
SHEET = "Sheet/live.flac"


def library(folder):
    """Files of five minutes, so that none ends during the commands."""
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / "lone.flac"
    tone(first, 150, SECONDS, "Lone", 1)

    def song(path, **tags):
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(first, path)
        values = [(name, value) for name, given in tags.items() for value in (given if isinstance(given, list) else [given])]
        words = ["--remove-all-tags"] + [f"--set-tag={name}={value}" for name, value in values]
        subprocess.run(["metaflac", *words, path], check=True)

    for number in (1, 2, 3):
        song(folder / "Albums" / "One" / f"0{number} tune.flac", TITLE=f"Tune {number}", ARTIST="Band", ALBUM="One", TRACKNUMBER=number)
    song(folder / "Albums" / "Two" / "a.flac", TITLE="Alpha", ARTIST="Band", ALBUM="Two", ALBUMARTIST="Various", DATE="1999", GENRE="Rock")
    song(folder / "Albums" / "Two" / "b.flac", TITLE="Beta", ARTIST="Björk", ALBUM="Two", ALBUMARTIST="Various", DATE="1999-03-24", GENRE="Jazz")
    song(folder / "Other" / "Zwei" / "2 b.flac", TITLE="Blue Moon", ARTIST="Bjo\u0308rk", ALBUM="Zwei", DATE="1993-05")
    song(folder / "Other" / "Zwei" / "quote's \"x\".flac", TITLE='Moon "Song"', ARTIST="Cello's", ALBUM="Zwei")
    song(folder / "Other" / "tab\there.flac", TITLE="Tabbed")
    song(folder / "Other" / "bare.flac")
    song(folder / "Other" / "together.flac", TITLE="Duet", ARTIST=["Band", "Ann", "Zoë"], ALBUM="One", GENRE=["Jazz", "Folk"])
    # A box lists the sheet's single track in place of its file: as a song with the same tags.
    sheet = 'TITLE "Live"\nFILE "live.flac" WAVE\n  TRACK 01 AUDIO\n    TITLE "Live set"\n    PERFORMER "Ann"\n    INDEX 01 00:00:00\n'
    song(folder / SHEET, TITLE="Live set", ARTIST="Ann", ALBUM="Live", TRACKNUMBER=1, CUESHEET=sheet)
    (folder / "Empty").mkdir()
    (folder / "Other" / "Zwei" / "cover.jpg").write_bytes(bytes(range(256)) * 80)
    (folder / "mix.m3u").write_text("lone.flac\nAlbums/One/01 tune.flac\n")


PATHS = ["lone.flac", "Albums/One/01 tune.flac", "Albums/One/02 tune.flac", "Albums/One", "Albums", "Albums/Two/a.flac", "Other/bare.flac",
         "Other/Zwei/2 b.flac", "Other/Zwei/quote's \"x\".flac", "Other/tab\there.flac", "Other", "Other/together.flac", SHEET, "Sheet"]
WRONG = ["nowhere", "nowhere.flac", "Albums/nowhere.flac", "../lone.flac", "", "/", "/etc/passwd"]
LISTS = ["One", "Two words", "Dr\u00fcben"]
TAGS = ["artist", "album", "albumartist", "title", "track", "genre", "date", "disc", "file", "any", "composer"]
VALUES = ["Band", "band", "One", "Two", "Björk", "Bjo\u0308rk", "Blue", "moon", "1999", "Tune 1", "Cello's", "", "nothing", "2", "Albums/One/01 tune.flac",
          "Ann", "zoë", "Jazz", "LIVE"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Generator:
    """The commands of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_random = False
        self.passwords = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def path(self):
        return quoted(self.random.choice(WRONG if self.random.random() < 0.12 else PATHS))

    def song(self):
        return quoted(self.random.choice([path for path in PATHS + WRONG if path.endswith(".flac")]))

    def place(self):
        return str(self.random.choice([0, 0, 1, 1, 2, 3, 4, 5, 7, 99]))

    def span(self):
        return self.pick(self.place(), f"{self.place()}:{self.place()}", f"{self.place()}:", "-1", "x", "1:x")

    def number(self):
        return self.pick("0", "1", "1", "5", "-1", "x", "+1", "4294967296", "1.5", "")

    def id(self):
        return self.pick("{id0}", "{id1}", "{id2}", "{id5}", "99999", "x")

    def relative(self):
        return self.pick(self.place(), self.place(), "+0", "+1", "-0", "-1", "+x", "+99")

    def list_name(self, *more):
        return quoted(self.random.choice(["missing", "a/b", "", *more]) if self.random.random() < 0.25 else self.random.choice(LISTS))

    def time(self):
        return self.pick("0", "5", "12.5", "60", "100", "+2", "-3", "x", "200")

    def filter(self):
        def term():
            tag, value = self.random.choice(TAGS), self.random.choice(VALUES)
            # For a song without tags, a box has an empty one and MPD has none.
            value = value or "Band" if tag == "any" else value
            escaped = value.replace("'", "\\'")
            return self.pick(f"({tag} == '{escaped}')", f"({'artist' if tag == 'any' else tag} != '{escaped}')", f"({tag} contains '{escaped}')", "(base 'Albums')")

        kind = self.random.random()
        if kind < 0.5:
            return " ".join(f"{self.random.choice(TAGS)} {quoted(self.random.choice(VALUES))}" for _ in range(self.random.choice([1, 1, 2]))).replace('any ""', 'any "Band"')
        if kind < 0.75:
            return quoted(term())
        if kind < 0.9:
            return quoted("(" + " AND ".join(self.pick(term(), f"(!{term()})") for _ in range(self.random.choice([2, 3]))) + ")")
        return self.pick("artist", "nothing x", quoted("(artist"), quoted("(artist = 'x')"), quoted("(artist == x)"), quoted("((artist == 'x') OR (title == 'y'))"),
                         quoted("(wrong == 'x')"), quoted("(artist == 'x') x"), quoted("(artist == 'x"), "base ../x", quoted("()"), "modified-since 2001-01-01",
                         quoted("(modified-since '2001-01-01T00:00:00Z')"), quoted("(AudioFormat == '44100:16:2')"))

    def command(self):
        r = self.random.random()
        if r < 0.20:
            return self.adding()
        if r < 0.36:
            return self.editing()
        if r < 0.54:
            return self.playing()
        if r < 0.64:
            return self.options()
        if r < 0.78:
            return self.playlists()
        if r < 0.90:
            return self.browsing()
        if r < 0.94:
            return self.stickers()
        if r < 0.97:
            return self.connection()
        return self.many()

    def adding(self):
        return self.pick(f"add {self.path()}", f"add {self.path()}", f"add {self.path()} {self.relative()}", f"addid {self.path()}",
                         f"addid {self.path()} {self.relative()}", f"findadd {self.filter()}", f"searchadd {self.filter()}",
                         f"findadd {self.filter()} position {self.relative()}", f"load {self.list_name('mix')}", f"load {self.list_name('mix')} {self.span()}",
                         f"load {self.list_name('mix')} {self.span()} {self.relative()}", "clear")

    def editing(self):
        return self.pick(f"delete {self.span()}", f"deleteid {self.id()}", f"move {self.span()} {self.relative()}", f"moveid {self.id()} {self.relative()}",
                         f"swap {self.place()} {self.place()}", f"swapid {self.id()} {self.id()}", f"prio {self.number()} {self.span()}",
                         f"prioid {self.number()} {self.id()}", "shuffle 0:1", f"plchangesposid {self.pick('99999', 'x')}", f"playlistinfo {self.span()}",
                         f"playlistid {self.id()}", f"playlistfind {self.filter()}", f"playlistsearch {self.filter()}", "clear")

    def playing(self):
        if self.is_random:
            return self.pick("pause 1", "pause 0", "stop", "status", "currentsong", f"seekcur {self.time()}")
        return self.pick("play", f"play {self.place()}", f"play {self.number()}", f"playid {self.id()}", "pause", "pause 1", "pause 0", f"pause {self.number()}",
                         "stop", "next", "previous", f"seek {self.place()} {self.time()}", f"seekid {self.id()} {self.time()}", f"seekcur {self.time()}",
                         "currentsong", "status")

    def options(self):
        return self.pick(f"setvol {self.pick('20', '50', '100', '101', 'x', '-1', '50')}", f"volume {self.pick('+5', '-5', '0', '200', 'x')}", "getvol",
                         f"repeat {self.number()}", f"single {self.pick('0', '1', '2', 'x', '0')}", f"consume {self.pick('0', 'x', '2')}",
                         f"crossfade {self.pick('0', '3', 'x', '-1')}", f"mixrampdb {self.pick('0', '-17', '-12.5', 'x')}", "mixrampdelay nan",
                         f"replay_gain_mode {self.pick('off', 'track', 'album', 'x')}", "replay_gain_status", "outputs", "enableoutput 0", "enableoutput 7",
                         "clearerror", f"random {self.number()}")

    def playlists(self):
        name = self.list_name()
        return self.pick(f"save {name}", f"rm {name}", f"rm {name}", f"rename {name} {self.list_name()}", f"playlistadd {name} {self.path()}",
                         f"playlistadd {name} {self.path()}", f"playlistadd {name} {self.path()} {self.place()}", f"playlistclear {name}",
                         f"playlistdelete {name} {self.span()}", f"playlistmove {name} {self.place()} {self.place()}", f"listplaylist {self.list_name('mix')}",
                         f"listplaylistinfo {self.list_name('mix')}", "listplaylists", f"searchaddpl {name} {self.filter()}")

    def browsing(self):
        tag = self.random.choice(TAGS + ["nothing"])
        return self.pick(f"lsinfo {self.path()}", "lsinfo", f"listall {self.path()}", f"listallinfo {self.path()}", f"find {self.filter()}", f"search {self.filter()}",
                         f"find {self.filter()} sort {self.pick('Title', '-Title', 'Nothing', 'Album')} window {self.span()}", f"list {tag}",
                         f"list {tag} {self.filter()}", f"list album group {self.random.choice(TAGS)} group {self.random.choice(TAGS)}", f"list {tag} group {tag}",
                         f"count {self.filter()}", f"count group {self.random.choice(TAGS)}", f"albumart {self.song()} {self.pick('0', '9000', '99999', 'x')}",
                         f"readpicture {self.song()} 0", f"update {self.pick('../x', 'a//b')}")

    def stickers(self):
        path = quoted(self.random.choice([path for path in PATHS if path.endswith(".flac")]))
        return self.pick(f"sticker set song {path} rating {self.number() or 'x'}", f"sticker get song {path} rating", f"sticker list song {path}",
                         f"sticker delete song {path} rating", f"sticker delete song {path}", "sticker find song \"\" rating", f"sticker find song Albums rating = {self.place()}",
                         "sticker get album x y", "sticker frob song lone.flac")

    def connection(self):
        return self.pick(f"subscribe {self.pick('one', 'two', 'bad name', quoted('bad name'))}", f"unsubscribe {self.pick('one', 'two')}", "channels", "sendmessage one hello",
                         "sendmessage three hello", "readmessages", "ping", f"binarylimit {self.pick('64', '8192', '4194304', '1', 'x')}", "nonsense", "ping x", "tagtypes clear",
                         "tagtypes all", "tagtypes enable Artist Title", "tagtypes disable Title", "tagtypes nonsense", f"partition {self.pick('default', 'other')}",
                         "listpartitions", "password x", "play 1 2", "status x", "add")

    def many(self):
        lines = [self.pick(self.editing, self.options, self.playlists, self.browsing)() for _ in range(self.random.choice([1, 2, 3]))]
        if any("command_list" in line for line in lines):
            return "ping"
        begin = self.pick("command_list_begin", "command_list_ok_begin")
        # The responses to folder listings must be separable from later ones.
        if any(re.match("lsinfo|listall|listplaylists", line) for line in lines):
            begin = "command_list_ok_begin"
        return "\n".join([begin, *lines, "command_list_end"])

    def all(self, count):
        commands = []
        while len(commands) < count:
            command = self.command()
            if command == "password x":
                # A box closes a connection after the third wrong password.
                self.passwords += 1
                command = command if self.passwords < 3 else "ping"
            commands.append(command)
            for line in command.splitlines():
                if line in ("random 1", "random +1"):
                    self.is_random = True
                elif line == "random 0":
                    self.is_random = False
            # Shuffled orders differ by chance, so a shuffle lasts only a few commands.
            if self.is_random and self.random.random() < 0.25:
                commands.append("random 0")
                self.is_random = False
        return commands


class Player:
    """One of the servers, with a client that sends commands and another one waiting for events."""

    def __init__(self, port):
        self.port = port
        self.connect()

    def connect(self):
        self.client, self.watcher, self.looker = (Connection(self.port) for _ in range(3))

    def ids(self):
        return [line[4:] for line in self.looker.ask("playlistinfo") if line.startswith("Id: ")]

    def resolve(self, command):
        if "{id" not in command:
            return command
        ids = self.ids()
        return re.sub(r"\{id(\d+)\}", lambda m: ids[int(m[1]) % len(ids)] if ids else "4711", command)

    def ask(self, command):
        for line in command.split("\n")[:-1]:
            self.client.ask(line)
        return self.client.ask(command.split("\n")[-1])

    def watch(self):
        self.watcher.socket.sendall(b"idle\n")

    def changes(self):
        """The events since the last call."""
        found = set()
        self.watcher.socket.sendall(b"noidle\nping\n")
        endings = 0
        while endings < 2:
            line = self.watcher.file.readline().decode().strip()
            if not line:
                return found | {"closed"}
            if line == "OK":
                endings += 1
            elif line.startswith("changed: "):
                found.add(line[9:])
        return found

    def status(self):
        return dict(line.split(": ", 1) for line in self.looker.ask("status") if ": " in line)

    def reset(self):
        """Restores the initial state."""
        self.connect()
        for command in ("stop", "clear", "random 0", "repeat 0", "single 1", "single 0", "crossfade 0", "mixrampdb 0", "replay_gain_mode off", "setvol 50"):
            self.client.ask(command)
        for line in self.client.ask("listplaylists"):
            if line.startswith("playlist: ") and line != "playlist: mix":
                self.client.ask(f"rm {quoted(line[10:])}")
        for line in self.client.ask('sticker find song "" rating'):
            if line.startswith("file: "):
                self.client.ask(f"sticker delete song {quoted(line[6:])}")
        self.status()


def without_sheet(lines, command):
    """A response without the differences that docs/using/mpd.md lists for a file with an embedded cue sheet, except for its
    names: a box lists its track in a folder, and has fewer tags of it in the queue and in playlists."""
    groups = []
    for line in lines:
        if not groups or line.startswith(("file: ", "directory: ", "playlist: ", "OK", "ACK", "list_OK")):
            groups.append([])
        groups[-1].append(line.replace(SHEET + "/track0001", SHEET))
    kept = []
    for group in groups:
        if group[0] == f"directory: {SHEET}" and "lsinfo" in command:
            group[0] = f"file: {SHEET}"
        if group[0] in (f"playlist: {SHEET}", f"directory: {SHEET}"):
            continue
        if group[0] == f"file: {SHEET}":
            if re.search("playlist(find|search)", command):
                continue
            group = [line for line in group if line.startswith(("file: ", "Pos: ", "Prio: ", "sticker: "))]
        kept += group
    return kept


def normal(lines, command):
    """A response without the fields that always differ."""
    # `playlist` is a version in `status`, and a name elsewhere.
    kept = [line for line in lines if line.split(":", 1)[0] not in PASSING or line.startswith("playlist: ") and not re.search("^status", command, re.M)]
    # Files and folders are created at the same time for both, playlists are not.
    for i, line in enumerate(kept):
        if line.startswith("Last-Modified: ") and i > 0 and kept[i - 1].startswith("playlist: "):
            kept[i] = "Last-Modified: then"
    if "random: 1" in kept:
        # The next song of a shuffle is random, and a box does not report it.
        kept = [line for line in kept if not line.startswith("nextsong: ")]
    kept = without_sheet(kept, command)
    if "lsinfo" in command:
        # A box lists playlist files among the music under one name.
        kept = [line for i, line in enumerate(kept) if "playlist: mix" not in (line, *kept[i - 1:i] * line.startswith("Last-Modified"))]
    kept = in_order(kept)
    if not re.search("lsinfo|listall|listplaylists|list file", command):
        return kept
    # Folders and playlists have their own order; sessions compare the order of songs.
    groups = []
    for line in kept:
        if not groups or line.startswith(("file: ", "directory: ", "playlist: ", "OK", "ACK", "list_OK")):
            groups.append([])
        groups[-1].append(line)
    return [line for group in sorted(groups) for line in group]


def accepted(command, answers):
    for pattern, reply, _ in ACCEPTED:
        if re.search(pattern, command, re.M) and all(re.search(reply, lines[-1] if lines else "") for lines in answers):
            return True
    return False


class Run:
    """Sends commands to both servers and compares them."""

    QUESTIONS = r"(find|search|list\w*|lsinfo|count|status|currentsong|playlist(info|id|find|search)|channels|outputs|getvol|ping|albumart|readpicture|plchangesposid)( .*)?"

    def __init__(self, players):
        self.players = players
        self.compared = 0
        self.state, self.length = "stop", "0"
        # Whether no events are pending from earlier commands.
        self.isQuiet = True
        # When a command last started or ended a song.
        self.played = 0
        # Whether the current song has just started.
        self.isBeginning = False
        # The time of the last command, and the seconds by which the box has started its song later: on a busy machine
        # its decoder starts late.
        self.given, self.lag = 0, 0

    def reset(self):
        self.lag = 0
        for player in self.players:
            player.reset()

    def both(self, command):
        return [player.ask(player.resolve(command)) for player in self.players]

    def difference(self, command, deep):
        """The difference after a command; None if there is none."""
        for player in self.players:
            player.watch()
            if not self.isQuiet:
                player.changes()
                player.watch()
        self.given = time.monotonic()
        answers = self.both(command)
        self.compared += 1
        sides = [normal(lines, command) for lines in answers]
        told = None
        if sides[0] != sides[1] and not accepted(command, answers):
            told = (command, *sides)
        # After queries the state is compared only occasionally.
        if deep or not re.fullmatch(self.QUESTIONS, command, re.S):
            told = told or self.settle(command)
        else:
            self.isQuiet = False
            for player in self.players:
                player.changes()
        if not told and deep:
            told = self.deep()
        return told

    def settle(self, command):
        """Compares status and events, which follow a command after a short delay."""
        state = self.players[0].status()
        # Whether this function, and not the command, has started a song.
        isTouched = False
        former, self.state = self.state, state["state"]
        length, self.length = self.length, state["playlistlength"]
        if state["state"] == "stop" and length == "0" != self.length:
            # A box cues the next song after the ramp of a stop, a little later.
            wait(lambda: self.players[1].status()["state"] == "pause", 0.5)
        if state["state"] == "stop" and ("random" in command or former != "stop" and "song" not in state):
            # MPD then has no current song and starts with the first one; a box stays on the stopped one, or continues
            # behind it.
            for player in self.players:
                player.client.ask("play 0")
                player.client.ask("stop")
            self.played = time.monotonic()
            isTouched = True
        if state.get("random") == "1" and state["state"] != "stop" and re.search(r"^(command_list|delete)", command, re.M):
            self.follow(state)
        deadline = time.monotonic() + 2
        changes = [set(), set()]
        isReady = False
        while True:
            states = [self.shown(player.status()) for player in self.players]
            for one, player in zip(changes, self.players):
                one |= player.changes()
            # A box cues the first song, which clients see as paused at its beginning.
            if states[0]["state"] == "stop" and states[1]["state"] == "pause" and states[1]["elapsed"] == "0.000" and not isReady:
                self.players[1].client.ask("stop")
                isReady = True
            else:
                if isReady:
                    changes[1] = changes[1] - {"player"} | changes[0] & {"player"}
                if "update" not in command:
                    # A box also updates its index by itself.
                    changes[1].discard("update")
                self.isBeginning = isTouched or any(one["state"] == "play" and float(one.get("elapsed", 3)) < 3 for one in states)
                same = self.alike(*states)
                if same and self.told_alike(command, *changes) or time.monotonic() > deadline:
                    break
                time.sleep(0.01)
            for player in self.players:
                player.watch()
        self.isQuiet = not changes[0] and not changes[1]
        if not same and self.is_late(command, *states):
            same = True
        if not same:
            return ("status after " + command, *([f"{k}: {v}" for k, v in sorted(state.items())] for state in states))
        if not self.told_alike(command, *changes):
            return ("idle during " + command, sorted(changes[0]), sorted(changes[1]))

    def follow(self, state):
        """Makes the box play MPD's song after the current one was removed during a shuffle: which one follows is
        random."""
        box = self.players[1]
        if box.status().get("song") == state.get("song"):
            return
        box.client.ask(f"play {state['song']}")
        if state["state"] == "pause":
            box.client.ask("pause 1")
        self.played = time.monotonic()

    @staticmethod
    def shown(status):
        keys = ("volume", "repeat", "random", "single", "consume", "playlistlength", "mixrampdb", "state", "xfade", "song", "nextsong", "duration")
        kept = {key: status[key] for key in keys if key in status}
        if status.get("random") == "1":
            kept.pop("nextsong", None)
        if "elapsed" in status:
            kept["elapsed"] = status["elapsed"]
        return kept

    def alike(self, mpd, box):
        mpd, box = dict(mpd), dict(box)
        late = float(mpd.pop("elapsed", -1)) - float(box.pop("elapsed", -1))
        if abs(late) < 1:
            self.lag = 0
        return mpd == box and min(abs(late), abs(late - self.lag)) < 1

    def is_late(self, command, mpd, box):
        """Whether the box has only started its song later than mpd, since the command."""
        if "elapsed" not in mpd or "elapsed" not in box or not re.search("^(play|next|previous)", command, re.M):
            return False
        late = float(mpd["elapsed"]) - float(box["elapsed"])
        if not 0 < late < time.monotonic() - self.given or {**mpd, "elapsed": ""} != {**box, "elapsed": ""}:
            return False
        self.lag = late
        return True

    def told_alike(self, command, mpd, box):
        """Whether both have reported the same events, except those after a song's start: when it becomes audible, and
        when its length becomes known."""
        if re.search(r"^(play|pause|next|prev|seek|stop|clear|delete)|^(play|seek|next|prev|clear|delete)", command, re.M):
            self.played = time.monotonic()
        late = {"player", "playlist"} if time.monotonic() - self.played < 2 else set()
        mine = late & {"player"}
        # mpd reads a song's tags when it plays it, on a busy machine some time later.
        if self.isBeginning and not re.search(r"^(command_list|add|delete|move|swap|prio|clear|shuffle|load|findadd|searchadd)", command):
            mine = {"player", "playlist"}
        return mpd <= box and box - mpd <= late or mpd - box <= mine and not command.startswith(("play", "seek", "next", "prev"))

    def deep(self):
        for command in ("playlistinfo", "listplaylists", *(f"listplaylist {quoted(name)}" for name in LISTS), 'sticker find song "" rating'):
            sides = [normal(player.looker.ask(command), command) for player in self.players]
            if sides[0] != sides[1]:
                return (command, *sides)

    def first(self, commands):
        """The index of the first command after which both differ, and the difference."""
        for place, command in enumerate(commands):
            found = self.difference(command, deep=place % 8 == 7 or place == len(commands) - 1)
            if found:
                return place, found
        return None

    def shrink(self, commands):
        """The fewest commands that still differ, and the difference, within a minute."""
        deadline = time.monotonic() + 60

        def fails(some):
            self.reset()
            return self.first(some)

        kept = commands
        size = 1
        while size < len(commands):
            found = fails(commands[-size:])
            if found:
                kept = commands[-size:][:found[0] + 1]
                break
            size *= 2
        place = 0
        while place < len(kept) - 1 and time.monotonic() < deadline:
            fewer = kept[:place] + kept[place + 1:]
            found = fails(fewer)
            if found:
                kept = fewer[:found[0] + 1]
            else:
                place += 1
        return kept, fails(kept)


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def show(found):
    what, mpd, box = found
    print(f"  {what!r}")
    at = next((i for i, (one, other) in enumerate(zip(mpd, box)) if one != other), min(len(mpd), len(box)))
    for name, lines in (("mpd", mpd), ("box", box)):
        print(f"    {name} {'… ' if at > 2 else ''}{' | '.join(lines[max(0, at - 2):at + 10])}", flush=True)


def main():
    # Terminating this script ends both servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    swiftlet, codecs = sys.argv[1:3]
    count, seed = int(option("--count", "2000")), int(option("--seed", "1"))
    start = int(option("--from", "0"))
    commands = Generator(seed).all(start + count)[start:]
    replay = option("--replay", None)
    if replay:
        commands = pathlib.Path(replay).read_text().splitlines()
    place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-mpd-"))
    library(place / "music")
    (place / "playlists").mkdir()
    shutil.copy(place / "music" / "mix.m3u", place / "playlists")
    boxes.music = lambda folder: shutil.copytree(place / "music", folder, copy_function=shutil.copy2)
    status, begun = 0, time.monotonic()
    try:
        with Box(swiftlet, codecs) as box, mpd(place) as port:
            for one in (port, box.port):
                update(Connection(one))
            run = Run([Player(port), Player(box.port)])
            run.reset()
            rest = commands
            while rest:
                found = run.first(rest)
                if not found:
                    break
                status += 1
                end, difference = found
                at = start + len(commands) - len(rest) + end
                print(f"seed {seed}, command {at}: mpd and the box differ:")
                show(difference)
                if "--all" not in sys.argv:
                    kept, again = run.shrink(rest[:end + 1])
                    print("The fewest commands that differ:" if again else "The difference did not come again; the last commands were:")
                    for command in kept if again else rest[max(0, end - 20):end + 1]:
                        print("  " + command.replace("\n", "; "))
                    if again:
                        show(again[1])
                    print(box.log())
                    break
                for command in rest[max(0, end - 6):end + 1]:
                    print("      after " + command.replace("\n", "; "))
                run.reset()
                rest = rest[end + 1:]
            print(f"{run.compared} random commands of seed {seed}, from {start} on, to mpd and to the box, {status or 'no'} differences that docs/using/mpd.md does not list, "
                  f"{time.monotonic() - begun:.0f} s")
        sys.exit(1 if status else 0)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
