"""What make-card changes in files that are there already, and how it is taken back byte for byte. Pure."""

import re

BEGIN = "# >>> swiftlet: scripts/make-card wrote these lines, and --undo takes them out"
# The file's own last line had no end.
BEGIN_JOINED = BEGIN + " again"
END = "# <<< swiftlet"

SCRIPT = "swiftlet/first-start"
# As Raspberry Pi Imager does it: https://github.com/raspberrypi/rpi-imager, DownloadThread::_customizeImage; the words are those of
# systemd-run-generator(8), which runs each `systemd.run=` in order.
ACTION = "systemd.run_success_action=reboot"
TARGET = "systemd.unit=kernel-command-line.target"


class CardError(Exception):
    """The card cannot be prepared; the text says why and what to do."""


def with_block(text: str, lines: list[str]) -> str:
    """A file with our lines at its end; those that it has already are left out."""
    text = without_block(text)
    if not lines:
        return text
    is_joined = bool(text) and not text.endswith("\n")
    return text + "\n" * is_joined + "\n".join([BEGIN_JOINED if is_joined else BEGIN, *lines, END, ""])


def without_block(text: str) -> str:
    for begin, joint in ((BEGIN_JOINED, "\n"), (BEGIN, "")):
        text = re.sub(f"{joint}{re.escape(begin)}\n.*?{re.escape(END)}\n", "", text, count=1, flags=re.S)
    return text


def firmware_lines(text: str, wanted: list[str]) -> list[str]:
    """What config.txt needs beyond what it has: lines of the board, for all boards, for none of the overlays before.

    A parameter belongs to the overlay before it until an empty `dtoverlay=`; filters such as [cm4] last until [all]
    (https://www.raspberrypi.com/documentation/computers/config_txt.html)."""
    has = {line.strip() for line in without_block(text).splitlines()}
    missing = [line for line in wanted if line not in has]
    return ["[all]", "dtoverlay=", *missing] if missing else []


def with_first_start(words: str) -> str:
    """The kernel's command line on a Raspberry Pi, which is the file's first line, with our script in it."""
    words = without_first_start(words)
    line, end, rest = words.partition("\n")
    runs = [run for run in line.split(" ") if run.startswith("systemd.run=")]
    if runs:
        # Imager's script runs first, and takes all of these words back. Its path begins with /boot, though the partition is
        # /boot/firmware: the system replaces that in the whole line before it is used (raspberrypi-sys-mods, imager_fixup).
        path = runs[-1].partition("=")[2]
        place = "/boot" if re.fullmatch(r"/boot/[^/]*", path) else "/boot/firmware"
        line = line.replace(runs[-1], f"{runs[-1]} systemd.run={place}/{SCRIPT}", 1)
    else:
        line += f" systemd.run=/boot/firmware/{SCRIPT} {ACTION} {TARGET}"
    return line + end + rest


def without_first_start(words: str) -> str:
    own = rf" systemd\.run=/boot(?:/firmware)?/{re.escape(SCRIPT)}"
    # Beside Imager's script, the words after it are Imager's.
    is_alone = len(re.findall(r"(?:^| )systemd\.run=", words)) == 1
    return re.sub(own + f" {re.escape(ACTION)} {re.escape(TARGET)}" if is_alone else own, "", words)


def with_environment(text: str) -> str:
    """Armbian's armbianEnv.txt: `extraargs` goes onto the kernel's command line, and the last one counts
    (https://docs.armbian.com/User-Guide_Advanced-Features/; boot.cmd imports the file as U-Boot's environment)."""
    text = without_environment(text)
    words = f"systemd.run=/boot/{SCRIPT} {ACTION} {TARGET}"
    found = list(re.finditer(r"^extraargs=(.*)$", text, re.M))
    if not found:
        return with_block(text, [f"extraargs={words}"])
    end = found[-1].end()
    return text[:end] + (" " if found[-1][1] else "") + words + text[end:]


def without_environment(text: str) -> str:
    own = re.escape(f"systemd.run=/boot/{SCRIPT} {ACTION} {TARGET}")
    return re.sub(f"(^extraargs=.*?) ?{own}", r"\1", without_block(text), flags=re.M)
