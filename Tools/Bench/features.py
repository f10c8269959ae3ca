# Benchmark of optional features: memory, CPU time and wake-ups of the daemon with all its processes, compared with a
# daemon that plays the same file with these features off.
import array
import contextlib
import functools
import http.server
import math
import os
import shutil
import socket
import threading
import time

import box
import media
import processes


class Quiet(http.server.SimpleHTTPRequestHandler):
    """HTTP server for a folder, without log output."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """Serves a folder over HTTP and yields its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@contextlib.contextmanager
def written(fifo):
    """Writes sound into a FIFO in real time, ten milliseconds at a time, as a network sender does."""
    os.mkfifo(fifo)
    sound = array.array("h", [round(6000 * math.sin(2 * math.pi * 300 * frame / 44100)) for frame in range(44100) for _ in (0, 1)]).tobytes()
    ends = threading.Event()

    def send():
        with open(fifo, "wb", buffering=0) as pipe:
            began, sent = time.monotonic(), 0
            while not ends.wait(max(0, began + sent / 100 - time.monotonic())):
                place = sent % 100 * 1764
                try:
                    pipe.write(sound[place:place + 1764])
                except BrokenPipeError:
                    return
                sent += 1

    threading.Thread(target=send, daemon=True).start()
    yield
    ends.set()


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


@contextlib.contextmanager
def broker():
    """Runs mosquitto and yields its port."""
    port = free_port()
    with processes.Live(["mosquitto", "-p", str(port)]):
        yield port


def features(bench, report):
    """Measures one feature after another, in the Embedded build, on a card with a buffer of two seconds."""
    seconds = 5 if bench.quick else 20
    path = bench.files(60)["FLAC"]
    sound = media.constant(bench.music, 90, 2000)
    table = report.table("What each feature costs (FLAC, the daemon with all its processes)",
                         ["feature", "memory, MB: PSS / alone", "CPU, ms a second", "wake-ups a second", "processes"])

    def measure(name, settings=(), commands=(), source=None, pause=3):
        folder = f"{bench.work}/features"
        shutil.rmtree(folder, ignore_errors=True)
        with box.Box(bench.builds["Embedded"], folder, bench.card(), bench.music, settings=settings) as one:
            one.ask(f"play {source or path}")
            for command in commands:
                one.ask(command)
            time.sleep(pause)
            pss, alone = processes.memory(one.pid)
            before = processes.cpu_of_family(one.pid), processes.switches(one.pid), time.monotonic()
            time.sleep(seconds)
            taken = time.monotonic() - before[2]
            cpu = (processes.cpu_of_family(one.pid) - before[0]) / taken * 1000
            wakeups = (processes.switches(one.pid) - before[1]) / taken
            table.row(name, f"{pss:.1f} / {alone:.1f}", cpu, wakeups, str(len(processes.family(one.pid))))

    measure("everything off")
    measure("mpd.listen", [f"set mpd.listen 127.0.0.1:{free_port()}"])
    if shutil.which("mosquitto"):
        with broker() as port:
            measure("mqtt.host", ["set mqtt.host 127.0.0.1", f"set mqtt.port {port}"])
    measure("library.enabled, filled", ["set library.enabled on"], ["library update"], pause=20)
    with served(bench.music) as address:
        measure("a file over HTTP instead", source=f"{address}/{os.path.basename(path)}")
    measure("an announcement over it", commands=[f"announce {sound}"])
    fifo = f"{bench.work}/features.fifo"
    with written(fifo):
        measure("a live source instead (FIFO)", [f"source line fifo {fifo}"], pause=5)
    measure("eq, 10 bands", commands=[f"eq {band} peak {band * 100}Hz -3dB" for band in range(1, 11)])


ALL = [features]
