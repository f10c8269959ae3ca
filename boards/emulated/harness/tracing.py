"""QEMU options that log the executed code of programs on the board, one block at a time, when it is translated."""

LOG = "code.log"
# Address at which Linux loads a program without randomization, and the number of bytes to trace.
BASE, LENGTH = 0xAAAAAAAA0000, 0x800000
KERNEL = " norandmaps"
QEMU = ["-d", "in_asm", "-D", LOG, "-dfilter", f"{BASE:#x}+{LENGTH:#x}"]
