# Reads the functions of a program from its symbol table.
import subprocess

# Code that the compiler outlines because it occurs repeatedly has numbers instead of names.
FRAGMENT = "OUTLINED_FUNCTION_"


def functions(program):
    """Returns (address, size, name) of each function, ordered by address."""
    listing = subprocess.run(["nm", "--defined-only", "--print-size", "--numeric-sort", program],
                             capture_output=True, text=True, check=True)
    words = [line.split() for line in listing.stdout.splitlines()]
    return [(int(word[0], 16), int(word[1], 16), word[3]) for word in words if len(word) == 4 and word[2] in "tTwW"]


def sizes(program):
    return {name: size for _, size, name in functions(program)}


def is_fragment(name):
    return name.startswith(FRAGMENT)
