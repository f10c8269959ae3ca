"""Scenario: holding play while the daemon starts gives defaults and no restored state, and loses nothing that was
saved.
"""

TITLE = "play held at the start: defaults; at the next start all is as it was"


def restart(box) -> dict:
    """Ends the daemon, which is restarted, and returns its first status."""
    daemon = box.daemon
    box.run("shutdown")
    box.wait_until(lambda: box.daemon not in ("", daemon), "start of the daemon")
    box.on.console.wait(60)
    return box.status()


def run(box, note) -> None:
    box.run("play one.wav")
    box.wait_for("playing")
    box.sound.wait_for(1)
    box.run("pause")
    box.wait_silent()
    before = box.status()
    box.run("set volume.step 7")
    box.run("save")

    box.on.gpio.down(box.buttons["play"])
    status = restart(box)
    held = box.ask("show volume.step")["rows"][0]["value"]
    box.on.gpio.up(box.buttons["play"])
    assert status.get("safe-start") is True, f"no safe start: {status}"
    assert status["state"] == "idle" and status["checkpoint"] == "off", f"something was remembered: {status}"
    assert held.startswith("5"), f"volume.step is {held}"

    status = restart(box)
    assert "safe-start" not in status, "the second start was a safe one, too"
    assert status["path"] == before["path"], f"it came back with {status.get('path')}"
    # A press may or may not have been counted before the daemon ended.
    status = box.wait_for("ready", "paused", "playing")
    assert float(status["position"]) >= float(before["position"]), f"it was at {before['position']} s"
    note(f"came back at {status['position']} s of the file")
    box.run("unset volume.step")
    box.run("save")
