// System calls that a sandboxed process may make, as data. Values; any thread.

import CLinux

/// A list of rules for system calls. The kernel searches them in order, and ends the process at a call that no rule
/// names.
package struct SystemCallRules: Sendable {
  /// What happens at a call that meets the conditions.
  enum Action: Equatable, Sendable {
    case allow
    /// The call fails with an errno.
    case refuse(Int32)
    /// The call raises SIGSYS, which a handler can report.
    case trap
  }

  struct Rule: Sendable {
    let name: String
    let action: Action
    /// All of them must be met.
    let conditions: [Condition]
  }

  /// A condition on an argument of a system call.
  package struct Condition: Sendable {
    enum Comparison: Sendable { case equals, has, lacks }

    let argument: UInt32
    let comparison: Comparison
    let value: UInt64

    /// The argument equals a value.
    package init(argument: UInt32, equals value: UInt64) {
      (self.argument, comparison, self.value) = (argument, .equals, value)
    }
    /// The argument has all of these bits.
    package init(argument: UInt32, has bits: UInt64) {
      (self.argument, comparison, value) = (argument, .has, bits)
    }
    /// The argument has none of these bits.
    package init(argument: UInt32, lacks bits: UInt64) {
      (self.argument, comparison, value) = (argument, .lacks, bits)
    }
  }

  let list: [Rule]

  /// Joins lists.
  package init(_ lists: SystemCallRules...) { list = lists.flatMap { $0.list } }

  private init(_ names: [String], _ action: Action, _ conditions: [Condition] = []) {
    list = names.map { Rule(name: $0, action: action, conditions: conditions) }
  }

  /// Allows calls whose arguments meet all conditions. Calls that this processor does not have are ignored.
  package static func allow(_ names: [String], where conditions: [Condition] = []) -> SystemCallRules {
    SystemCallRules(names, .allow, conditions)
  }

  /// Allows calls on some descriptors.
  package static func allow(_ names: [String], onDescriptors descriptors: [Int32]) -> SystemCallRules {
    SystemCallRules(
      flattening: descriptors.map { descriptor in
        allow(names, where: [Condition(argument: 0, equals: UInt64(descriptor))])
      })
  }

  private init(flattening lists: [SystemCallRules]) { list = lists.flatMap { $0.list } }

  /// Makes calls fail with an errno.
  package static func refuse(_ names: [String], with error: Int32) -> SystemCallRules {
    SystemCallRules(names, .refuse(error))
  }

  /// Makes calls raise SIGSYS, which a handler can report.
  package static func trap(_ names: [String]) -> SystemCallRules { SystemCallRules(names, .trap) }
}

// MARK: Lists that several processes share

extension SystemCallRules {
  /// Sends signals to this process only, because other processes have the same user.
  ///
  /// - Parameter signal: The only signal; nil: any.
  package static func signalingItself(by signal: Int32? = nil) -> SystemCallRules {
    let itself = Condition(argument: 0, equals: UInt64(getpid()))
    return allow(
      ["tgkill"], where: [itself] + (signal.map { [Condition(argument: 2, equals: UInt64($0))] } ?? []))
  }

  /// Maps memory that is not executable.
  ///
  /// - Parameter isAnonymous: Whether files cannot be mapped.
  package static func mappingData(isAnonymous: Bool) -> SystemCallRules {
    let data = Condition(argument: 2, lacks: UInt64(PROT_EXEC))
    return SystemCallRules(
      allow(
        ["mmap", "mmap2"],
        where: isAnonymous ? [data, Condition(argument: 3, has: UInt64(MAP_ANONYMOUS))] : [data]),
      allow(["mprotect"], where: [data]))
  }

  /// Maps libraries as executable, but no memory that is both writable and executable.
  package static let mappingLibraries = SystemCallRules(
    allow(["mmap", "mmap2"], where: [Condition(argument: 2, lacks: UInt64(PROT_EXEC))]),
    allow(["mmap", "mmap2"], where: [Condition(argument: 2, lacks: UInt64(PROT_WRITE))]),
    allow(["mprotect"], where: [Condition(argument: 2, lacks: UInt64(PROT_EXEC))]))

  /// Opens and reads files. The flags of open(2) must not include writing.
  package static let readingFiles: SystemCallRules = {
    let writing = UInt64(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
    return SystemCallRules(
      allow(["open"], where: [Condition(argument: 1, lacks: writing)]),
      allow(["openat"], where: [Condition(argument: 2, lacks: writing)]),
      allow([
        "newfstatat", "fstatat64", "fstat", "fstat64", "stat", "stat64", "lstat", "statx", "lseek", "_llseek",
        "pread64", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd",
        "fstatfs", "fstatfs64",
      ]),
      // Exclude the commands that set the receiver of signals (F_SETOWN, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP),
      // which may be any process of this user. The one ioctl of that range that the resolver needs is
      // SIOCGIFINDEX (0x8933), for scoped addresses.
      allow(["fcntl", "fcntl64"], where: [Condition(argument: 1, lacks: 8)]),
      allow(["ioctl"], where: [Condition(argument: 1, lacks: 0x8000)]),
      allow(["ioctl"], where: [Condition(argument: 1, equals: 0x8933)]))
  }()

  /// Creates sockets of a family.
  package static func creatingSockets(_ family: Int32) -> SystemCallRules {
    allow(["socket"], where: [Condition(argument: 0, equals: UInt64(family))])
  }

  /// Internet sockets, and netlink, from which the resolver reads the list of local addresses.
  package static let internet = SystemCallRules(
    creatingSockets(AF_INET), creatingSockets(AF_INET6), creatingSockets(CLINUX_AF_NETLINK),
    allow(["socketpair"], where: [Condition(argument: 0, equals: UInt64(AF_UNIX))]),
    allow([
      "connect", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown", "sendmmsg", "recvmmsg",
      "recvmmsg_time64", "eventfd2", "pipe2",
    ]),
    // The resolver binds only its netlink socket.
    allow(["bind"]))

  /// The resolver's other calls. Sockets and library loading are separate lists.
  package static let lookingUp = allow([
    "recvmsg", "sendmsg", "sysinfo", "uname", "getuid", "geteuid", "getgid", "getegid", "getuid32",
    "geteuid32", "getgid32", "getegid32", "clock_getres", "clock_nanosleep", "clock_nanosleep_time64",
    "nanosleep", "getrusage",
  ])

  /// Starts threads, but no processes. The flags of clone3 are in memory, which a filter cannot read; libc falls
  /// back to clone.
  package static let startingThreads = SystemCallRules(
    allow(["clone"], where: [Condition(argument: 0, has: UInt64(CLINUX_CLONE_THREAD))]),
    refuse(["clone3"], with: ENOSYS), allow(["set_robust_list", "rseq", "sigaltstack"]))
}
