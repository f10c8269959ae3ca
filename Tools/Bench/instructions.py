# Counts instructions per second of audio with callgrind, while engine and worker play in real time to the null
# output, divided into codec libraries, resampler and everything else.
#
# valgrind cannot run inside the worker's seccomp filter, so a replacement for libseccomp (Unconfined.c) is loaded;
# the counted code is the code that ships. The difference between a long and a short file excludes the cost of start
# and end.
import glob
import os
import re
import subprocess
import time

import processes

# Libraries that a bare decoder needs, too. libm is used by them mostly; libc is not counted as theirs.
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
    """Copies the program and its plugins without debug information.

    Debian's valgrind cannot read clang's DWARF 5 and gives up.
    """
    os.makedirs(folder)
    for path in [program, *glob.glob(f"{os.path.dirname(program)}/libSwiftletCodec*.so")]:
        subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/{os.path.basename(path)}", path], check=True)
    return f"{folder}/{os.path.basename(program)}"


class Names:
    """Names of one kind in a callgrind dump, which writes a name in full once and only its number afterwards."""

    def __init__(self):
        self._known = {}

    def read(self, text):
        number, _, name = text.strip().partition(" ")
        if name:
            self._known[number] = name
        return self._known.get(number, number)


def _by_object(path):
    """Returns the cost of each object file in a callgrind dump, including its calls into libc."""
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
                # A callee without an object of its own belongs to the caller's.
                called = current
    return totals


def command(folder, library_path=None):
    """Returns the command prefix that counts a command's instructions, and the environment for it.

    `collected` reads the result.
    """
    env = dict(os.environ)
    if library_path:
        env["LD_LIBRARY_PATH"] = library_path
    return ["nice", "-n", str(-os.getpriority(os.PRIO_PROCESS, 0)), "valgrind", "-q", "--tool=callgrind",
            "--trace-children=yes", f"--callgrind-out-file={folder}/out.%p"], env


def start(words, folder, library_path=None):
    """Starts a command and counts its instructions; `finish` returns the result."""
    os.makedirs(folder, exist_ok=True)
    before, env = command(folder, library_path)
    return subprocess.Popen(before + words, env=env, **processes.QUIET), folder


def finish(started, only=""):
    """Waits for the command and returns the instructions per object file.

    Sums up all processes whose command line contains `only`.
    """
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
    """Returns the instructions per object file from the dumps in a folder."""
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
    """Returns million instructions per second of audio as (codec libraries, resampler, everything else)."""
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
