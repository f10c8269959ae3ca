#!/usr/bin/env python3
"""A real box with a real mosquitto: what it publishes, the commands it accepts, and the effects when box or broker
fails.

Usage: mqtt.py SWIFTLET PRODUCTS [NAME…]
"""
import json, os, pathlib, shutil, signal, sys, time
import paho.mqtt.client as paho
from broker import Broker, DyingBroker, Listener, certificates
from genuine import FAILURES, GenuineBox, check, chosen, cpu, tone, wait
from home import Home, PYTHON, spoilt

# A timeout for conditions that take a second on an idle machine, because the machine may be busy.
LONG = 60
# Maximum seconds until a box has recovered after its broker has.
SOON = 5
PREFIX = "test/box"


class Box(GenuineBox):
    def __init__(self, swiftlet, products, broker, *lines):
        place = self.folder()
        (place / "music").mkdir()
        tone(place / "music" / "long.flac", 300, 900, 'Long "Song"', 1, artist="Björk")
        tone(place / "music" / "other.flac", 200, 900, "Other", 2)
        super().__init__(swiftlet, products, [
            "set output.device null", f"set media.root {place}/music", f"set checkpoint.path {place}/state", "set mqtt.host 127.0.0.1",
            f"set mqtt.port {broker.port}", f"set mqtt.prefix {PREFIX}", 'set mqtt.name "Test box"', *lines], place=place)

    def standing(self):
        return self.ask("status").get("mqtt", "")

    def isConnected(self):
        return self.standing().startswith("connected")


def state(ear):
    return json.loads(ear.text(PREFIX + "/state") or "{}")


def isOnline(ear):
    return ear.text(PREFIX + "/availability") == "online"


def documents(ear, prefix="homeassistant"):
    return {topic: payload for topic, payload in list(ear.last.items()) if topic.startswith(prefix + "/") and topic.endswith("/config")}


def timed(what, until, seconds=LONG):
    """Waits for a condition, and returns how long it took."""
    begin = time.monotonic()
    isTrue = wait(until, seconds)
    check(what, isTrue)
    took = time.monotonic() - begin
    print(f"  {what}: {took:.1f} s", flush=True)
    return took if isTrue else float("inf")


def soon(what, until):
    """Waits for a condition that must become true within a few seconds."""
    took = timed(what, until)
    check(f"{what} within {SOON} s", took <= SOON, f"{took:.1f} s")


def answer(ear, command, **more):
    """The box's response to a command."""
    before = ear.count(PREFIX + "/answer")
    ear.publish(PREFIX + "/command", command, **more)
    check(f"{command!r:.60} is answered", wait(lambda: ear.count(PREFIX + "/answer") > before, LONG))
    return json.loads(ear.text(PREFIX + "/answer") or "{}")


def publishes(box, ear, broker):
    timed("online", lambda: isOnline(ear))
    check("state is there", wait(lambda: state(ear).get("state") == "idle", LONG), ear.last)
    found = documents(ear)
    check("documents are there", len(found) > 20, len(found))
    for topic, payload in found.items():
        document = json.loads(payload)
        # A tag is not an entity.
        names = {"topic", "device"} if topic.split("/")[1] == "tag" else {"name", "unique_id", "availability_topic", "device"}
        check(f"{topic} is complete", names <= set(document) and document["device"]["name"] == "Test box", document)
        for name in ("state_topic", "command_topic", "availability_topic"):
            if name in document:
                check(f"{topic}: {name}", document[name].startswith(PREFIX + "/"), document)
    box.tell("play")
    timed("the title is there", lambda: state(ear).get("title") == 'Long "Song"' and state(ear).get("state") == "playing")
    check("the artist is there", state(ear).get("artist") == "Björk", state(ear))
    box.tell("volume 37")
    timed("the volume is there", lambda: state(ear).get("volume") == 37)
    before = ear.count(PREFIX + "/position")
    check("the position comes by itself", wait(lambda: ear.count(PREFIX + "/position") > before, LONG))
    diagnostics = json.loads(ear.text(PREFIX + "/diagnostics") or "{}")
    check("diagnostics are there", diagnostics.get("xruns") is not None and diagnostics.get("started"), diagnostics)
    check("every document's value is in the state", all(
        json.loads(payload)["value_template"].split(".")[1].split(" ")[0] in json.loads(ear.text(json.loads(payload)["state_topic"]))
        for payload in found.values() if b"value_template" in payload and b"state_topic" in payload))
    check("a tag is answered", answer(ear, "tag swipe 0099").get("ok") is False)
    check("a tag is heard of", wait(lambda: '"0099"' in ear.text(PREFIX + "/tag"), LONG), ear.text(PREFIX + "/tag"))


