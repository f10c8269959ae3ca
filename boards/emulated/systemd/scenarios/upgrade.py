"""Scenario: the package is upgraded during playback; the music continues, with the same configuration and volume."""

from scenarios.playing import play, stop

TITLE = "upgraded while it plays: plays on, with its configuration, volume and queue"


def run(board, note) -> None:
    play(board)
    board.run("swiftlet ctl set volume.maximum 80 && swiftlet ctl save && swiftlet ctl volume 37")
    kept = board.run("md5sum /var/lib/swiftlet/swiftlet.conf")
    before = board.unit("MainPID")["MainPID"]
    position = board.position
    older = board.run("dpkg-query -W -f '${Version}\\n' swiftlet")
    board.run("apt-get install -y --no-install-recommends --allow-downgrades /mnt/newer/*.deb 2>&1", seconds=300)
    newer = board.run("dpkg-query -W -f '${Version}\\n' swiftlet")
    assert newer != older or board.is_newer, f"{older} was not upgraded"
    board.is_newer = True
    board.wait_active()
    assert board.unit("MainPID")["MainPID"] != before, "the upgrade did not restart the service"
    board.wait(board.plays, "music after the upgrade")
    after = board.position
    status = board.status()
    assert status["volume"].rstrip(" %") == "37", status["volume"]
    assert board.run("md5sum /var/lib/swiftlet/swiftlet.conf") == kept, "the upgrade changes the configuration"
    assert position - 1 <= after <= position + 90, f"it played at {position:.1f} s, and after the upgrade at {after:.1f} s"
    # An upgrade is not a shutdown: the unit stays enabled.
    assert board.unit("UnitFileState")["UnitFileState"] == "enabled"
    note(f"{older} to {newer}; at {position:.1f} s, then at {after:.1f} s")
    stop(board)
    board.run("swiftlet ctl unset volume.maximum && swiftlet ctl save")
