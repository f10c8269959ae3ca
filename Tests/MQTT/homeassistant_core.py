"""Home Assistant's own core with its MQTT integration only: what a box's documents become in Home Assistant.

Runs in the environment of requirements.txt: homeassistant_core.py PORT. Reads lines of JSON, and answers each with one:
  {"judge": {TOPIC: TEXT}}                  which of these documents are rejected, and why
  {"states": 1}                             the states of the entities, by unique id
  {"call": [DOMAIN, SERVICE, ID, {DATA}]}   calls a service for an entity
  {"complaints": 1}                         logged warnings and errors
  {"tags": 1}                               the tags that were scanned
"""
import asyncio, importlib, json, logging, pathlib, sys, tempfile
import voluptuous
from homeassistant import config_entries, core, loader
from homeassistant.components import mqtt, websocket_api
from homeassistant.components.mqtt import discovery
from homeassistant.helpers import (
    area_registry, device_registry, entity, entity_registry, floor_registry, issue_registry, label_registry, restore_state, translation)
from homeassistant.setup import async_setup_component
from homeassistant.util.json import json_loads_object

PLATFORMS = ("button", "event", "number", "select", "sensor", "switch", "tag")


def refusal(topic, text):
    """The reason why Home Assistant rejects a document or ignores a part of it; None if it does neither."""
    place = discovery.TOPIC_MATCHER.match(topic.split("/", 1)[1])
    if not place or place[1] not in PLATFORMS:
        return "no topic of a document"
    try:
        document = json_loads_object(text)
        origin = document.pop("origin")
        discovery.MQTT_ORIGIN_INFO_SCHEMA(origin)
        schema = importlib.import_module(f"homeassistant.components.mqtt.{place[1]}").DISCOVERY_SCHEMA
        known = schema(json_loads_object(text))
    except (voluptuous.Invalid, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    left = set(document) - set(known)
    return f"it does not know {sorted(left)}" if left else None


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(f"{record.name}: {record.getMessage()}")


async def home(folder):
    """A started Home Assistant without frontend and accounts."""
    (folder / "configuration.yaml").write_text("")
    hass = core.HomeAssistant(str(folder))
    hass.config.skip_pip = True
    hass.set_state(core.CoreState.running)
    loader.async_setup(hass)
    translation.async_setup(hass)
    entity.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await hass.config_entries.async_initialize()
    for registry in area_registry, device_registry, entity_registry, floor_registry, issue_registry, label_registry:
        await registry.async_load(hass)
    await restore_state.async_load(hass)
    for name in "auth", "file_upload", "http", "network", "websocket_api":
        hass.config.components.add(name)
    websocket_api.async_register_command = lambda *_, **__: None
    mqtt.PLATFORMS = [name for name in PLATFORMS if name != "tag"]
    await async_setup_component(hass, "tag", {})
    return hass


async def join(hass, port):
    """Connects it to a broker, like its settings page."""
    entry = config_entries.ConfigEntry(
        version=1, minor_version=1, domain="mqtt", title="broker", source="user",
        data={"broker": "127.0.0.1", "port": port, "discovery": True})
    hass.config_entries._entries[entry.entry_id] = entry
    if not await hass.config_entries.async_setup(entry.entry_id):
        raise SystemExit("Home Assistant does not set its MQTT integration up")


class Answers:
    def __init__(self, hass, complaints):
        self.hass, self.complaints, self.scanned = hass, complaints, []
        hass.bus.async_listen("tag_scanned", lambda event: self.scanned.append(event.data["tag_id"]))

    def entities(self):
        return entity_registry.async_get(self.hass).entities.values()

    async def judge(self, documents):
        found = {topic: refusal(topic, text) for topic, text in documents.items()}
        return {topic: why for topic, why in found.items() if why}

    async def states(self, _):
        found = {one.unique_id: self.hass.states.get(one.entity_id) for one in self.entities()}
        return {name: state.state for name, state in found.items() if state}

    async def call(self, words):
        domain, service, name, data = words
        target = next(one.entity_id for one in self.entities() if one.unique_id == name)
        await self.hass.services.async_call(domain, service, {"entity_id": target, **data}, blocking=True)
        return True

    async def complaints_so_far(self, _):
        return self.complaints.lines

    async def tags(self, _):
        return self.scanned


async def main(port):
    complaints = Complaints()
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger().addHandler(complaints)
    with tempfile.TemporaryDirectory(prefix="swiftlet-home-") as folder:
        hass = await home(pathlib.Path(folder))
        await join(hass, port)
        answers = Answers(hass, complaints)
        does = dict(judge=answers.judge, states=answers.states, call=answers.call, tags=answers.tags,
                    complaints=answers.complaints_so_far)
        while line := await hass.loop.run_in_executor(None, sys.stdin.readline):
            (word, argument), = json.loads(line).items()
            print(json.dumps(await does[word](argument)), flush=True)
        await hass.async_stop(force=True)


asyncio.run(main(int(sys.argv[1])))
