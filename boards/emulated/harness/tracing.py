"""What QEMU writes down of the programs that run on the board: each stretch of code, where it is translated."""

LOG = "code.log"
# Where Linux puts a program if nothing is left to chance, and as much of it as is traced.
BASE, LENGTH = 0xAAAAAAAA0000, 0x800000
KERNEL = " norandmaps"
QEMU = ["-d", "in_asm", "-D", LOG, "-dfilter", f"{BASE:#x}+{LENGTH:#x}"]
