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

# A script's first comment is its help; one with options of its own explains them itself.
if [[ ${1:-} = -h || ${1:-} = --help ]] && ! grep -qF -e '--help' "scripts/$script_name"; then
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "scripts/$script_name"
  exit
fi

# Prints how the script is called, and ends it with the status for a wrong command line.
usage_error() {
  echo "usage: scripts/$script_name $*" >&2
  exit 64
}

# Begins a script that judges in real time: repeats it, twice at most, where it failed while the host withheld the processor, and
# says so. Called with the script's arguments, before anything else.
judges_in_real_time() {
  [ -z "${SWIFTLET_HOST_IS_WATCHED:-}" ] || return 0
  exec python3 -B Tools/HostWatch/repeat.py "scripts/$script_name" "$@"
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

# Sets `emulator`, QEMU's program that runs programs of an architecture, and `binfmt`, what makes the kernel use it (binfmt_misc: the
# ELF header of that processor). Both are empty where programs of the architecture run by themselves.
set_emulator() {
  local magic
  emulator="" binfmt=""
  case $1 in
    arm64) emulator=qemu-aarch64-static magic='\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7' ;;
    armhf) emulator=qemu-arm-static magic='\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28' ;;
  esac
  [ "$(dpkg --print-architecture 2>/dev/null)" != "$1" ] || emulator=""
  [ -n "$emulator" ] || return 0
  emulator=$(command -v "$emulator") || fail "$emulator is missing: scripts/bootstrap --board"
  binfmt=":swiftlet:M::\\x7fELF$magic\\x00:"
  binfmt+="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$emulator:F"
}

# As root, runs a command as root of name spaces of its own, where programs of an architecture run and all users and groups exist.
# What is mounted there is gone with them: `with_emulator arm64 chroot ROOT …`.
with_emulator() {
  local arch=$1 holder inside status=0
  shift
  set_emulator "$arch"
  unshare --user --mount --pid --fork --kill-child sleep infinity 2>/dev/null &
  holder=$!
  until inside=$(cat "/proc/$holder/task/$holder/children" 2>/dev/null) && [ -n "$inside" ]; do
    kill -0 $holder 2>/dev/null || fail "this machine gives no name spaces (unshare --user --mount --pid)"
    sleep 0.02
  done
  inside=${inside%% *}
  echo "0 0 4294967295" >"/proc/$inside/uid_map"
  echo "0 0 4294967295" >"/proc/$inside/gid_map"
  # Since Linux 6.7 every user name space has its own list of emulators.
  # shellcheck disable=SC2016
  nsenter --user --mount --pid --target "$inside" bash -euc '
    mount -t proc proc /proc
    if [ -n "$1" ]; then
      mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && echo "$1" >/proc/sys/fs/binfmt_misc/register || {
        echo "this kernel registers no emulator for a name space" >&2
        exit 1
      }
    fi
    shift
    exec "$@"
  ' with_emulator "$binfmt" "$@" || status=$?
  # The first of its process numbers: everything that runs there ends with it.
  kill -KILL "$inside" 2>/dev/null
  wait "$holder" 2>/dev/null || true
  return $status
}

# Sets `debian`, the release that a board's package is for, and `base`, where what belongs to it and an architecture is kept.
set_board_base() {
  # shellcheck source=/dev/null
  debian=${SWIFTLET_DEBIAN:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
  [ -n "$debian" ] || fail "this machine does not say which Debian it is: set SWIFTLET_DEBIAN"
  base=$PWD/.board/$debian/$1
}

# Runs a command that asks a mirror, five times at most: for minutes, one that is being updated gives lists and packages that do not
# belong together.
persistently() {
  local pause
  for pause in 10 20 40 80; do
    ! "$@" || return 0
    echo "$script_name: trying again in $pause s" >&2
    sleep "$pause"
  done
  "$@"
}

# Prints one of the project's addresses, such as HOMEPAGE: what SWIFTLET_HOMEPAGE says, or else packaging/addresses.
address() {
  local override=SWIFTLET_$1 value
  value=${!override:-$(sed -n "s/^$1=//p" packaging/addresses)}
  [ -n "$value" ] || fail "packaging/addresses has no line $1=…"
  echo "$value"
}

# Prints the name of the package of a codec that has one of its own: `codec_package packaging/codecs/AAC`.
codec_package() {
  local name
  name=$(basename "$1")
  echo "swiftlet-codec-${name,,}"
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

# Sets `embedded_flags`, what `swift build` needs for Embedded Swift beyond Package.swift, on a triple of the toolchain's. Keeps an
# object file and the list of functions in a folder; further arguments are clang's: `set_embedded_flags TRIPLE FOLDER [FLAG…]`.
set_embedded_flags() {
  local swiftc order=$PWD/Tools/EmbeddedRuntime/function-order.txt listed
  mkdir -p "$2"
  # Under a name of its own: SwiftPM links anew where a flag has changed, and does not look into files that flags name.
  listed=$2/function-order-$(cksum <"$order" | cut -d ' ' -f 1).txt
  cp "$order" "$listed"
  clang "${@:3}" -O2 -fPIC -ffunction-sections -Wall -Werror -c Tools/EmbeddedRuntime/bridge-retain.c -o "$2/bridge-retain.o"
  swiftc=$(readlink -f "$(command -v swiftc)") || fail "no Swift toolchain on PATH"
  embedded_flags=(
    # Each file's object has its own copies of shared functions: in sections, the linker keeps one. Constant arrays that the
    # optimiser makes static are numbered anew in each copy: the linker would mix them up (a seek ordered releaseAll instead
    # of start). So it makes none.
    -Xswiftc -wmo -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=object-outliner
    # No tables say how to unwind what never throws.
    -Xswiftc -Xcc -Xswiftc -fno-unwind-tables -Xswiftc -Xcc -Xswiftc -fno-asynchronous-unwind-tables
    # lld, which is part of the toolchain, merges equal functions and packs relocations: 0.15 MB.
    -Xswiftc -use-ld=lld
    -Xlinker --gc-sections -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
    # What a box runs lies together, and what it does not run is not read: 2 MB of memory. Functions that have gone since are no
    # mistake: scripts/order-functions.
    -Xlinker --symbol-ordering-file -Xlinker "$listed"
    -Xlinker --no-warn-symbol-ordering -Xlinker -T -Xlinker "$PWD/Tools/EmbeddedRuntime/nameless-functions.ld"
    # What the runtime returns wrongly: see there. Upstream it is mended after Swift 6.3 (swiftlang/swift#91151).
    -Xlinker --wrap=swift_bridgeObjectRetain -Xlinker --wrap=swift_bridgeObjectRetain_n -Xlinker "$2/bridge-retain.o"
    # The Unicode tables, which Embedded Swift leaves to whoever links.
    -Xlinker "-L${swiftc%/bin/*}/lib/swift/embedded/$1" -Xlinker -lswiftUnicodeDataTables -Xlinker -lm
  )
}
