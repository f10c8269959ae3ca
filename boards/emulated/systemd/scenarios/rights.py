"""Scenario: the running process has the confinement that systemd-analyze predicts, and can access what it needs."""

TITLE = "the process is confined as the unit says, and reaches sound card, lines and serial line"


def run(board, note) -> None:
    main = board.unit("MainPID")["MainPID"]
    status = dict(
        line.partition(":")[::2] for line in board.run(f"cat /proc/{main}/status").splitlines()
    )
    assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2", status
    assert status["CapEff"].strip() == status["CapBnd"].strip() == "0" * 16, status
    names = board.run(f"stat -c %U /proc/{main}; id -nG swiftlet").split()
    assert names[0] == "swiftlet" and {"audio", "dialout", "gpio", "input"} <= set(names[1:]), names
    limits = board.run(f"cat /proc/{main}/limits")
    for row, wanted in (("Max realtime priority", "40"), ("Max locked memory", str(256 << 20)), ("Max core file size", "0")):
        line = next(line for line in limits.splitlines() if line.startswith(row))
        assert line[len(row) :].split()[0] == wanted, line
    # If memory runs out, the kernel must kill a worker first.
    scores = board.run(f"cd /proc; cat {main}/oom_score_adj; for one in $(cat {main}/task/*/children); do cat $one/oom_score_adj; done").split()
    assert scores[0] == "-500" and all(int(score) > 0 for score in scores[1:]), scores
    threads = board.run(f"for task in /proc/{main}/task/*; do chrt -p ${{task##*/}}; done")
    assert "SCHED_FIFO" in threads, f"no thread has real-time priority: {threads}"
    # In its own view of the file system, only its two folders are writable.
    inside = f"nsenter --mount --target {main} setpriv --reuid swiftlet --regid swiftlet --init-groups"
    for folder, is_writable in (("/var/lib/swiftlet", True), ("/run/swiftlet", True), ("/srv/music", False), ("/var/tmp", True)):
        done = board.holds(f"{inside} sh -c 'touch {folder}/trial && rm {folder}/trial' 2>/dev/null")
        assert done == is_writable, f"{folder} is{'' if done else ' not'} writable for the service"
    # The device policy of its cgroup, which systemd-analyze cannot test.
    status = board.status()
    assert status["output"].startswith("ALSA hw:0"), status["output"]
    missing = [line for line in board.run("swiftlet ctl controls").splitlines() if line.startswith("#")]
    assert not missing, missing
    files = board.run(f"ls -l /proc/{main}/fd")
    for device in ("/dev/snd/", "/dev/ttyS0", "gpio"):
        assert device in files, f"the service has not opened {device}:\n{files}"
    refused = board.run("journalctl -b -u swiftlet -p warning --no-pager -o cat", check=False)
    assert "permission" not in refused.lower(), refused
    note("no capability, no new privileges, seccomp; real-time thread; card, lines and serial line open")
