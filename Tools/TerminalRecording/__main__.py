# Runs a program in a pseudo-terminal, types keys at given times, and draws its screen as an animated SVG. Started by
# scripts/record-terminal.
# Arguments: COLUMNS ROWS TITLE KEYS PICTURE.svg PROGRAM…, where KEYS is a file of `SECONDS KEYS` lines.
import sys

from picture import drawn
from session import recorded


def main():
    columns, rows, title, keys, picture = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6]
    screens, length, status = recorded(sys.argv[6:], columns, rows, keys)
    if status != 0:
        sys.exit(f"record-terminal: {sys.argv[6]} ended with status {status}")
    with open(picture, "w", encoding="utf-8") as file:
        file.write(drawn(screens, length, columns, rows, title))
    print(f"record-terminal: {picture}: {length:.1f} s, {len(screens)} screens")


main()