def commands(box, ear, broker):
    check("volume 21", answer(ear, "volume 21").get("ok") is True)
    check("it is done", wait(lambda: box.ask("status").get("volume") == "21", LONG), box.ask("status"))
    for topic, payload in documents(ear).items():
        document = json.loads(payload)
        for name in ("payload_press", "payload_on"):
            if name in document:
                found = answer(ear, document[name])
                check(f"{topic}: {name}", found.get("ok") is True or "no" in found.get("error", ""), found)
    check("queue list", len(answer(ear, "queue list").get("rows", [])) == 2)
    for command in ("set mqtt.host off", "save", "shutdown", "nonsense", "volume 400", "", "play\nstop", "x" * 5000, b"\xff\xfe", "idle",
                    "format json", "watch", "show mqtt"):
        found = answer(ear, command)
        check(f"{command!r:.40} is refused", found.get("ok") is False and found.get("error"), found)
        time.sleep(0.15)
    before = ear.count(PREFIX + "/answer")
    ear.publish(PREFIX + "/command", "volume 99", retain=True)
    check("one that came while the box listened is done", wait(lambda: ear.count(PREFIX + "/answer") > before, LONG))
    box.tell("volume 20")
    os.kill(box.integration(), signal.SIGKILL)
    check("one that was kept is not", wait(lambda: "retained" in json.loads(ear.text(PREFIX + "/answer")).get("error", ""), LONG))
    check("nor has it an effect", box.ask("status").get("volume") == "20", box.ask("status"))
    # An empty retained message removes it; the box receives that, too.
    answer(ear, "", retain=True)


def limits(box, ear, broker):
    """Commands that the console refuses are also refused at the broker, for the same reason."""
    check("connected", wait(lambda: box.isConnected() and isOnline(ear), LONG))
    box.tell("set volume.maximum 40")
    check("a volume beyond the maximum", answer(ear, "volume 80").get("ok") == ("error" not in box.ask("volume 80")))
    check("is none", box.ask("status").get("volume") == "40", box.ask("status"))
    for step in range(5):
        answer(ear, "volume up")
    check("nor by steps", box.ask("status").get("volume") == "40", box.ask("status"))
    box.tell("unset volume.maximum")
    box.tell("set limits.tags-only on")
    for command in "play other.flac", "queue add other.flac", "play playlist:Evening":
        found, here = answer(ear, command), box.ask(command)
        check(f"'{command}' is left to tags", found.get("ok") is False and "only tags choose" in found.get("error", ""), found)
        check("as at the console", found.get("error") == here.get("error"), here)
        time.sleep(0.15)
    check("what plays may be paused", answer(ear, "pause").get("ok") is True)
    check("and continued", answer(ear, "play").get("ok") is True and wait(lambda: box.ask("status").get("state") == "playing", LONG))
    box.tell("unset limits.tags-only")
    # The whole day except for its last minute.
    box.tell("set limits.quiet-from 00:00")
    box.tell("set limits.quiet-to 23:59")
    if time.strftime("%H:%M") not in ("23:58", "23:59"):
        timed("quiet hours end the music", lambda: box.ask("status").get("state") not in ("playing", "fadingOut"))
        check("a home sees why", wait(lambda: state(ear).get("limit") == "quiet", LONG), state(ear))
        found, here = answer(ear, "play"), box.ask("play")
        check("and nobody begins it", found.get("ok") is False and "it is quiet until 23:59" in found.get("error", ""), found)
        check("nor at the console", found.get("error") == here.get("error"), here)
    box.tell("unset limits.quiet-from")
    box.tell("unset limits.quiet-to")
    check("until they are over", answer(ear, "play").get("ok") is True)


