"""The scenarios, in the order in which they run. A scenario is a module with `TITLE` and `run(box, note)`, named
after the module.

It starts with the box stopped, an empty queue, full volume and default fades.
"""

import importlib
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    run: Callable


def load(name: str) -> Scenario:
    module = importlib.import_module(f"scenarios.{name.replace('-', '_')}")
    return Scenario(name, module.TITLE, module.run)


SCENARIOS = [
    load(name)
    for name in (
        "play",
        "pause",
        "next",
        "seek",
        "long-press",
        "chord",
        "safe-start",
        "knob",
        "panel",
        "usb-keyboard",
        "crossfade",
        "codecs",
        "error-file",
        "light",
        "deep-buffer",
        "power-cut",
        "short-buffer",
        "usb-card",
    )
]
