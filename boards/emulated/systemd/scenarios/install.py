"""Scenario: apt installs the older package and its dependencies on a running system; the service is enabled, started
and ready.
"""

TITLE = "apt installs the package; the service starts and says that it is ready"
NEEDS = "nothing"

# The harness's own configuration, with the emulated board's sound card, buttons and console.
CONFIGURATION = "/var/lib/swiftlet/swiftlet.conf"


def run(board, note) -> None:
    board.run("apt-get install -y --no-install-recommends /mnt/needed/*.deb /mnt/older/*.deb 2>&1", seconds=300)
    board.is_installed = True
    unit = board.unit("ActiveState", "SubState", "Type", "UnitFileState", "Result", "NRestarts")
    assert unit == {
        "ActiveState": "active", "SubState": "running", "Type": "notify", "UnitFileState": "enabled", "Result": "success",
        "NRestarts": "0",
    }, unit  # fmt: skip
    # With Type=notify, the unit is active only after the daemon has sent READY=1.
    begun = board.unit("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    ready = (int(begun["ActiveEnterTimestampMonotonic"]) - int(begun["ExecMainStartTimestampMonotonic"])) / 1e6
    assert board.holds("cmp -s /etc/swiftlet/swiftlet.conf " + CONFIGURATION), "the initial configuration is not in place"
    modes = board.run("stat -c '%A %U:%G %n' /srv/music /var/lib/swiftlet /run/swiftlet /run/swiftlet/control").splitlines()
    assert modes == [
        "drwxrwsr-x root:audio /srv/music",
        "drwxr-x--- swiftlet:swiftlet /var/lib/swiftlet",
        "drwxr-xr-x swiftlet:swiftlet /run/swiftlet",
        "srw-rw---- swiftlet:swiftlet /run/swiftlet/control",
    ], modes
    # Configure the board as its page says, and add music.
    board.run(f"echo 'board emulated' >{CONFIGURATION}; systemctl restart swiftlet")
    board.run("cp /mnt/music/* /srv/music/; sync")
    assert board.status().get("output", "").startswith("ALSA hw:0"), board.status()
    note(f"ready {ready:.1f} s after its start")