def presets(box, ear, broker):
    """A stored playlist is a button as long as it exists."""
    check("connected", wait(lambda: box.isConnected() and isOnline(ear), LONG))
    names = lambda: sorted(json.loads(text)["name"] for topic, text in documents(ear).items() if text and "/preset_" in topic)
    for name in "Evening", 'Küche "2"':
        box.tell(f"playlist add '{name}' other.flac")
    timed("they are there", lambda: names() == ["Evening", 'Küche "2"'])
    topic, text = next((topic, text) for topic, text in documents(ear).items() if text and "/preset_" in topic and "Küche" in text.decode())
    check("a press is done", answer(ear, json.loads(text)["payload_press"]).get("ok") is True)
    check("and plays it", wait(lambda: box.ask("status").get("title") == "Other", LONG), box.ask("status"))
    box.tell("playlist delete Evening")
    timed("one that is gone is gone", lambda: names() == ['Küche "2"'])
    box.tell("playlist delete 'Küche \"2\"'")
    timed("and the other", lambda: names() == [])
    box.tell("play long.flac")


def homeassistant(box, ear, broker):
    check("connected", wait(box.isConnected, LONG))
    time.sleep(1)
    topic = next(topic for topic in documents(ear) if "/volume/" in topic)
    before = ear.count(topic)
    ear.publish("homeassistant/status", "online")
    timed("documents come again", lambda: ear.count(topic) > before)
    box.tell("set mqtt.discovery elsewhere")
    timed("they are taken back", lambda: not any(documents(ear).values()))
    check("and are elsewhere", wait(lambda: len([one for one in documents(ear, "elsewhere").values() if one]) > 20, LONG))
    box.tell("set mqtt.discovery off")
    timed("they are taken back for good", lambda: not any(documents(ear, "elsewhere").values()))
    box.tell("unset mqtt.discovery")
    check("they are there again", wait(lambda: any(documents(ear).values()), LONG))


def home(box, ear, broker):
    """A real Home Assistant accepts all documents, shows the box's state, and controls it."""
    if not PYTHON.exists():
        return print("  NOT TRIED: Home Assistant is not there; scripts/bootstrap --mqtt installs it from PyPI")
    check("connected", wait(lambda: box.isConnected() and isOnline(ear), LONG))
    with Home(broker.folder, broker.port) as it:
        found = {topic: payload for topic, payload in documents(ear).items() if payload}
        node = next(iter(found)).split("/")[2]
        check("its schemas take every document", it.refused(found) == {}, it.refused(found))
        for what, document in spoilt(found).items():
            check(f"they refuse {what}", len(it.refused(document)) == 1, document)
        # A tag is not an entity.
        names = {json.loads(payload)["unique_id"].removeprefix(node + "_") for topic, payload in found.items() if topic.split("/")[1] != "tag"}
        timed("each is a thing of Home Assistant's", lambda: set(it.states()) == names)
        timed("which shows what the box does", lambda: it.states()["state"] == "playing" and it.states()["title"] == 'Long "Song"')
        shown = it.states()
        check("all of them are there", "unavailable" not in shown.values(), shown)
        check("counters are numbers", all(shown[name].isdigit() for name in ("xruns", "rewinds", "failed_tracks")), shown)
        check("the start is a time", shown["started"].startswith("20"), shown)
        check("this is the first power-on", shown["power_ons"] == "1", shown)
        for domain, service, key, data, field, value in (
                ("number", "set_value", "volume", dict(value=31), "volume", "31"),
                ("number", "set_value", "sleep", dict(value=20), "sleep-seconds", None),
                ("number", "set_value", "sleep", dict(value=0), "sleep-seconds", "gone"),
                ("select", "select_option", "sleep_after", dict(option="track"), "sleep-after", "track"),
                ("select", "select_option", "sleep_after", dict(option="off"), "sleep-after", "gone"),
                ("switch", "turn_on", "shuffle", {}, "shuffle", "yes"), ("switch", "turn_off", "shuffle", {}, "shuffle", "no"),
                ("select", "select_option", "repeat", dict(option="all"), "repeat", "all"),
                ("select", "select_option", "repeat", dict(option="off"), "repeat", "off"),
                ("button", "press", "pause", {}, "state", "paused"), ("button", "press", "play", {}, "state", "playing")):
            it.call(domain, service, node, key, **data)
            is_done = lambda: (box.ask("status").get(field, "gone") == value) if value else field in box.ask("status")
            check(f"{domain}.{service} {key} {data} comes to the box", wait(is_done, LONG), box.ask("status"))
        timed("and back", lambda: float(it.states()["volume"]) == 31 and it.states()["repeat"] == "off")
        answer(ear, "tag swipe 0042")
        check("a tag is scanned", wait(lambda: it.ask("tags") == ["0042"], LONG), it.ask("tags"))
        first = box.integration()
        os.kill(first, signal.SIGKILL)
        check("a box whose integration is gone is not available", wait(lambda: "unavailable" in it.states().values(), LONG), it.states())
        timed("one that is back is", lambda: box.integration() not in (0, first) and "unavailable" not in it.states().values())
        check("Home Assistant complains of nothing", it.ask("complaints") == [], it.ask("complaints"))


