"""Draws the pictures of docs/using/first-box.md into docs/pictures and checks how the page uses them. Started by
scripts/draw-pages.
"""

import argparse
import os
import re
import sys

import canvas
import pictures

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join("docs", "pictures")
PAGE = os.path.join("docs", "using", "first-box.md")


def held(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def faults(wanted):
    """Yields what is wrong with the colours, with the page's use of the pictures, or with its pin numbers.

    The page must show each picture with an alternative text for screen readers.
    """
    yield from canvas.unreadable()
    page = held(PAGE) or ""
    shown = dict((name, text) for text, name in re.findall(r"!\[([^\]]*)\]\(\.\./pictures/([^)]*)\)", page))
    for path in wanted:
        name = os.path.basename(path)
        if name not in shown:
            yield f"{PAGE} does not show {path}"
        elif len(shown[name]) < 10:
            yield f"{PAGE} shows {path} without a text that says what is on it"
    for name in sorted(os.listdir(os.path.join(ROOT, FOLDER))):
        if os.path.join(FOLDER, name) not in wanted:
            yield f"{FOLDER}/{name} is drawn by no function of Tools/PageDrawing"
    # The page's table applies to every Raspberry Pi that has a folder.
    for name in sorted(os.listdir(pictures.BOARDS)):
        if name.startswith("raspberry-pi-") and pictures.Wires(name) != pictures.WIRES:
            yield f"boards/{name} has other pins than those of {PAGE}"
    for name, pin in (*pictures.WIRES.module.items(), ("play, one leg", pictures.WIRES.play[0]), ("play, other leg", pictures.WIRES.play[1])):
        if not re.search(rf"\| {name}[^|]* \| {pin} \|", page):
            yield f"the table of {PAGE} does not have '{name}' on pin {pin}"


def main():
    parser = argparse.ArgumentParser(prog="scripts/draw-pages", description="Draws the pictures of docs/using/first-box.md into docs/pictures.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a picture is stale, or the page does not show it")
    check = parser.parse_args().check
    wanted = {os.path.join(FOLDER, f"{name}.svg"): draw().finished() for name, draw in pictures.ALL.items()}
    stale = [path for path, text in wanted.items() if held(path) != text]
    for path in stale:
        print(f"draw-pages: {path} {'is stale' if check else 'written'}")
        if not check:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(wanted[path])
    if check and stale:
        sys.exit("draw-pages: run scripts/draw-pages")
    wrong = list(faults(wanted))
    if wrong:
        sys.exit("\n".join(f"draw-pages: {fault}" for fault in wrong))


main()
