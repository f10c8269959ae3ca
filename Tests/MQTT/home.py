"""A real Home Assistant at the broker: its core and its MQTT integration, in a separate process and environment."""
import json, pathlib, subprocess

PLACE = pathlib.Path(__file__).resolve().parent
PYTHON = PLACE.parent.parent / ".homeassistant/bin/python"


class Home:
    """`with` ends it."""

    def __init__(self, folder, port):
        self.log = open(pathlib.Path(folder) / "homeassistant.log", "w+")
        self.process = subprocess.Popen(
            [PYTHON, PLACE / "homeassistant_core.py", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.log.close()

    def ask(self, word, argument=1):
        self.process.stdin.write(json.dumps({word: argument}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.log.seek(0)
            raise SystemExit(f"Home Assistant has ended: {self.log.read()[-3000:]}")
        return json.loads(answer)

    def refused(self, documents):
        """The documents, by topic, that its schemas reject or do not know, with the reasons."""
        return self.ask("judge", {topic: text.decode() for topic, text in documents.items()})

    def states(self):
        """The states of the entities, by the part of their unique ids behind the box's name."""
        return {name.split("_", 2)[2]: state for name, state in self.ask("states").items() if name.startswith("swiftlet_")}

    def call(self, domain, service, node, key, **data):
        self.ask("call", [domain, service, f"{node}_{key}", data])


def spoilt(documents):
    """Documents like a box's, each with one error that Home Assistant rejects, by the kind of error."""
    def one(component, change):
        topic, text = next((topic, text) for topic, text in documents.items() if topic.split("/")[1] == component)
        document = json.loads(text)
        change(document)
        return {topic: json.dumps(document).encode()}
    put = lambda name, value: lambda document: document.update({name: value})
    return {
        "a name that it does not know": one("sensor", put("state_topik", "a")),
        "a missing topic": one("sensor", lambda document: document.pop("state_topic")),
        "a command for many": one("button", put("command_topic", "box/#")),
        "a template that is none": one("sensor", put("value_template", "{{ value_json.")),
        "a class of states that is none": one("sensor", put("state_class", "sometimes")),
        "a class of devices that is none": one("sensor", put("device_class", "song")),
        "an icon of no family": one("button", put("icon", "speaker")),
        "a category that is none": one("button", put("entity_category", "other")),
        "a device without identity": one("button", put("device", {"name": "Box"})),
        "a range upside down": one("number", put("max", -1)),
        "a mode that is none": one("number", put("mode", "knob")),
        "a choice of nothing": one("select", lambda document: document.pop("options")),
        "an event of no kind": one("event", lambda document: document.pop("event_types")),
        "a switch without commands": one("switch", lambda document: document.pop("command_topic")),
        "a tag with a picture": one("tag", put("icon", "mdi:nfc")),
        "no word of who says so": one("tag", lambda document: document.pop("origin")),
    }
