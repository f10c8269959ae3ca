// What a process needs that looks up names and speaks TLS: files to read, sockets of the internet, libraries that the resolver loads.
// One thread, of the process that is confined.

import CLinux

extension SeccompFilter {
  /// Reading, never writing: the kernel's flags for a file say so.
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
    // Not those that name who gets signals (F_SETOWN, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP): that may be any process of this user. The one
    // of its kind that the resolver needs gives an interface's number, for an address with a scope.
    for name in ["fcntl", "fcntl64"] { allow(name, where: [.init(argument: 1, lacks: 8)]) }
    allow("ioctl", where: [.init(argument: 1, lacks: 0x8000)])
    allow("ioctl", where: [.init(argument: 1, equals: 0x8933)])
  }

  /// Sockets of the internet, and the kernel's own list of addresses.
  package func allowInternet() {
    for family in [AF_INET, AF_INET6, CLINUX_AF_NETLINK] {
      allow("socket", where: [.init(argument: 0, equals: UInt64(family))])
    }
    allow("socketpair", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    for name in [
      "connect", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown", "sendmmsg", "recvmmsg",
      "recvmmsg_time64", "eventfd2", "pipe2",
    ] { allow(name) }
    // The resolver binds to no address of its own but netlink's.
    allow("bind")
  }

  /// Libraries that the resolver loads are mapped to be run, and nothing that can be written is.
  package func allowMappingLibraries() {
    for name in ["mmap", "mmap2"] {
      allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_WRITE))])
    }
    allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
  }

  /// What the resolver calls besides what each process does. Its sockets, and the libraries that it loads, are allowed for themselves.
  package func allowLookingUp() {
    for name in [
      "recvmsg", "sendmsg", "sysinfo", "uname", "getuid", "geteuid", "getgid", "getegid", "getuid32",
      "geteuid32",
      "getgid32", "getegid32", "clock_getres", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep",
      "getrusage",
    ] { allow(name) }
  }
}
