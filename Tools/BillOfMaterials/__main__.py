"""Writes and checks the bill of materials (SBOM) of a Debian package. Started by scripts/sbom."""
import argparse
import json
import sys

import check
import debian
import document


def main():
    parser = argparse.ArgumentParser(prog="sbom")
    parser.add_argument("--release", required=True, help="Debian's code name")
    parser.add_argument("--swift", required=True, help="the compiler's version")
    parser.add_argument("package")
    parser.add_argument("origins")
    parser.add_argument("bill")
    options = parser.parse_args()
    package, origins = debian.Package(options.package), debian.origins(options.origins)
    with open(options.bill, "w", encoding="utf-8") as file:
        json.dump(document.made(package, origins, options.release, options.swift), file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open(options.bill, encoding="utf-8") as file:
        found = list(check.mistakes(json.load(file), package, origins, options.release))
    for sentence in found:
        print(f"sbom: {sentence}", file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
