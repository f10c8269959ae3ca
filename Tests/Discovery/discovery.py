#!/usr/bin/env python3
"""A box with a real avahi-daemon on a separate D-Bus: announced, found, renamed on a name conflict, announced again
after a restart of the daemon, and withdrawn when its server stops.

Usage: discovery.py SWIFTLET PRODUCTS
"""
import os, pathlib, shutil, signal, socket, subprocess, sys, tempfile
from genuine import FAILURES, GenuineBox, check, free_port, wait

PLACE = pathlib.Path(tempfile.mkdtemp(prefix="swiftlet-discovery-"))
BUS = f"unix:path={PLACE}/bus"
ENVIRONMENT = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=BUS)


def bus():
    (PLACE / "bus.conf").write_text(f"""<busconfig><type>system</type><listen>{BUS}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>""")
    process = subprocess.Popen(["dbus-daemon", f"--config-file={PLACE}/bus.conf", "--nofork", "--nopidfile"],
                               stderr=open(PLACE / "bus.log", "a"))
    if not wait(lambda: (PLACE / "bus").exists(), 10):
        sys.exit("discovery: dbus-daemon does not start")
    return process


def avahi(host="box-under-test"):
    (PLACE / "avahi.conf").write_text(
        f"[server]\nhost-name={host}\nenable-dbus=yes\nratelimit-interval-usec=1000000\nratelimit-burst=1000\n"
        "[publish]\npublish-workstation=no\n[reflector]\nenable-reflector=no\n")
    return subprocess.Popen(
        ["avahi-daemon", "-f", PLACE / "avahi.conf", "--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title"],
        env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=open(PLACE / "avahi.log", "a"))


def found():
    """Names and ports that a client would find now."""
    out = subprocess.run(["avahi-browse", "-rptk", "_mpd._tcp"], env=ENVIRONMENT, capture_output=True, text=True, timeout=30).stdout
    lines = [line.split(";") for line in out.splitlines() if line.startswith("=")]
    # avahi-browse escapes other characters as \ and three decimal digits.
    return {(line[3].replace("\\032", " ").replace("\\035", "#"), int(line[8])) for line in lines}


def main():
    swiftlet, products = sys.argv[1:3]
    processes = [bus(), avahi()]
    port = free_port()
    try:
        with GenuineBox(swiftlet, products, [
                "set output.device null", "set checkpoint.path off", f"set mpd.listen 127.0.0.1:{port}",
                "set discovery.enabled on", 'set discovery.name "Kitchen box"'], environment={"DBUS_SYSTEM_BUS_ADDRESS": BUS}) as box:
            box.connect()
            check("off on loopback", "discovery" not in box.ask("status"), box.ask("status"))
            box.tell(f"set mpd.listen 0.0.0.0:{port}")
            announced = f"announces 'Kitchen box' as _mpd._tcp, port {port}"
            check("standing", wait(lambda: box.ask("status").get("discovery") == announced, 15), box.ask("status").get("discovery"))
            check("found", wait(lambda: found() == {("Kitchen box", port)}, 10), found())
            # The daemon is restarted.
            processes[1].terminate()
            processes[1].wait()
            check("no daemon", wait(lambda: "avahi-daemon" in box.ask("status").get("discovery", ""), 10), box.ask("status"))
            processes[1] = avahi()
            check("again", wait(lambda: box.ask("status").get("discovery") == announced, 20), box.ask("status").get("discovery"))
            check("found again", wait(lambda: found() == {("Kitchen box", port)}, 10), found())
            # A name conflict with another box, here a service of the same daemon.
            box.tell("set discovery.enabled off")
            check("withdrawn", wait(lambda: found() == set(), 10), found())
            rival = subprocess.Popen(["avahi-publish-service", "Kitchen box", "_mpd._tcp", "7"], env=ENVIRONMENT,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            check("a rival", wait(lambda: found() == {("Kitchen box", 7)}, 10), found())
            box.tell("set discovery.enabled on")
            both = {("Kitchen box", 7), ("Kitchen box #2", port)}
            check("another name", wait(lambda: found() == both, 15), (found(), box.ask("status").get("discovery")))
            rival.terminate()
            rival.wait()
            # The integration is killed, and the MPD server's name must still be correct.
            box.tell("set discovery.name Attic")
            check("renamed", wait(lambda: found() == {("Attic", port)}, 15), found())
            os.kill(box.integration("discovery"), signal.SIGKILL)
            check("after a death", wait(lambda: box.integration("discovery") and found() == {("Attic", port)}, 15), found())
            with socket.create_connection(("127.0.0.1", port)) as client:
                check("the server", client.recv(100).startswith(b"OK MPD"))
            box.tell("set mpd.listen off")
            check("gone", wait(lambda: found() == set(), 10), found())
            # The bus itself is restarted.
            box.tell(f"set mpd.listen 0.0.0.0:{port}")
            check("found once more", wait(lambda: found() == {("Attic", port)}, 15), found())
            for process in reversed(processes):
                process.terminate()
                process.wait()
            check("no bus", wait(lambda: "nothing is announced" in box.ask("status").get("discovery", ""), 10), box.ask("status"))
            (PLACE / "bus").unlink(missing_ok=True)
            processes[:] = [bus(), avahi()]
            check("after the bus", wait(lambda: found() == {("Attic", port)}, 30), (found(), box.ask("status").get("discovery")))
            if FAILURES:
                print(box.log())
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
        if FAILURES:
            print((PLACE / "avahi.log").read_text()[-2000:])
        shutil.rmtree(PLACE, ignore_errors=True)
    print("discovery: all is well" if not FAILURES else f"discovery: {len(FAILURES)} failed")
    sys.exit(1 if FAILURES else 0)


main()