def restarts(box, ear, broker):
    """The broker is restarted without its retained messages."""
    check("connected", wait(box.isConnected, LONG))
    time.sleep(11)
    for turn in ("first", "second"):
        broker.kill()
        check("the box notices", wait(lambda: box.standing().startswith("no connection"), LONG), box.standing())
        time.sleep(5)
        ear.last.clear()
        broker.start()
        soon(f"all is there again, {turn} time", lambda: isOnline(ear) and state(ear).get("state") and len(documents(ear)) > 20)
    check("the box plays", box.ask("status").get("state") == "playing", box.ask("status"))


def passwords(box, ear, broker):
    users = broker.folder / "users"
    users.write_text("")
    os.system(f"mosquitto_passwd -b {users} box 'the right one'; mosquitto_passwd -b {users} ear heard")
    broker.kill()
    broker.start("allow_anonymous false", f"password_file {users}")
    check("nobody comes in without a name", wait(lambda: "mqtt.password" in box.standing(), LONG), box.standing())
    box.tell("set mqtt.user box")
    box.tell("set mqtt.password 'the wrong one'")
    check("a wrong password is said to be", wait(lambda: "mqtt.password" in box.standing(), LONG), box.standing())
    box.tell("set mqtt.password 'the right one'")
    soon("the right one is taken", box.isConnected)
    for line in ("show mqtt", "diff", "report with paths", "status", "show mqtt.password"):
        box.session.write(line + "\n")
        box.session.flush()
        text = ""
        while not text.splitlines() or not text.splitlines()[-1].startswith(("ok", "error")):
            text += box.session.readline()
        check(f"the password is not in '{line}'", "right one" not in text and "wrong one" not in text, text)
    check("nor in the log", "right one" not in box.log() and "wrong one" not in box.log(), box.log())
    command = pathlib.Path(f"/proc/{box.integration()}/cmdline").read_bytes()
    check("nor on a command line", b"right one" not in command, command)
    # The password is changed at the broker, too.
    os.system(f"mosquitto_passwd -b {users} box 'another one'")
    broker.kill()
    broker.start("allow_anonymous false", f"password_file {users}")
    check("it is wrong now", wait(lambda: "mqtt.password" in box.standing(), LONG), box.standing())
    os.system(f"mosquitto_passwd -b {users} box 'the right one'")
    broker.process.send_signal(signal.SIGHUP)
    soon("right again, by itself", box.isConnected)
    box.tell("unset mqtt.user")
    box.tell("unset mqtt.password")
    broker.kill()
    broker.start()


