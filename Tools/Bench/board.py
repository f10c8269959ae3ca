# Benchmark of the arm64 build on the emulated board: memory and instructions while playing (scripts/test-board
# --figures).
import subprocess


def board(bench, report):
    if bench.quick:
        return
    subprocess.run([f"{bench.root}/scripts/test-board", "--figures"], check=True, stdout=subprocess.DEVNULL)
    with open(f"{bench.root}/docs/building/board-figures.md") as file:
        rows = [[cell.strip(" *`") for cell in line.strip().strip("|").split("|")] for line in file if line[0] == "|"]
    table = report.table(
        "On the emulated arm64 board, PSS in KiB: nothing else on it shares these libraries",
        ["playing", "processes", "PSS", "heaps and stacks", "rings", "program, plugin, libraries"])
    for row in rows:
        if len(row) == 6 and row[1].isdigit():
            table.row(row[0], *map(int, row[1:]))
    table = report.table(
        "On the emulated arm64 board, million instructions a second of sound, system calls included",
        ["playing", "together", "audio thread", "other threads of the engine", "workers"])
    for row in rows:
        if len(row) == 5 and row[1].replace(".", "", 1).isdigit():
            table.row(row[0], *map(float, row[1:]))
