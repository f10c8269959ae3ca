// Seccomp rules for processes that resolve names and use TLS: reading files, internet sockets, and loading
// the resolver's libraries. One thread of the sandboxed process.

import CLinux

extension SeccompFilter {
  /// Allows opening and reading files. The flags of open(2) must not include writing.
  package func allowReadingFiles() {
    let writing = UInt64(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
    allow("open", where: [.init(argument: 1, lacks: writing)])
    allow("openat", where: [.init(argument: 2, lacks: writing)])
    for name in [
      "newfstatat", "fstatat64", "fstat", "fstat64", "stat", "stat64", "lstat", "statx", "lseek", "_llseek",
      "pread64",
      "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "fstatfs",
      "fstatfs64",
    ] { allow(name) }
    // Exclude the commands that set the receiver of signals (F_SETOWN, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP),
    // which may be any process of this user. The one ioctl of that range that the resolver needs is
    // SIOCGIFINDEX (0x8933), for scoped addresses.
    for name in ["fcntl", "fcntl64"] { allow(name, where: [.init(argument: 1, lacks: 8)]) }
    allow("ioctl", where: [.init(argument: 1, lacks: 0x8000)])
    allow("ioctl", where: [.init(argument: 1, equals: 0x8933)])
  }

  /// Allows internet sockets and netlink, from which the resolver reads the list of local addresses.
  package func allowInternet() {
    for family in [AF_INET, AF_INET6, CLINUX_AF_NETLINK] {
      allow("socket", where: [.init(argument: 0, equals: UInt64(family))])
    }
    allow("socketpair", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    for name in [
      "connect", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown", "sendmmsg", "recvmmsg",
      "recvmmsg_time64", "eventfd2", "pipe2",
    ] { allow(name) }
    // The resolver binds only its netlink socket.
    allow("bind")
  }

  /// Allows mapping libraries as executable, but no memory that is both writable and executable.
  package func allowMappingLibraries() {
    for name in ["mmap", "mmap2"] {
      allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_WRITE))])
    }
    allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
  }

  /// Allows the resolver's other system calls. Sockets and library loading are allowed separately.
  package func allowLookingUp() {
    for name in [
      "recvmsg", "sendmsg", "sysinfo", "uname", "getuid", "geteuid", "getgid", "getegid", "getuid32",
      "geteuid32",
      "getgid32", "getegid32", "clock_getres", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep",
      "getrusage",
    ] { allow(name) }
  }
}
