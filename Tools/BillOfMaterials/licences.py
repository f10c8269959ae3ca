"""Translates Debian's short license names to SPDX license expressions."""
import re

# Names in Debian's copyright files, in lower case. GNU licenses are matched by a pattern instead.
NAMES = {
    "apache-2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "expat": "MIT",
    "isc": "ISC",
    "mit": "MIT",
    "zlib": "Zlib",
    # Spelled like this in alsa-lib's copyright file.
    "lpgl-2.1+": "LGPL-2.1-or-later",
}
KNOWN = set(NAMES.values()) | {
    f"{family}-{number}-{end}"
    for family, numbers in (("GPL", "1.0 2.0 3.0"), ("LGPL", "2.0 2.1 3.0"))
    for number in numbers.split() for end in ("only", "or-later")}


def identifier(name):
    """Returns the SPDX identifier of a license, or a LicenseRef of this document if it is not on the list."""
    known = NAMES.get(name.lower())
    gnu = re.fullmatch(r"(L?GPL)-([123](?:\.\d)?)(\+?)", name, re.IGNORECASE)
    if not known and gnu:
        number = gnu[2] if "." in gnu[2] else gnu[2] + ".0"
        known = f"{gnu[1].upper()}-{number}-{'or-later' if gnu[3] else 'only'}"
    if known in KNOWN:
        return known
    return "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")


def expression(text):
    """Translates the value of a `License:` field; commas bind more loosely than `and` and `or`."""
    if not text:
        return "NOASSERTION"
    groups = []
    for group in re.split(r",\s+(and|or)\s+", text):
        if group in ("and", "or"):
            groups.append(group.upper())
            continue
        words = re.split(r"\s+(and|or)\s+", group)
        joined = " ".join(word.upper() if word in ("and", "or") else identifier(word) for word in words)
        groups.append(f"({joined})" if len(words) > 1 and "," in text else joined)
    return " ".join(groups)
