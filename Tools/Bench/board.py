# Sizes of the arm64 build, and its memory while it plays on the emulated board (scripts/test-board --figures).
import subprocess


def board(bench, report):
    if bench.quick:
        return
    subprocess.run([f"{bench.root}/scripts/test-board", "--figures"], check=True, stdout=subprocess.DEVNULL)
    with open(f"{bench.root}/docs/board-figures.md") as file:
        rows = [[cell.strip(" *`") for cell in line.strip().strip("|").split("|")] for line in file if line[0] == "|"]
    sizes = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}
    together = sizes["program and plugins"]
    engine = sizes["/usr/bin/swiftlet"]
    table = report.table("arm64, stripped, kB", ["engine", "five plugins", "together", "package"])
    table.row(engine / 1e3, (together - engine) / 1e3, together / 1e3, sizes["the package"] / 1e3)
    report.bar("on disk, arm64", together / 1e6, 2, "MB")
    table = report.table(
        "On the emulated arm64 board, PSS in KiB: nothing else on it shares these libraries",
        ["playing", "processes", "PSS", "heaps and stacks", "rings", "program, plugin, libraries"])
    for row in rows:
        if len(row) == 6 and row[1].isdigit():
            table.row(row[0], *map(int, row[1:]))
