"""A box that feeds a real snapserver, and a box that is its client, compared with real snapclients and with the box's own
recording."""
import array, os, shutil, subprocess, sys, time
from genuine import FAILURES, GenuineBox, check, chosen, wait
from room import Feed, Reference, Room, Speaker, delays
from server import RATE, Client, Server, answers

FRAME = 4
CONTROL_SCRIPT = "meta_mpd.py"
# meta_mpd.py of snapserver 0.26 supports only this port.
MPD_PORT = 6600


class Feeder(GenuineBox):
    """A box whose output is a Snapcast server. Only music plays, at its original level."""

    def __init__(self, swiftlet, products, server, lines=()):
        super().__init__(swiftlet, products, [
            f"set output.device snapcast:127.0.0.1:{server.feed}", "set media.root /", "set cues.enabled off",
            "set volume.start 100", "set checkpoint.path off", *lines])
        self.session = self.connect()

    def state(self):
        return self.ask("status").get("state")


def noise(path, seconds, seed, filters=""):
    """Writes noise, in which short sequences of samples are unique."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
         f"anoisesrc=duration={seconds}:seed={seed}:sample_rate={RATE}:amplitude=0.3{filters}", "-ac", "2", "-sample_fmt", "s16", str(path)],
        check=True)
    return path


def recording(swiftlet, products, place, files, *options):
    """The box's recording of some files, as bytes."""
    path = place / "recording.wav"
    subprocess.run(
        [swiftlet, "play", *files, "--rate", str(RATE), "--format", "S16", "--force", "--output", path, *options],
        env=dict(os.environ, SWIFTLET_CODECS=str(products)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path.read_bytes()[44:]


def place_of(piece, heard, start=0):
    """The frame at which a piece plays; -1 if it does not."""
    found = heard.find(piece, start)
    while found >= 0 and found % FRAME:
        found = heard.find(piece, found + 1)
    return found // FRAME if found >= 0 else -1


def rooms(swiftlet, products, place):
    """Two clients play a crossfade with the samples of the box's own recording."""
    files = [noise(place / "one.flac", 5, 1), noise(place / "two.flac", 5, 2)]
    wanted = recording(swiftlet, products, place, files, "--crossfade", "2")
    with Server(place) as server, Client(server, "kitchen") as kitchen, Client(server, "bath") as bath, \
            Feeder(swiftlet, products, server, ["set fade.length 2"]) as box:
        time.sleep(1)
        for file in files:
            box.tell(f"queue add {file}")
        box.tell("play")
        check("it plays to its end", wait(lambda: box.state() == "finished", 20), box.log())
        # A client may have joined late, so the comparison starts at its first matching frame.
        first, whole = RATE // 2 * FRAME, len(wanted) - RATE // 4 * FRAME
        for name, room in ("kitchen", kitchen), ("bath", bath):
            hears = lambda: place_of(wanted[whole - 4000:whole], room.heard()) >= 0
            check(f"the {name} hears the end", wait(hears, 10, 0.2))
            heard = room.heard()
            at = place_of(wanted[first:first + 4000], heard) * FRAME
            check(f"the {name} hears the same samples, fade included", at >= 0 and heard[at:at + whole - first] == wanted[first:whole])


def pausing(swiftlet, products, place):
    """A pause loses no frame and is audible soon."""
    file = noise(place / "long.flac", 20, 3)
    wanted = recording(swiftlet, products, place, [file])
    with Server(place) as server, Client(server, "kitchen") as room, Feeder(swiftlet, products, server) as box:
        time.sleep(1)
        box.tell(f"play {file}")
        check("the room hears it", wait(lambda: any(room.heard()[-4000:]), 10))
        time.sleep(2)
        before = len(room.heard()) // FRAME
        box.tell("pause")
        silent = lambda: len(room.heard()) > RATE * FRAME and not any(room.heard()[-RATE // 5 * FRAME:])
        check("it falls silent", wait(silent, 10))
        last = len(room.heard().rstrip(b"\0")) // FRAME
        print(f"snapcast: silent {(last - before) / RATE:.2f} s after the pause, of which 0.4 s are the server's buffer")
        check("within a second and a half", last - before < 1.5 * RATE, f"{(last - before) / RATE:.2f} s")
        box.tell("play")
        check("it goes on", wait(lambda: any(room.heard()[-RATE // 5 * FRAME:]), 10))
        time.sleep(1.5)
        heard = room.heard()
        # The last samples before the ramps and the first ones after them, by their positions in the file and in the
        # sound.
        piece = lambda at: place_of(heard[at * FRAME:(at + 100) * FRAME], wanted)
        end = next((piece(at), at) for at in range(last, 0, -480) if piece(at) >= 0)
        begin = next((piece(at), at) for at in range(last + 4800, len(heard) // FRAME, 480)
                     if any(heard[at * FRAME:(at + 100) * FRAME]) and piece(at) >= 0)
        between = heard[end[1] * FRAME:begin[1] * FRAME]
        samples = array.array("h", between)
        # Dither continues for a moment during the silence.
        sounding = sum(abs(left) > 1 or abs(right) > 1 for left, right in zip(samples[::2], samples[1::2]))
        check("each frame of the ramps is heard once", 0 <= begin[0] - end[0] - sounding < RATE // 40,
              f"{begin[0] - end[0]} frames of the file, {sounding} of sound")


def restart(swiftlet, products, place):
    """A server that was killed and restarted is fed again, and the music has waited."""
    file = noise(place / "long.flac", 30, 4)
    with Server(place) as server, Feeder(swiftlet, products, server) as box:
        box.tell(f"play {file}")
        check("it plays", wait(lambda: box.state() == "playing", 10))
        time.sleep(1)
        server.kill()
        check("the loss is noticed", wait(lambda: box.state() == "paused", 10), box.state())
        at = float(box.ask("status").get("position", -1))
        time.sleep(1)
        check("the music waits", abs(float(box.ask("status").get("position", -1)) - at) < 0.01)
        began = time.monotonic()
        server.start()
        check("it is fed again", wait(lambda: box.state() == "playing" and server.stream()["status"] == "playing", 15), box.log())
        print(f"snapcast: fed again {time.monotonic() - began:.1f} s after its return")


def late(swiftlet, products, place):
    """A box that starts before its server finds it later."""
    with Server(place) as server:
        server.kill()
        with Feeder(swiftlet, products, server) as box:
            box.tell(f"play {noise(place / 'long.flac', 30, 5)}")
            check("it says what is missing", "snapserver wants" in box.log(), box.log())
            server.start()
            check("it finds the server", wait(lambda: server.stream()["status"] == "playing", 15), box.log())


def control(swiftlet, products, place):
    """A mobile Snapcast app pauses the box: snapserver's own script does it through the box's MPD server."""
    if answers(MPD_PORT):
        return print(f"NOT TRIED: control; something else listens on port {MPD_PORT}")
    with Server(place, f"&controlscript={CONTROL_SCRIPT}") as server, \
            Feeder(swiftlet, products, server, [f"set mpd.listen 127.0.0.1:{MPD_PORT}"]) as box:
        box.tell(f"play {noise(place / 'long.flac', 60, 6)}")
        check("it plays", wait(lambda: box.state() == "playing", 10), box.log())
        check("the app may pause it", wait(lambda: server.stream()["properties"].get("canPause"), 20, 0.2), server.log())
        for command, state in ("pause", "paused"), ("play", "playing"):
            server.ask("Stream.Control", id="Box", command=command, params={})
            check(f"{command} comes to the box", wait(lambda: box.state() == state, 5), box.state())
        check("the app shows its state", wait(lambda: server.stream()["properties"].get("playbackStatus") == "playing", 5, 0.2))


def joined(swiftlet, products, place, codec):
    """The box is a client of a server and plays at the due times although its card's clock is fast, also after a
    restart of the server. A snapclient plays on another card: both recordings are synchronous."""
    samples = noise(place / "noise.wav", 60, 7, ",lowpass=f=5000,lowpass=f=5000").read_bytes()[44:]
    # One of them by host name, which needs the resolver.
    host = "localhost" if codec == "flac" else "127.0.0.1"
    with Server(place, codec=codec) as server, Feed(server, samples), Speaker(products, server) as speaker, \
            Reference(server) as reference, Room(swiftlet, products, server, 150, host) as box:
        for name in "at first", "after the restart":
            heard = lambda: box.ask("status").get("source") == "room"
            check(f"{codec}: the room is heard {name}", wait(heard, 30), box.log())
            began = time.monotonic() + 1
            time.sleep(15)
            status, until = box.ask("status"), time.monotonic() - 1.5
            sounds, sound, theirs = reference.sounds(codec), box.samples(), speaker.samples()
            late = delays(sounds, began, until, box.frame, sound, 240)
            client_is = delays(sounds, began, until, speaker.frame, theirs, 2400)
            ours = sorted(late.values())
            check(f"{codec}: all of it is heard {name}", len(ours) > 10, len(ours))
            if not ours:
                return
            print(f"snapcast: {codec} {name}: heard {1000 * ours[0]:+.3f} to {1000 * ours[-1]:+.3f} ms late; its own word: "
                  f"{status.get('source-error-us')} us, {status.get('source-ppm')} ppm", flush=True)
            check(f"{codec}: within a millisecond {name}", max(map(abs, ours)) < 0.001, ours)
            # On a busy machine a snapclient occasionally restarts milliseconds off and recovers slowly. Only times at
            # which it is synchronous are compared.
            apart = sorted(late[due] - client_is[due] for due in late if abs(client_is.get(due, 1)) < 0.0005)
            theirs = sorted(client_is.values())
            print(f"snapcast: {codec} {name}: snapclient's recording is {1000 * theirs[0]:+.3f} to {1000 * theirs[-1]:+.3f} ms late; "
                  f"the box's is {1000 * apart[0]:+.3f} to {1000 * apart[-1]:+.3f} ms from it {len(apart)} times of {len(late)}"
                  if apart else f"snapcast: {codec} {name}: snapclient is not in step: {theirs}", flush=True)
            check(f"{codec}: within a millisecond of snapclient's recording {name}", len(apart) > 1 and max(map(abs, apart)) < 0.001, apart)
            # The reported error is an instantaneous value, and on a busy machine it is occasionally late.
            own_word = lambda: abs(int(box.ask("status").get("source-error-us", 9999))) < 1000
            check(f"{codec}: by its own word, too, {name}", wait(own_word, 5), status)
            if name == "at first":
                server.kill()
                check(f"{codec}: it falls silent with the server", wait(lambda: not heard(), 10), box.ask("status"))
                time.sleep(1)
                reference.chunks.clear()
                server.start()


def pcm(swiftlet, products, place):
    joined(swiftlet, products, place, "pcm")


def flac(swiftlet, products, place):
    joined(swiftlet, products, place, "flac")


def opus(swiftlet, products, place):
    joined(swiftlet, products, place, "opus")


def main():
    swiftlet, products, *names = sys.argv[1:]
    for part in chosen((rooms, pausing, restart, late, control, pcm, flac, opus), names):
        place = GenuineBox.folder()
        try:
            part(swiftlet, products, place)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        print(f"snapcast: {part.__name__} done", flush=True)
    if FAILURES:
        raise SystemExit(f"snapcast: {len(FAILURES)} failed")
    print("snapcast: all as it should be")


main()
