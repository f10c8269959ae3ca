"""The scenarios under systemd, in the order in which they run. A scenario is a module with `TITLE` and `run(board,
note)`, named after the module.

It starts with the package installed and the service running, unless the module has `NEEDS = "nothing"`, or
`"cloud-init"`, which only the disk of Debian 13 has.
"""

import importlib
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    needs: str
    run: Callable

    @property
    def needs_box(self) -> bool:
        return self.needs == "box"


def load(name: str) -> Scenario:
    module = importlib.import_module(f"scenarios.{name.replace('-', '_')}")
    return Scenario(name, module.TITLE, getattr(module, "NEEDS", "box"), module.run)


SCENARIOS = [
    load(name)
    for name in (
        "install",
        "rights",
        "control",
        "crash",
        "watchdog",
        "stick",
        "stick-pulled",
        "upgrade",
        "reboot",
        "button",
        "poweroff",
        "purge",
        "page",
        "receivers",
        "card",
        "cloud",
    )
]