def secure(box, ear, broker):
    certificates(broker.folder)

    def start(name):
        broker.kill()
        broker.start("allow_anonymous true", f"cafile {broker.folder}/ca.pem", f"certfile {broker.folder}/{name}.pem",
                     f"keyfile {broker.folder}/broker.key")
    start("broker")
    box.tell("set mqtt.tls on")
    box.tell(f"set mqtt.ca {broker.folder}/other.pem")
    check("another authority's is refused", wait(lambda: "certificate" in box.standing(), LONG), box.standing())
    box.tell(f"set mqtt.ca {broker.folder}/ca.pem")
    soon("the right one's is taken", box.isConnected)
    other = Listener(broker.port, authority=broker.folder / "ca.pem")
    check("online over TLS", wait(lambda: isOnline(other) and state(other).get("state"), LONG))
    check("commands over TLS", answer(other, "volume 34").get("ok") is True)
    other.end()
    # By the same authority, for another name.
    start("elsewhere")
    check("another name's is refused", wait(lambda: "certificate" in box.standing(), LONG) and not box.isConnected(), box.standing())
    time.sleep(11)
    start("broker")
    soon("all right again over TLS", box.isConnected)
    box.tell("unset mqtt.tls")
    box.tell("unset mqtt.ca")
    broker.kill()
    broker.start()
    check("all right again without TLS", wait(lambda: box.isConnected() and ear.client.is_connected(), LONG), box.standing())


def handshakes(box, ear, broker):
    """The broker dies during the TLS handshake, at several of its bytes."""
    certificates(broker.folder)
    broker.kill()
    box.tell("set mqtt.tls on")
    box.tell(f"set mqtt.ca {broker.folder}/ca.pem")
    for resets, count in ((False, 60), (True, None), (True, 0), (True, 60), (True, 100_000)):
        name = f"{'reset' if resets else 'closed'} after {'nothing' if count is None else count}"
        dying = DyingBroker(broker.folder, broker.port, count, resets)
        spent = cpu(box.integration())
        took = timed(f"two attempts, {name}", lambda: dying.accepted >= 2, 20)
        spent = cpu(box.integration()) - spent
        # The integration waits 4 s at most between attempts, and 10 s for an answer.
        check(f"{name}: two attempts within 9 s", took < 9, f"{took:.1f} s")
        check(f"{name}: the integration waits", spent < 1, f"{spent:.1f} s of computing")
        dying.end()
    box.tell("unset mqtt.tls")
    box.tell("unset mqtt.ca")
    broker.start()
    soon("all right again", box.isConnected)


def rivals(box, ear, broker):
    """Another client uses the box's client id."""
    check("connected", wait(box.isConnected, LONG))
    name = next(iter(documents(ear))).split("/")[2].replace("swiftlet_", "swiftlet-")
    before = (broker.folder / "mosquitto.log").read_text().count(f" as {name} ")
    rival = Listener(broker.port, name)
    time.sleep(15)
    rival.end()
    came = (broker.folder / "mosquitto.log").read_text().count(f" as {name} ") - before
    print(f"  connections of box and rival within 15 s: {came}")
    check("they do not fight without end", came < 60, came)
    timed("the box is there when the rival is gone", lambda: box.isConnected() and isOnline(ear))


def deaths(box, ear, broker):
    """The integration is killed or stopped."""
    check("connected", wait(lambda: box.isConnected() and isOnline(ear), LONG))
    first = box.integration()
    os.kill(first, signal.SIGKILL)
    timed("offline by its will", lambda: ear.text(PREFIX + "/availability") == "offline" or box.integration() not in (0, first))
    timed("online by another one", lambda: isOnline(ear) and box.integration() not in (0, first) and box.isConnected())
    second = box.integration()
    os.kill(second, signal.SIGSTOP)
    timed("one that stands still is replaced", lambda: box.integration() not in (0, second), 120)
    timed("and online again", lambda: box.isConnected() and isOnline(ear))
    check("the box plays", box.ask("status").get("state") == "playing", box.ask("status"))


