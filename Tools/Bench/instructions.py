# Instructions a second of audio, by callgrind: engine and worker while playing in real time to the paced
# null output, told apart into codec libraries and everything else.
#
# valgrind cannot run inside the worker's seccomp filter, so a stand-in for libseccomp (Unconfined.c) is put
# in front of it; the code that is counted is the shipped code. The difference between a long and a short file
# takes out what start-up and end cost.
import glob
import os
import re
import subprocess
import time

import processes

# Libraries that a bare decoder needs as well; libm is theirs, libc is not.
CODEC_LIBRARIES = re.compile(
    r"/lib(FLAC|vorbis|vorbisfile|ogg|opus|opusfile|mpg123|m)[.-]")
LIBC = re.compile(r"/libc[.-]")
RESAMPLER = re.compile(r"/libsoxr[.-]")


def build_stand_in(folder):
    os.makedirs(f"{folder}/unconfined", exist_ok=True)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wl,-soname,libseccomp.so.2", "-o",
                    f"{folder}/unconfined/libseccomp.so.2", f"{os.path.dirname(__file__)}/Unconfined.c"], check=True)
    return f"{folder}/unconfined"


def without_debugging(program, folder):
    """A copy of the program and of what lies beside it: Debian's valgrind cannot read clang's DWARF 5, and gives up."""
    os.makedirs(folder)
    for path in [program, *glob.glob(f"{os.path.dirname(program)}/libSwiftletCodec*.so")]:
        subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/{os.path.basename(path)}", path], check=True)
    return f"{folder}/{os.path.basename(program)}"


class Names:
    """The names of one kind in a callgrind dump, which writes each out where it comes first, and its number from then on."""

    def __init__(self):
        self._known = {}

    def read(self, text):
        number, _, name = text.strip().partition(" ")
        if name:
            self._known[number] = name
        return self._known.get(number, number)


def _by_object(path):
    """Cost of each object file in a callgrind dump: its own code and what it lets libc do for it."""
    objects, totals = Names(), {}
    current = called = "?"
    is_call = False

    with open(path, errors="replace") as file:
        for line in file:
            first = line[:1]
            if first.isdigit() or first in "+-*":
                cost = int(line.split()[1])
                if not is_call:
                    totals[current] = totals.get(current, 0) + cost
                elif LIBC.search(called) and not LIBC.search(current):
                    totals[current] = totals.get(current, 0) + cost
                    totals[called] = totals.get(called, 0) - cost
                is_call = False
            elif line.startswith("ob="):
                current = objects.read(line[3:])
            elif line.startswith("fn="):
                called = current
            elif line.startswith("cob="):
                called = objects.read(line[4:])
            elif line.startswith("calls="):
                is_call = True
                continue
            if not is_call and (first.isdigit() or first in "+-*"):
                # A callee without an object of its own is in the caller's.
                called = current
    return totals


def command(folder, library_path=None):
    """What to put before a command so that it is counted, and its environment; `collected` has the result."""
    env = dict(os.environ)
    if library_path:
        env["LD_LIBRARY_PATH"] = library_path
    return ["nice", "-n", str(-os.getpriority(os.PRIO_PROCESS, 0)), "valgrind", "-q", "--tool=callgrind",
            "--trace-children=yes", f"--callgrind-out-file={folder}/out.%p"], env


def start(words, folder, library_path=None):
    """Begins to count a command; `finish` has the result."""
    os.makedirs(folder, exist_ok=True)
    before, env = command(folder, library_path)
    return subprocess.Popen(before + words, env=env, **processes.QUIET), folder


def finish(started, only=""):
    """Instructions of each object file, all processes together whose command line contains a text."""
    child, folder = started
    try:
        child.wait(120)
    except subprocess.TimeoutExpired:
        child.kill()
    if child.wait() != 0:
        raise RuntimeError(f"valgrind: exit status {child.returncode}")
    end = time.monotonic() + 5
    while time.monotonic() < end and any(os.path.getsize(p) == 0 for p in glob.glob(f"{folder}/out.*")):
        time.sleep(0.05)
    return collected(folder, only)


def collected(folder, only=""):
    """Instructions of each object file from the dumps in a folder."""
    totals = {}
    for path in glob.glob(f"{folder}/out.*"):
        with open(path, errors="replace") as file:
            command = next((line for line in file if line.startswith("cmd: ")), "")
        if only not in command:
            continue
        for name, count in _by_object(path).items():
            totals[name] = totals.get(name, 0) + count
    return totals


def split(long, short, seconds):
    """Million instructions a second of audio: (codec libraries, resampler, everything else)."""
    codec = resampler = rest = 0
    for name in set(long) | set(short):
        count = (long.get(name, 0) - short.get(name, 0)) / seconds / 1e6
        if CODEC_LIBRARIES.search(name):
            codec += count
        elif RESAMPLER.search(name):
            resampler += count
        else:
            rest += count
    return codec, resampler, rest
