# Sourced by the other scripts: strict mode, the repository's root as working directory, and what several of them share.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
script_name=$(basename "$0")

# Prints why the script gives up, and ends it.
fail() {
  echo "$script_name: $*" >&2
  exit 1
}

# Prints how the script is called, and ends it with the status for a wrong command line.
usage_error() {
  echo "usage: scripts/$script_name $*" >&2
  exit 64
}

# Sets `multiarch`, Debian's name for the libraries of an architecture; false if there is no build for it.
set_multiarch() {
  case $1 in
    amd64) multiarch=x86_64-linux-gnu ;;
    arm64) multiarch=aarch64-linux-gnu ;;
    armhf) multiarch=arm-linux-gnueabihf ;;
    *) return 1 ;;
  esac
}

# Sets `debian`, the release that a board's package is for, and `base`, where what belongs to it and an architecture is kept.
set_board_base() {
  # shellcheck source=/dev/null
  debian=${SWIFTLET_DEBIAN:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
  [ -n "$debian" ] || fail "this machine does not say which Debian it is: set SWIFTLET_DEBIAN"
  base=$PWD/.board/$debian/$1
}

# Prints the path of a runtime library of the toolchain's clang: `clang_runtime rtsan`.
clang_runtime() {
  local swiftc library
  swiftc=$(readlink -f "$(command -v swiftc)") || fail "no Swift toolchain on PATH"
  library=$(find "${swiftc%/bin/*}/lib/clang" -name "libclang_rt.$1-$(uname -m).a" | head -n 1)
  [ -n "$library" ] ||
    fail "this Swift toolchain has no libclang_rt.$1-$(uname -m).a; install one from https://www.swift.org/install"
  echo "$library"
}

# Sets `embedded_flags`, what `swift build` needs for Embedded Swift beyond Package.swift, on a triple of the toolchain's.
set_embedded_flags() {
  local swiftc
  swiftc=$(readlink -f "$(command -v swiftc)") || fail "no Swift toolchain on PATH"
  embedded_flags=(
    # Each file's object has its own copies of shared functions: in sections, the linker keeps one. Constant arrays that the
    # optimiser makes static are numbered anew in each copy: the linker would mix them up (a seek ordered releaseAll instead
    # of start). So it makes none.
    -Xswiftc -wmo -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=object-outliner
    # lld, which is part of the toolchain, merges equal functions and packs relocations: 0.15 MB.
    -Xswiftc -use-ld=lld
    -Xlinker --gc-sections -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
    # The Unicode tables, which Embedded Swift leaves to whoever links.
    -Xlinker "-L${swiftc%/bin/*}/lib/swift/embedded/$1" -Xlinker -lswiftUnicodeDataTables -Xlinker -lm
  )
}