def flood(box, ear, broker):
    """A hundred thousand commands, and messages of megabytes."""
    check("connected", wait(box.isConnected, LONG))
    check("it plays", wait(lambda: box.ask("status").get("state") == "playing", LONG))
    before, xruns, rewinds = box.memory(), box.ask("stats").get("xruns"), box.ask("stats").get("rewinds")
    heard, heard_at = float(box.ask("status")["position"]), time.monotonic()
    ear.client.unsubscribe("#")
    pub = paho.Client()
    pub.max_queued_messages_set(0)
    pub.connect("127.0.0.1", broker.port)
    pub.loop_start()
    begin = time.monotonic()
    slowest = 0
    for number in range(100_000):
        info = pub.publish(PREFIX + "/command", "volume up" if number % 2 else "volume down")
        if number % 5000 == 0:
            asked = time.monotonic()
            box.ask("status")
            slowest = max(slowest, time.monotonic() - asked)
    info.wait_for_publish()
    check("the box answers beside it", box.ask("status").get("state") == "playing", box.ask("status"))
    print(f"  sent in {time.monotonic() - begin:.1f} s; slowest answer of the box {slowest * 1000:.0f} ms; "
          f"underruns {xruns} to {box.ask('stats').get('xruns')}; integration {before} KiB before, at most {box.memory('VmHWM')} KiB")
    check("the music has no underrun", box.ask("stats").get("xruns") == xruns, (xruns, box.ask("stats")))
    # Each change of the volume rewinds the queue; a lost frame would be a jump in the position.
    played, passed = float(box.ask("status")["position"]) - heard, time.monotonic() - heard_at
    check("nor a gap", abs(played - passed) < 0.5, (played, passed, rewinds, box.ask("stats").get("rewinds")))
    ear.client.subscribe("#")
    check("a command is taken afterwards", wait(lambda: answer(ear, "volume 44").get("ok") is True, LONG))
    check("the integration's memory is bounded", box.memory("VmHWM") - before < 32 * 1024, (before, box.memory("VmHWM")))
    for megabytes in (8, 100):
        pub.publish(PREFIX + "/command", b"x" * (megabytes << 20)).wait_for_publish()
        time.sleep(1)
        check(f"alive after {megabytes} MB", wait(lambda: box.isConnected(), LONG), box.standing())
        print(f"  after a message of {megabytes} MB: at most {box.memory('VmHWM')} KiB")
        check("bounded", box.memory("VmHWM") < 160 * 1024, box.memory("VmHWM"))
    pub.disconnect()
    pub.loop_stop()
    check("a command is taken after that", wait(lambda: answer(ear, "volume 45").get("ok") is True, LONG))


PARTS = (publishes, commands, limits, presets, homeassistant, home, restarts, passwords, secure, handshakes, rivals, deaths, flood)


def main():
    swiftlet, products, *names = sys.argv[1:]
    parts = chosen(PARTS, names)
    folder = GenuineBox.folder()
    broker = Broker(folder)
    broker.start()
    ear = Listener(broker.port)
    ear.client.reconnect_delay_set(1, 1)
    try:
        with Box(swiftlet, products, broker) as box:
            for part in parts:
                print(part.__name__ + ":", flush=True)
                if part is not publishes:
                    box.ask("play")
                failed = len(FAILURES)
                part(box, ear, broker)
                if len(FAILURES) > failed:
                    print(box.log())
        check("the box's end is known", wait(lambda: ear.text(PREFIX + "/availability") == "offline", LONG), ear.last.get(PREFIX + "/availability"))
    finally:
        ear.end()
        broker.kill()
        shutil.rmtree(folder, ignore_errors=True)
    if FAILURES:
        sys.exit(f"{len(FAILURES)} failed")
    print("all parts as they should be")


main()
