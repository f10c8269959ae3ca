# Finds the functions that each process of the program executes on this host, by running a box on the virtual card and
# `swiftlet play` under callgrind.
import contextlib
import glob
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
sys.path.insert(0, f"{ROOT}/Tools/Bench")

import box
import everyday
import instructions
import measures

# Commands sent to the box, one per second. Some have no effect in the state that the box is in by then.
ASKED = ["play", "seek 0:08", "", "", "pause", "play", "", "volume 60", "next", "seek 50%", "", "", "", "previous", "next", "next",
         "", "", "stop", "play", "", "next", "status", "queue", ""]


def role(command):
    """Returns the role of a process by its command line: `run`, `play`, `worker`, `store` …"""
    words = command.split()
    return words[words.index(next(word for word in words if word.endswith("swiftlet"))) + 1]


def executed(path):
    """Returns the role of the process that wrote a callgrind dump, and the program's functions that it executed."""
    objects, names, found = instructions.Names(), instructions.Names(), set()
    command = current = ""

    with open(path, errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if line.startswith("cmd: "):
                command = line[5:]
            elif key == "ob":
                current = objects.read(value)
            elif key == "cob":
                objects.read(value)
            elif key == "cfn":
                names.read(value)
            elif key == "fn":
                name = names.read(value)
                if current.endswith("/swiftlet"):
                    # callgrind counts each recursion depth of a function separately, as NAME'DEPTH.
                    found.add(name.split("'")[0])
    return role(command), found


def use(bench, program, stand_in, place):
    """Uses a box in typical ways, twice so that it also resumes from a checkpoint, and plays files without a box."""
    files = list(bench.files(12).values())
    for number in range(2):
        os.makedirs(f"{place}/run-{number}")
        card = bench.card()
        command, env = instructions.command(f"{place}/run-{number}", stand_in)
        one = box.Box(program, f"{place}/box", card, bench.music, prefix=command, env={**card.env, **env},
                      settings=["set fade.length 2"])
        if number == 0:
            one.ask("play " + os.path.basename(files[0]), timeout=60)
            for path in files[1:]:
                one.ask("queue add " + os.path.basename(path))
        for words in ASKED:
            with contextlib.suppress(RuntimeError):
                if words:
                    one.ask(words, timeout=60)
            one.press()
            time.sleep(0.5)
            one.press()
            time.sleep(0.5)
        everyday.ended(one.live.child)
    for path in files:
        card = bench.card()
        folder = f"{place}/play-{os.path.basename(path)}"
        os.makedirs(folder)
        command, env = instructions.command(folder, stand_in)
        words = ["play", "--device", "default", "--crossfade", "2", "--start-at", "9", path, bench.second(path)]
        subprocess.run([*command, program, *words], env={**card.env, **env}, check=True, timeout=120,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def functions(program):
    """Returns the functions that were executed, each with the roles of the processes that executed it."""
    roles = {}
    with tempfile.TemporaryDirectory(prefix="swiftlet-order-") as work:
        bench = measures.Bench(ROOT, work, True)
        stand_in = instructions.build_stand_in(work)
        use(bench, instructions.without_debugging(program, f"{work}/program"), stand_in, f"{work}/counted")
        for path in glob.glob(f"{work}/counted/*/out.*"):
            one, names = executed(path)
            for name in names:
                roles.setdefault(name, set()).add(one)
    return roles
