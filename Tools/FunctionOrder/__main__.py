# Writes down which functions of the Embedded program a box runs with everything switched off, in the order in which they
# are to lie. Started by scripts/order-functions.
import argparse
import glob
import os
import shutil
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

PROGRAM = f"{ROOT}/.embedded/release/swiftlet"
LIST = f"{ROOT}/Tools/EmbeddedRuntime/function-order.txt"
# What the compiler takes out of functions because it occurs more than once has numbers in place of names.
FRAGMENT = "OUTLINED_FUNCTION_"


def symbols(program):
    """The functions that a program has, with their sizes."""
    listing = subprocess.run(["nm", "--defined-only", "--print-size", program], capture_output=True, text=True, check=True)
    words = [line.split() for line in listing.stdout.splitlines()]
    return {word[3]: int(word[1], 16) for word in words if len(word) == 4 and word[2] in "tTwW"}


def role(command):
    """What a process of the program is for: `run`, `play`, `worker`, `store` …"""
    words = command.split()
    return words[words.index(next(word for word in words if word.endswith("swiftlet"))) + 1]


def executed(path):
    """The role of the process that wrote a callgrind dump, and the names of the program's functions that it ran."""
    objects, names, found = {}, {}, set()
    command = current = ""

    def named(table, text):
        number, _, name = text.strip().partition(" ")
        if name:
            table[number] = name
        return table.get(number, number)

    with open(path, errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if line.startswith("cmd: "):
                command = line[5:]
            elif key == "ob":
                current = named(objects, value)
            elif key == "cob":
                named(objects, value)
            elif key == "cfn":
                named(names, value)
            elif key == "fn":
                name = named(names, value)
                if current.endswith("/swiftlet"):
                    # Of a function that calls itself each depth is counted apart.
                    found.add(name.split("'")[0])
    return role(command), found


def use(bench, program, stand_in, place):
    """Does with a box what people do, twice, so that it also begins with what it remembers; and plays without one."""
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
        for line in ("seek 0:08", "", "", "pause", "play", "", "volume 60", "next", "seek 50%", "", "", "", "previous", "next",
                     "next", "", "", "stop", "play", "", "next", "status", "queue", ""):
            if line:
                one.ask(line, timeout=60)
            one.press()
            time.sleep(0.5)
            one.press()
            time.sleep(0.5)
        everyday.ended(one.live.child)
    for path in files:
        second = f"{bench.music}/second-{os.path.basename(path)}"
        shutil.copy(path, second)
        card = bench.card()
        os.makedirs(f"{place}/play-{os.path.basename(path)}")
        command, env = instructions.command(f"{place}/play-{os.path.basename(path)}", stand_in)
        subprocess.run([*command, program, "play", "--device", "default", "--crossfade", "2", "--start-at", "9", path, second],
                       env={**card.env, **env}, check=True, timeout=120, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# What the audio thread may come to run lies together and is in memory, whether this box ran it or not: it may not wait for a page.
AUDIO = ("$e13RealtimeAudio", "$e9AudioRing", "$e7Outputs")
# The smallest processes first: what each of them runs lies together, but for what one before it runs, too.
ROLES = ["worker", "store", "lookup", "play", "run"]


def ordered(roles, known):
    """The names in their order."""
    names = [name for name in known if (name in roles or name.startswith(AUDIO)) and not name.startswith(FRAGMENT)]

    def place(name):
        # Those of the audio thread between what workers run and what the engine runs besides.
        ran = {"play"} if name.startswith(AUDIO) else roles[name]
        return [one not in ran for one in ROLES], not name.startswith(AUDIO), name

    fragments = [name for name in known if name.startswith(FRAGMENT)]
    return sorted(names, key=place) + sorted(fragments, key=lambda name: int(name[len(FRAGMENT):].split(".")[0]))


def write():
    known = symbols(PROGRAM)
    roles = {}
    with tempfile.TemporaryDirectory(prefix="swiftlet-order-") as work:
        bench = measures.Bench(ROOT, work, True)
        stand_in = instructions.build_stand_in(f"{ROOT}/Tools/Bench/Unconfined.c", work)
        program = instructions.without_debugging(PROGRAM, f"{work}/program")
        use(bench, program, stand_in, f"{work}/counted")
        for path in glob.glob(f"{work}/counted/*/out.*"):
            one, names = executed(path)
            for name in names:
                roles.setdefault(name, set()).add(one)
    if set(ROLES) - set().union(*roles.values()):
        raise RuntimeError("not every kind of process was seen to run")
    names = ordered(roles, known)
    with open(LIST, "w") as file:
        file.write("".join(f"{name}\n" for name in names))
    print(f"{len(names)} names, {sum(known[name] for name in names) // 1024} KiB of {sum(known.values()) // 1024}: {LIST}")
    for one in sorted(set().union(*roles.values())):
        size = sum(known.get(name, 0) for name in roles if one in roles[name])
        print(f"  {one}: {size // 1024} KiB")


def check():
    with open(LIST) as file:
        names = [name for name in file.read().split() if not name.startswith(FRAGMENT)]
    known = symbols(PROGRAM)
    present = sum(name in known for name in names)
    print(f"{present} of {len(names)} listed functions are in the program")
    if present < 0.8 * len(names):
        sys.exit("order-functions: too few; write the list anew with scripts/order-functions")


parser = argparse.ArgumentParser(prog="scripts/order-functions")
parser.add_argument("--check", action="store_true", help="say how many of the listed functions the program still has")
check() if parser.parse_args().check else write()
