#!/usr/bin/env python3
"""The same sessions with Debian's mpd and with a box: each difference that is not listed is an error.

Usage: compare.py SWIFTLET CODECS CLIENT [--show]
CLIENT is the program compiled from session.c; its output with both servers is compared, too.
The sessions are in sessions/ next to this file: a line is a command, `# …` a comment, `wait STATE` waits until both play,
pause or stop, `connect` opens a new connection, `tags` also compares tags and lengths from here on, and `~ REASON` behind
a command says that its responses may differ, and why.
"""
import contextlib, difflib, pathlib, re, shutil, socket, subprocess, sys, tempfile, time
from box import Box, free_port, music
from genuine import wait

HERE = pathlib.Path(__file__).resolve().parent
# Fields that always differ between two servers: clocks, versions, measured values.
PASSING = {
    "elapsed", "time", "bitrate", "audio", "volume", "Last-Modified", "Added", "Format", "uptime", "playtime", "db_update",
    "db_playtime", "playlist", "mixrampdb", "mixrampdelay", "updating_db", "Id", "songid", "nextsongid", "outputname", "plugin",
    "attribute", "duration", "Time", "artists", "albums", "songs", "updating_db", "error", "lastloadedplaylist",
    # A box has no tags of a track before it is opened.
    "Title", "Artist", "Album", "Track", "Genre", "Date", "Name",
}


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.file = self.socket.makefile("rb")
        self.greeting = self.file.readline().decode()
        self.ids = {}

    def ask(self, line):
        """The lines of a response, including the last one; "closed" if the server has closed the connection."""
        try:
            self.socket.sendall(line.encode() + b"\n")
            lines = []
            if self.in_list(line) or line == "noidle":
                return []
            while True:
                text = self.file.readline()
                if not text:
                    return lines + ["closed"]
                text = text.decode().rstrip("\n")
                lines.append(text)
                if text.startswith("binary: "):
                    lines.append(self.file.read(int(text[8:]) + 1).hex())
                if text == "OK" or text.startswith("ACK "):
                    return lines
        except (ConnectionError, socket.timeout) as error:
            return ["closed" if isinstance(error, ConnectionError) else "silent"]

    listing = False

    def in_list(self, line):
        if line.startswith("command_list_") and line.endswith("begin"):
            self.listing = True
        if line == "command_list_end":
            self.listing = False
        return self.listing


# Fields of songs that come from the index.
TAGS = {"Title", "Artist", "Album", "Track", "Time", "duration", "artists", "albums", "songs", "playtime"}


def normal(lines, passing):
    """Responses without the fields that always differ."""
    kept = []
    for line in lines:
        name = line.split(":", 1)[0]
        if name in passing:
            continue
        kept.append(line)
    return in_order(kept)


def in_order(lines):
    """Sorts the lines of each song, because their order is irrelevant."""
    groups = [[]]
    for line in lines:
        if line.startswith(("file: ", "directory: ", "playlist: ", "OK", "ACK")):
            groups.append([line])
        elif groups[0] is not groups[-1] and groups[-1][0].startswith("file: "):
            groups[-1] = groups[-1][:1] + sorted(groups[-1][1:] + [line])
        else:
            groups[-1].append(line)
    return [line for group in groups for line in group]


def state(connection):
    for line in connection.ask("status"):
        if line.startswith("state: "):
            return line[7:]


def ids(connection):
    return [line[4:] for line in connection.ask("playlistinfo") if line.startswith("Id: ")]


def run(session, ports, show):
    """Plays a session. Returns the number of unexpected differences and of compared responses."""
    both = [Connection(port) for port in ports]
    differing = compared = 0
    passing = PASSING
    for number, line in enumerate(session.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        line, _, reason = (part.strip() for part in line.partition(" ~ "))
        if line == "connect":
            both = [Connection(port) for port in ports]
            continue
        if line == "tags":
            passing = PASSING - TAGS
            continue
        if line.startswith("wait "):
            for connection in both:
                deadline = time.monotonic() + 10
                while state(connection) != line[5:]:
                    if time.monotonic() > deadline:
                        print(f"{session.name}:{number}: never {line[5:]}: {connection.ask('status')}")
                        differing += 1
                        break
                    time.sleep(0.02)
            continue
        answers = []
        for connection in both:
            text = line
            if "{id" in line:
                numbers = ids(connection)
                text = re.sub(r"\{id(\d+)\}", lambda m: numbers[int(m[1])], line)
            answers.append(connection.ask(text))
        mpd, box = (normal(lines, passing) for lines in answers)
        compared += 1
        if mpd == box:
            if reason:
                print(f"{session.name}:{number}: {line}: no difference any more; take `~ {reason}` out")
                differing += 1
        elif not reason:
            differing += 1
            print(f"{session.name}:{number}: {line}\n  mpd {answers[0][:12]}\n  box {answers[1][:12]}")
        elif show:
            print(f"{session.name}:{number}: {line} ({reason})\n  mpd {answers[0][:6]}\n  box {answers[1][:6]}")
    return differing, compared


def await_port(port, process):
    deadline = time.monotonic() + 20
    while True:
        try:
            return Connection(port)
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"compare: nothing listens at {port}")
            time.sleep(0.05)


