# Lists the functions that a box with all options off executes, in their order for linking, so that they share few
# pages. Started by scripts/order-functions.
import argparse
import glob
import os
import sys

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
PROGRAM = f"{ROOT}/.embedded/release/swiftlet"
LIST = f"{ROOT}/Tools/EmbeddedRuntime/function-order.txt"

import counted
import traced
from symbols import FRAGMENT, is_fragment, sizes

# Modules whose code the audio thread may run. All of it is kept together and resident, executed or not, because the
# audio thread must not wait for a page fault.
AUDIO = ("$e13RealtimeAudio", "$e9AudioRing", "$e7Outputs")
# Roles of processes, smallest first. Functions are grouped by the set of roles that run them, in this order.
ROLES = ["worker", "store", "lookup", "play", "run"]


def ordered(roles, known):
    """Returns the names in link order: functions with roles, all functions of the audio thread's modules, and all
    outlined fragments.
    """
    names = [name for name in {*roles, *known} if (name in roles or name.startswith(AUDIO)) and not is_fragment(name)]

    def place(name):
        # The audio thread's modules come between the workers' functions and the rest of the engine's.
        ran = {"play"} if name.startswith(AUDIO) else roles[name]
        return [one not in ran for one in ROLES], not name.startswith(AUDIO), name

    fragments = [name for name in known if is_fragment(name)]
    return sorted(names, key=place) + sorted(fragments, key=lambda name: int(name[len(FRAGMENT):].split(".")[0]))


def write(board_program):
    known, known_on_board = sizes(PROGRAM), sizes(board_program)
    # callgrind shows functions without a name by address.
    roles = {name: ran for name, ran in counted.functions(PROGRAM).items() if name in known}
    if set(ROLES) - set().union(*roles.values()):
        raise RuntimeError("not every kind of process was seen to run")
    board = traced.functions(board_program, f"{ROOT}/.board/emulated")
    if len(board) < 1000:
        raise RuntimeError("next to nothing was traced on the board")
    for name in board:
        roles.setdefault(name, {"run"})
    names = ordered(roles, {**known_on_board, **known})
    with open(LIST, "w") as file:
        file.write("".join(f"{name}\n" for name in names))
    for label, table in (("amd64", known), ("arm64", known_on_board)):
        size = sum(table.get(name, 0) for name in names)
        print(f"{label}: {sum(name in table for name in names)} functions, {size // 1024} KiB of {sum(table.values()) // 1024}")


def check():
    with open(LIST) as file:
        names = [name for name in file.read().split() if not is_fragment(name)]
    known = sizes(PROGRAM)
    present = sum(name in known for name in names)
    print(f"{present} of {len(names)} listed functions are in the program")
    if present < 0.8 * len(names):
        sys.exit("order-functions: too few; write the list anew with scripts/order-functions")


parser = argparse.ArgumentParser(prog="scripts/order-functions")
parser.add_argument("--check", action="store_true", help="say how many of the listed functions the program still has")
if parser.parse_args().check:
    check()
else:
    write(max(glob.glob(f"{ROOT}/.board/*/arm64/build/*/release/swiftlet"), key=os.path.getmtime))
