# Common functions of the scripts, which source this file. Enables strict mode and changes to the repository's root.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
script_name=$(basename "$0")

# Prints an error and exits.
fail() {
  echo "$script_name: $*" >&2
  exit 1
}

# The first comment of a script is its help text. Scripts that contain the option themselves handle it.
if [[ ${1:-} = -h || ${1:-} = --help ]] && ! grep -qF -e '--help' "scripts/$script_name"; then
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "scripts/$script_name"
  exit
fi

# Prints the usage and exits with the status for a wrong command line.
usage_error() {
  echo "usage: scripts/$script_name $*" >&2
  exit 64
}

# Repeats the whole script, up to twice, if it fails while the host withholds CPU time from it. For scripts that
# depend on real time; call it first, with the script's arguments.
judges_in_real_time() {
  [ -z "${SWIFTLET_HOST_IS_WATCHED:-}" ] || return 0
  exec python3 -B Tools/HostWatch/repeat.py "scripts/$script_name" "$@"
}

# Sets `multiarch`, Debian's library path name of an architecture; returns 1 if there is no build for it.
set_multiarch() {
  case $1 in
    amd64) multiarch=x86_64-linux-gnu ;;
    arm64) multiarch=aarch64-linux-gnu ;;
    armhf) multiarch=arm-linux-gnueabihf ;;
    *) return 1 ;;
  esac
}

# Sets `emulator`, the QEMU program for an architecture, and `binfmt`, its binfmt_misc registration by ELF header.
# Both are empty if this host runs the architecture directly.
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

# Runs a command as root in namespaces in which programs of an architecture run and all users and groups exist. Needs
# root. Mounts end with the command: `with_emulator arm64 chroot ROOT …`.
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
  # Since Linux 6.7, each user namespace has its own binfmt_misc registrations.
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
  # The init process of the PID namespace: when it ends, the kernel ends the other processes of the namespace.
  kill -KILL "$inside" 2>/dev/null
  wait "$holder" 2>/dev/null || true
  return $status
}

# Sets `debian`, the release to build for, and `base`, the folder for files of that release and an architecture.
set_board_base() {
  # shellcheck source=/dev/null
  debian=${SWIFTLET_DEBIAN:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
  [ -n "$debian" ] || fail "this machine does not say which Debian it is: set SWIFTLET_DEBIAN"
  base=$PWD/.board/$debian/$1
}

# Runs a command that downloads from a mirror, up to five times: while a mirror is being updated, its lists and
# packages can be inconsistent for some minutes.
persistently() {
  local pause
  for pause in 10 20 40 80; do
    ! "$@" || return 0
    echo "$script_name: trying again in $pause s" >&2
    sleep "$pause"
  done
  "$@"
}

# Prints one of the project's addresses, such as HOMEPAGE: the value of SWIFTLET_HOMEPAGE, or the one in
# packaging/addresses.
address() {
  local override=SWIFTLET_$1 value
  value=${!override:-$(sed -n "s/^$1=//p" packaging/addresses)}
  [ -n "$value" ] || fail "packaging/addresses has no line $1=…"
  echo "$value"
}

# Prints the name of a codec's separate package: `codec_package packaging/codecs/AAC`.
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

# Sets `embedded_flags`, the options of `swift build` for Embedded Swift in addition to Package.swift. Writes an
# object file and the function list to a folder. Further arguments are passed to clang: `set_embedded_flags TRIPLE
# FOLDER [FLAG…]`.
set_embedded_flags() {
  local swiftc order=$PWD/Tools/EmbeddedRuntime/function-order.txt listed
  mkdir -p "$2"
  # The name contains a checksum: SwiftPM links again if a flag changes, but not if the contents of a file named by a
  # flag change.
  listed=$2/function-order-$(cksum <"$order" | cut -d ' ' -f 1).txt
  cp "$order" "$listed"
  clang "${@:3}" -O2 -fPIC -ffunction-sections -Wall -Werror -c Tools/EmbeddedRuntime/bridge-retain.c -o "$2/bridge-retain.o"
  swiftc=$(readlink -f "$(command -v swiftc)") || fail "no Swift toolchain on PATH"
  embedded_flags=(
    # Each object file has its own copies of shared functions; with sections, the linker keeps only one. The object
    # outliner is disabled, because it numbers constant arrays separately in each copy, and the linker would confuse
    # them (a seek once sent releaseAll instead of start).
    -Xswiftc -wmo -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=object-outliner
    # No unwind tables for C code that never throws.
    -Xswiftc -Xcc -Xswiftc -fno-unwind-tables -Xswiftc -Xcc -Xswiftc -fno-asynchronous-unwind-tables
    # lld, which is part of the toolchain, merges equal functions and packs relocations, which saves 0.15 MB.
    -Xswiftc -use-ld=lld
    -Xlinker --gc-sections -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
    # Functions that a box executes are placed together, so that the others are not loaded, which saves 2 MB of
    # memory. Missing functions are no error; scripts/order-functions updates the list.
    -Xlinker --symbol-ordering-file -Xlinker "$listed"
    -Xlinker --no-warn-symbol-ordering -Xlinker -T -Xlinker "$PWD/Tools/EmbeddedRuntime/nameless-functions.ld"
    # Workaround for a bug of the runtime, fixed after Swift 6.3 (swiftlang/swift#91151); see bridge-retain.c.
    -Xlinker --wrap=swift_bridgeObjectRetain -Xlinker --wrap=swift_bridgeObjectRetain_n -Xlinker "$2/bridge-retain.o"
    # The Unicode tables, which Embedded Swift does not link by itself.
    -Xlinker "-L${swiftc%/bin/*}/lib/swift/embedded/$1" -Xlinker -lswiftUnicodeDataTables -Xlinker -lm
  )
}