def prepare(ports):
    """Removes what earlier sessions have left."""
    for one in (Connection(port) for port in ports):
        for line in ("clear", "random 0", "repeat 0", "single 0", "crossfade 0", "setvol 50"):
            one.ask(line)


def run_client(client, ports):
    """Runs a libmpdclient client with both servers. Returns the number of differing and of compared lines."""
    said = []
    for port in ports:
        outcome = subprocess.run([client, str(port)], capture_output=True, text=True, timeout=120)
        said.append(outcome.stdout.splitlines())
        if outcome.returncode != 0:
            print(f"libmpdclient: ended with {outcome.returncode}: {outcome.stderr}")
            return 1, len(said[-1])
    differences = [line for line in difflib.ndiff(*said) if line.startswith(("- ", "+ "))]
    for line in differences:
        print(f"libmpdclient: {'mpd' if line.startswith('-') else 'box'} {line[2:]}")
    return len(differences), len(said[0])


def commands(port, question="commands"):
    return {line[9:] for line in Connection(port).ask(question) if line.startswith("command: ")}


def unlisted(ports):
    """Commands of mpd that a box lacks and that docs/using/mpd.md does not list."""
    page = (HERE / "../../docs/using/mpd.md").read_text()
    missing = sorted(name for name in commands(ports[0]) - commands(ports[1]) if f"`{name}`" not in page)
    for name in missing:
        print(f"docs/using/mpd.md does not say that a box has no {name}")
    return len(missing)


def compare_rights(place, box):
    """The permissions of clients before and after the password. Returns the number of differing and of compared
    commands."""
    differing = compared = 0
    box.tell("set mpd.password word")
    for guests, permissions, sign in (("nothing", "", "ping"), ("read", "read", "status"), ("add", "read,add", "add")):
        box.tell(f"set mpd.guests {guests}")
        with mpd(place, f'password "word@read,add,player,control,admin"\ndefault_permissions "{permissions}"\n') as port:

            def is_set():
                try:
                    return sign in commands(box.port) and "play" not in commands(box.port)
                except OSError:
                    return False

            if not wait(is_set, 10):
                print(f"the box does not take mpd.guests {guests}")
                differing += 1
            known = set.intersection(*(commands(one) | commands(one, "notcommands") for one in (port, box.port)))
            allowed = [commands(one) & known for one in (port, box.port)]
            compared += len(known)
            differing += len(allowed[0] ^ allowed[1])
            for name in sorted(allowed[0] ^ allowed[1]):
                print(f"{name}: {'mpd' if name in allowed[0] else 'the box'} allows it to clients that may {guests}, the other one does not")
            for one in (port, box.port):
                connection = Connection(one)
                for line, answer in (("play", "ACK [4@0]"), ("password no", "ACK [3@0]"), ("play", "ACK [4@0]"), ("password word", "OK"), ("stop", "OK")):
                    compared += 1
                    found = connection.ask(line)[-1]
                    if not found.startswith(answer):
                        differing += 1
                        print(f"{'mpd' if one == port else 'box'}, clients that may {guests}: {line}: {found}")
    return differing, compared


@contextlib.contextmanager
def mpd(place, more=""):
    """Starts Debian's mpd with the music of a folder. Returns its port."""
    port = free_port()
    (place / "mpd.conf").write_text(
        f'music_directory "{place}/music"\nplaylist_directory "{place}/playlists"\ndb_file "{place}/db"\n'
        f'sticker_file "{place}/stickers"\n'
        f'bind_to_address "127.0.0.1"\nport "{port}"\nlog_file "{place}/mpd.log"\nzeroconf_enabled "no"\n'
        'audio_output {\ntype "null"\nname "null"\nmixer_type "null"\n}\n' + more)
    with open(place / "log", "w") as log:
        server = subprocess.Popen(["mpd", "--no-daemon", "--stderr", place / "mpd.conf"], stdout=log, stderr=log)
        try:
            await_port(port, server)
            yield port
        finally:
            server.terminate()
            server.wait()


def update(connection):
    """Updates the database."""
    connection.ask("update")
    while any(line.startswith("updating_db") for line in connection.ask("status")):
        time.sleep(0.05)


def main():
    swiftlet, codecs, client = sys.argv[1:4]
    show = "--show" in sys.argv
    place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-mpd-"))
    music(place / "music")
    (place / "playlists").mkdir()
    shutil.copy(place / "music" / "mix.m3u", place / "playlists")
    differing = compared = 0
    try:
        with Box(swiftlet, codecs) as box:
            update(Connection(box.port))
            with mpd(place) as port:
                update(Connection(port))
                for session in sorted((HERE / "sessions").glob("*.txt")):
                    prepare((port, box.port))
                    found = run(session, (port, box.port), show)
                    differing += found[0]
                    compared += found[1]
                prepare((port, box.port))
                found = run_client(client, (port, box.port))
                differing += found[0] + unlisted((port, box.port))
                compared += found[1]
            found = compare_rights(place, box)
            differing += found[0]
            compared += found[1]
            if differing:
                print(box.log())
        print(f"{compared} answers of mpd and of the box compared, {differing} differ that may not")
        sys.exit(1 if differing else 0)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
