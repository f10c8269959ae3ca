"""Runs a test command that depends on real time, and repeats it up to twice if it fails while the host withholds CPU
time from it.

  python3 Tools/HostWatch/repeat.py COMMAND [ARGUMENT...]

A failure on a host that provided enough CPU time counts immediately; a repetition is reported. The host withholds CPU
time if this process wakes more than 20 ms late, or if a thread of the command was runnable without running for more
than 100 ms within a second (/proc/PID/schedstat). `Tests/RealTimeSupport` does this for single tests.
"""

import os
import subprocess
import sys
import time

MAX_ATTEMPTS = 3
MAX_LATE = 0.020
MAX_WAIT = 0.100
PERIOD = 0.010


def waits(process, found):
    """Adds the seconds that each thread of a process and its descendants has waited for a CPU to `found`, by thread."""
    folder = f"/proc/{process}/task"
    try:
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/schedstat") as file:
                found[thread] = int(file.read().split()[1]) / 1e9
            with open(f"{folder}/{thread}/children") as file:
                for child in file.read().split():
                    waits(child, found)
    except (OSError, IndexError):
        pass  # The process has ended.
    return found


def run(command):
    """Runs the command; returns its status, and how the host withheld CPU time, or None."""
    process = subprocess.Popen(command, env={**os.environ, "SWIFTLET_HOST_IS_WATCHED": "1"})
    sign, before, looked = None, {}, time.monotonic()
    while process.poll() is None:
        due = time.monotonic() + PERIOD
        time.sleep(PERIOD)
        late = time.monotonic() - due
        if late > MAX_LATE:
            sign = f"a wake-up came {late * 1000:.0f} ms late"
        if time.monotonic() - looked > 1:
            looked = time.monotonic()
            now = waits(process.pid, {})
            longest = max((now[thread] - before.get(thread, 0) for thread in now), default=0)
            if longest > MAX_WAIT:
                sign = f"a thread waited {longest * 1000:.0f} ms of a second for a processor"
            before = now
    return process.returncode, sign


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        status, sign = run(command)
        if status == 0 or sign is None or attempt == MAX_ATTEMPTS:
            break
        print(f"RUNS AGAIN: {' '.join(command)}: it failed, and {sign}", flush=True)
    sys.exit(status if status >= 0 else 128 - status)


main()
