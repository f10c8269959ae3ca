# Starts processes and reads their CPU time, memory and context switches from the kernel.
import collections
import glob
import mmap
import os
import pty
import signal
import subprocess
import time

QUIET = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def spent(words, env=None):
    """Returns (CPU seconds of a command and its children, elapsed seconds)."""
    start = time.monotonic()
    child = subprocess.Popen(words, env=env, **QUIET)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def cpu(pid):
    """Returns the CPU seconds of a running process, including threads that have ended."""
    return time.clock_gettime((~pid) << 3 | 2)


def cpu_of_family(pid):
    """Returns the CPU seconds of a process and its children."""
    total = 0
    for one in family(pid):
        try:
            total += cpu(one)
        except OSError:
            pass
    return total


def family(pid):
    """Returns the pids of a process and its children."""
    pids = [pid]
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path) as file:
                pids += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return pids


def anonymous(pid):
    """Returns the anonymous memory (MB) of a process and its children: heap, stacks, rings and written data."""
    own = 0
    for one in family(pid):
        try:
            with open(f"/proc/{one}/smaps_rollup") as file:
                own += sum(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))
        except OSError:
            continue
    return own * 1024 / 1e6


def memory(pid):
    """Returns the memory (MB) of a process and its children: PSS, and private pages, each counted once."""
    pids = family(pid)
    pss = 0
    for one in pids:
        try:
            with open(f"/proc/{one}/smaps_rollup") as file:
                fields = dict(line.split(":") for line in file.read().splitlines()[1:])
        except OSError:
            continue
        pss += int(fields["Pss"].split()[0]) * 1024
    mapped = collections.Counter()
    for one in pids:
        mapped.update(_frames(one))
    own = 0
    with open("/proc/kpagecount", "rb", buffering=0) as counts:
        for frame, ours in mapped.items():
            counts.seek(frame * 8)
            own += 0 < int.from_bytes(counts.read(8), "little") <= ours
    return pss / 1e6, own * mmap.PAGESIZE / 1e6


def _frames(pid):
    """Yields the page frames that a process maps, once per mapping."""
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pages:
            for line in maps:
                first, last = (int(word, 16) // mmap.PAGESIZE for word in line.split()[0].split("-"))
                # The kernel's own pages at the end of the address space have no entry.
                if first >= 1 << 51:
                    continue
                pages.seek(first * 8)
                entries = pages.read((last - first) * 8)
                for place in range(0, len(entries), 8):
                    entry = int.from_bytes(entries[place:place + 8], "little")
                    # Bit 63: present; the low 55 bits are the frame's number.
                    if entry >> 63:
                        yield entry & (1 << 55) - 1
    except OSError:
        return


def switches(pid):
    """Returns the voluntary context switches of all threads of a process and its children, which count wake-ups."""
    total = 0
    for one in family(pid):
        for path in glob.glob(f"/proc/{one}/task/*/status"):
            try:
                with open(path) as file:
                    for line in file:
                        if line.startswith("voluntary_ctxt_switches"):
                            total += int(line.split()[1])
            except OSError:
                pass
    return total


class Live:
    """A running player, ended when the `with` block ends."""

    def __init__(self, words, env=None, terminal=False):
        self.keys = None
        streams = dict(QUIET)
        if terminal:
            self.keys, theirs = pty.openpty()
            streams = dict(stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
        self.started = time.monotonic_ns()
        self.child = subprocess.Popen(words, env=env, start_new_session=True, **streams)
        self.pid = self.child.pid
        if terminal:
            os.close(theirs)
            os.set_blocking(self.keys, False)

    def press(self, key):
        """Types a key; returns when (monotonic ns)."""
        self.drain()
        when = time.monotonic_ns()
        os.write(self.keys, key)
        return when

    def drain(self):
        try:
            while os.read(self.keys, 65536):
                pass
        except OSError:
            pass

    def sleep(self, seconds):
        """Waits, and reads the terminal output so that the player does not block."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.keys is not None:
                self.drain()
            time.sleep(min(left, 0.05))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(3)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        if self.keys is not None:
            os.close(self.keys)
