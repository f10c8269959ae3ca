# Draws the boards' wiring and updates the wiring tables in their READMEs. Started by scripts/draw-boards.
import argparse
import os
import sys

import drawing
import table
from board import Board, Mistake


def wanted(folder):
    """Returns the expected contents of the board's generated files, by path."""
    board = Board(folder)
    readme = os.path.join(folder, "README.md")
    with open(readme, encoding="utf-8") as file:
        page = table.replaced(board, file.read())
    if page is None:
        raise Mistake(f"{os.path.relpath(readme)} has no place for the table: '{table.BEGIN}', '{table.END}'")
    files = {readme: page}
    picture = drawing.drawn(board)
    if picture:
        files[os.path.join(folder, "wiring.svg")] = picture
    return files


def held(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(prog="scripts/draw-boards")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    check = parser.parse_args().check
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "boards")
    stale = 0
    for name in sorted(os.listdir(root)):
        if not os.path.exists(os.path.join(root, name, "profile")):
            continue
        try:
            files = wanted(os.path.join(root, name))
        except (Mistake, OSError, ValueError, IndexError) as error:
            sys.exit(f"draw-boards: {name}: {error}")
        for path, text in files.items():
            if held(path) == text:
                continue
            stale += 1
            print(f"draw-boards: {os.path.relpath(path)} {'is stale' if check else 'written'}")
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
    if check and stale:
        sys.exit("draw-boards: run scripts/draw-boards")


main()
