# Finds the program's functions that are executed on the emulated board, from QEMU's log of translated code. Covers
# buttons, lights and consoles, which the virtual card does not have.
import bisect
import glob
import os
import struct
import subprocess
import sys

from symbols import functions as listed

sys.path.append(f"{os.path.dirname(__file__)}/../../boards/emulated/harness")

import tracing


class Code:
    """The instructions of a program, by address."""

    def __init__(self, program):
        with open(program, "rb") as file:
            self.bytes = file.read()
        headers = subprocess.run(["readelf", "--wide", "--segments", program], capture_output=True, text=True, check=True)
        rows = [line.split() for line in headers.stdout.splitlines()]
        self.segments = [(int(row[2], 16), int(row[1], 16), int(row[4], 16)) for row in rows if row[:1] == ["LOAD"]]

    def word(self, address):
        for begin, offset, length in self.segments:
            if begin <= address < begin + length:
                return struct.unpack_from("<I", self.bytes, offset + address - begin)[0]
        return None


def stretches(path):
    """Yields lists of (address, instruction) that QEMU translated as one block."""
    stretch = []
    with open(path, errors="replace") as file:
        for line in file:
            if line.startswith("0x"):
                address, word = line.split()[:2]
                stretch.append((int(address.rstrip(":"), 16) - tracing.BASE, int(word, 16)))
            elif stretch:
                yield stretch
                stretch = []


def functions(program, folder):
    """Returns the program's functions that were executed in any boot of the board.

    Other programs are loaded at the same addresses; blocks that differ from this program's instructions are theirs.
    """
    code, known = Code(program), listed(program)
    starts = [address for address, _, _ in known]
    found = set()
    for path in glob.glob(f"{folder}/boot-*/{tracing.LOG}"):
        for stretch in stretches(path):
            if any(code.word(address) != word for address, word in stretch):
                continue
            place = bisect.bisect_right(starts, stretch[0][0]) - 1
            if place >= 0 and stretch[0][0] < known[place][0] + known[place][1]:
                found.add(known[place][2])
    return found
