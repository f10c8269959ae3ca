#!/usr/bin/env python3
"""Real stations with a real box: streams of icecast2 from ezstream, and the box's output on its sound card.

Usage: stations.py SWIFTLET PRODUCTS [NAME…]
"""
import contextlib, pathlib, shutil, sys, tempfile, threading, time
from genuine import FAILURES, check, chosen, wait
from box import RATE, Box, pitch, stretches
from icecast import Ezstream, Icecast, SecureServer, Source, certificate, tone

SECONDS = 5
LOW, HIGH, LOCAL = 440, 880, 300


def sounds(box, hertz):
    """Whether the last 50 ms had this tone."""
    first = box.heard() - RATE // 20
    return first > 0 and abs(pitch(box.left(first)) - hertz) < hertz * 0.06


def titles(box, seconds, enough):
    """Plays until some titles were shown; returns each with the frame at which it was."""
    shown = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and len(shown) < enough:
        title = box.ask("current").get("title", "")
        if not shown or shown[-1][0] != title:
            shown.append((title, box.heard()))
        time.sleep(0.02)
    return shown


def plays(box, name, url, late, changes=3):
    """Titles are shown with their sound, and the station continues across joins of tracks."""
    box.tell(f"play {url}")
    if not wait(lambda: sounds(box, LOW) or sounds(box, HIGH), 15):
        return check(f"{name}: is heard", False, f"{box.ask('status')} {box.log()}")
    begin = box.heard()
    shown = titles(box, SECONDS * (changes + 2), changes + 2)
    time.sleep(1)
    status = box.ask("status")
    heard = stretches(box.left(begin, box.heard() - begin), (LOW, HIGH))
    check(f"{name}: names the station", status.get("station") == "Loopback Radio", status)
    # The titles shown while a track's tone played.
    switches = [(tone, begin + first) for tone, first, frames in heard if tone and frames > RATE // 4]
    named = [(title, frame) for title, frame in shown if "Low" in title or "High" in title]
    check(f"{name}: shows titles", len(named) > changes, shown)
    for (title, frame), last in zip(named[1:], named):
        hertz = LOW if "Low" in title else HIGH
        near = [frame - first for tone, first in switches if tone == hertz]
        off = min(near, key=abs, default=10 * RATE) / RATE
        check(f"{name}: '{title}' is shown with its sound", -0.1 < off < late, f"{off:+.2f} s, {shown} {switches}")
    silence = [frames for tone, _, frames in heard if tone == 0]
    strange = sum(frames for tone, _, frames in heard if tone is None)
    check(f"{name}: is never silent", max(silence, default=0) < RATE // 10, heard)
    check(f"{name}: is nothing but its tracks", strange < RATE // 3, heard)
    tracks = [tone for tone, _, frames in heard if tone and frames > RATE // 4]
    check(f"{name}: plays its tracks in turn", len(tracks) > changes and all(a != b for a, b in zip(tracks, tracks[1:])), heard)
    print(f"{name}: {len(tracks)} tracks, {[title for title, _ in named]}", flush=True)


def together(*trials):
    """Runs each trial on a thread, because nearly all of their time is spent waiting for music."""
    def run(trial):
        try:
            trial()
        except (Exception, SystemExit) as error:
            check("a trial", False, repr(error))

    threads = [threading.Thread(target=run, args=(trial,)) for trial in trials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def formats(make, icecast, music):
    """Each format from ezstream, or from our own source if ezstream's library does not support it."""
    # Shoutcast titles come every 16000 bytes, which is half a second at 256 kbit/s.
    def trial(kind, late):
        files = [tone(music, title, hertz, SECONDS, kind) for title, hertz in (("Low", LOW), ("High", HIGH))]
        mount = f"radio.{kind}"
        source = Source(icecast, mount, files, SECONDS) if kind == "oga" else Ezstream(icecast, mount, files)
        with source:
            icecast.serves(mount)
            with make() as box:
                plays(box, kind, icecast.url(mount), late)

    def shapes():
        """Rate and channel count change with each track."""
        files = [tone(music, "Low", LOW, SECONDS, "ogg"), tone(music, "High", HIGH, SECONDS, "ogg", rate=48000, channels=1)]
        with Source(icecast, "shapes.ogg", files, SECONDS), make() as box:
            icecast.serves("shapes.ogg")
            plays(box, "shapes", icecast.url("shapes.ogg"), 0.4)

    def codecs():
        """The codec changes with each track: the station is reconnected, at an arbitrary position."""
        # Longer than the burst of past audio that icecast sends to a new listener, which starts with the previous
        # track.
        length = 5 * SECONDS
        folder = music / "codecs"
        folder.mkdir()
        files = [tone(folder, "Low", LOW, length, "ogg"), tone(folder, "High", HIGH, length, "opus")]
        with Source(icecast, "codecs.ogg", files, length), make() as box:
            icecast.serves("codecs.ogg")
            box.tell(f"play {icecast.url('codecs.ogg')}")
            for hertz in (LOW, HIGH, LOW):
                check(f"codecs: {hertz} Hz is heard", wait(lambda: sounds(box, hertz), 60), f"{box.ask('status')} {box.log()}")

    together(shapes, codecs, lambda: trial("mp3", 1.5), lambda: trial("ogg", 0.4), lambda: trial("opus", 0.4), lambda: trial("oga", 0.4))


def restart(make, icecast, music):
    """icecast2 is killed: the fallback plays within its time, and the station plays again once it is back, without a
    command."""
    files = [tone(music, "Low", LOW, 60, "ogg")]
    local = music / "local.flac"
    tone(music, "Local", LOCAL, 120, "oga").rename(music / "local.oga")
    with make([f"set stream.fallback {music}/local.oga", "set stream.fallback.after 2", "set stream.timeout 2"]) as box:
        with Ezstream(icecast, "restarted.ogg", files):
            icecast.serves("restarted.ogg")
            box.tell(f"play {icecast.url('restarted.ogg')}")
            check("restart: is heard", wait(lambda: sounds(box, LOW), 15), box.log())
            time.sleep(3)
            icecast.kill()
        begin = time.monotonic()
        check("restart: the fallback is heard", wait(lambda: sounds(box, LOCAL), 30), f"{box.ask('status')} {box.log()}")
        print(f"restart: the fallback is heard {time.monotonic() - begin:.1f} s after the server's end", flush=True)
        icecast.start()
        begin = time.monotonic()
        with Ezstream(icecast, "restarted.ogg", files):
            frame = box.heard()
            check("restart: is heard again", wait(lambda: sounds(box, LOW), 60), f"{box.ask('status')} {box.log()}")
            print(f"restart: the station is heard {time.monotonic() - begin:.1f} s after its server's return", flush=True)
            silence = [frames for tone, _, frames in stretches(box.left(frame), (LOW, LOCAL)) if tone == 0]
            check("restart: it fades over", max(silence, default=0) < RATE // 10, silence)
            status = box.ask("status")
            check("restart: the queue is what it was", status.get("path") == icecast.url("restarted.ogg"), status)
    # Also without a fallback, with the server back within the spool's time or later.
    with make(["set stream.timeout 2"]) as box:
        with Ezstream(icecast, "restarted.ogg", files):
            icecast.serves("restarted.ogg")
            box.tell(f"play {icecast.url('restarted.ogg')}")
            check("restart: is heard", wait(lambda: sounds(box, LOW), 15), box.log())
            icecast.kill()
        check("restart: is silent", wait(lambda: not sounds(box, LOW), 20))
        check("restart: says what it waits for", box.ask("status").get("state") in ("buffering", "failed"), box.ask("status"))
        icecast.start()
        begin = time.monotonic()
        with Ezstream(icecast, "restarted.ogg", files):
            check("restart: is heard again by itself", wait(lambda: sounds(box, LOW), 60), f"{box.ask('status')} {box.log()}")
            print(f"restart: heard again {time.monotonic() - begin:.1f} s after its server's return", flush=True)


KINDS = ("mp3", "mp2", "aac", "ogg", "opus", "oga")


def cuts(make, icecast, music, outages=(0.2, 5, 40)):
    """The server is killed at arbitrary positions in frames or pages of each format, and returns: each station plays
    again, and none has failed."""
    files = {kind: tone(music, "", LOW, 120, kind) for kind in KINDS}
    with contextlib.ExitStack() as stack:
        boxes = {}
        for kind in KINDS:
            stack.enter_context(Source(icecast, f"cut.{kind}", [files[kind]], 120, returns=True))
        for kind in KINDS:
            icecast.serves(f"cut.{kind}")
            boxes[kind] = stack.enter_context(make())
            boxes[kind].tell(f"play {icecast.url(f'cut.{kind}')}")
        for kind, box in boxes.items():
            check(f"cuts: {kind} is heard", wait(lambda: sounds(box, LOW), 20), f"{box.ask('status')} {box.log()}")
        for outage in outages:
            time.sleep(3)
            icecast.kill()
            time.sleep(outage)
            icecast.start()
            begin = time.monotonic()
            for kind in KINDS:
                icecast.serves(f"cut.{kind}")
            # Buffered sound plays first.
            time.sleep(3)
            for kind, box in boxes.items():
                heard = wait(lambda: sounds(box, LOW), 30)
                check(f"cuts: {kind} is heard again after {outage} s", heard, f"{box.ask('status')} {box.log()}")
            print(f"cuts: all are heard {time.monotonic() - begin:.1f} s after the end of an outage of {outage} s", flush=True)
        for kind, box in boxes.items():
            status = box.ask("status")
            check(f"cuts: {kind} has not failed", "last-error" not in status and "damaged" not in box.log(), f"{status} {box.log()}")
            first = box.heard() - 2 * RATE
            whole = all(abs(pitch(box.left(first + step * RATE // 20)) - LOW) < LOW * 0.06 for step in range(30))
            check(f"cuts: {kind} is its tone", whole)


def soaked(make, icecast, music):
    """Three of each outage."""
    cuts(make, icecast, music, (0.2, 5, 40) * 3)


def secure(make, icecast, music):
    """A trusted certificate, and an untrusted one."""
    with Ezstream(icecast, "secure.ogg", [tone(music, "Low", LOW, 60, "ogg")]):
        icecast.serves("secure.ogg")
        url = icecast.url("secure.ogg", secure=True)
        with make(environment={"SSL_CERT_FILE": f"{icecast.place}/certificate.pem"}) as box:
            box.tell(f"play {url}")
            check("secure: is heard", wait(lambda: sounds(box, LOW), 15), f"{box.ask('status')} {box.log()}")
        with make() as box:
            begin = time.monotonic()
            box.tell(f"play {url}")
            said = wait(lambda: "certificate" in box.ask("status").get("error", "") + box.log(), 10)
            print(f"secure: refused {time.monotonic() - begin:.1f} s after 'play'", flush=True)
            check("secure: says that the certificate does not hold", said, f"{box.ask('status')} {box.log()}")
            check("secure: plays nothing from whoever it may be", not sounds(box, LOW))
        track = tone(music, "High", HIGH, 60, "oga")
        # All are trusted; the name or the date is wrong.
        for what, name, hasExpired, path, heard in (
                ("the right one", "127.0.0.1", False, "track.oga", HIGH),
                ("another name's", "radio.example", False, "track.oga", 0), ("an expired one", "127.0.0.1", True, "track.oga", 0)):
            pair = certificate(icecast.place.parent, name, hasExpired)
            with SecureServer(*pair, track, icecast.url("secure.ogg")) as server, make(environment={"SSL_CERT_FILE": str(pair[0])}) as box:
                box.tell(f"play {server.url(path)}")
                if heard:
                    check(f"secure: {what} is heard", wait(lambda: sounds(box, heard), 15), f"{box.ask('status')} {box.log()}")
                    # Trust is decided per connection: a server may redirect to an address without TLS.
                    box.tell(f"play {server.url('elsewhere')}")
                    check("secure: leads to http", wait(lambda: sounds(box, LOW), 15), f"{box.ask('status')} {box.log()}")
                else:
                    said = wait(lambda: "certificate" in box.ask("status").get("error", "") + box.log(), 10)
                    check(f"secure: {what} is refused", said and not sounds(box, HIGH), f"{box.ask('status')} {box.log()}")


def main():
    swiftlet, products, *names = sys.argv[1:]
    trials = chosen((formats, restart, cuts, secure), names, extra=(soaked,))
    place = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-stations-"))
    music = place / "music"
    music.mkdir()

    def make(lines=(), environment=None):
        return Box(swiftlet, products, lines, environment)

    try:
        with Icecast(place) as icecast:
            for trial in trials:
                begin = time.monotonic()
                trial(make, icecast, music)
                print(f"{trial.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print("stations: " + ("all is well" if not FAILURES else f"{len(FAILURES)} failures"))
    sys.exit(1 if FAILURES else 0)


main()
