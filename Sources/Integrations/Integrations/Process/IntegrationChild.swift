// The box's handle on an integration's process. Control thread only; never waits.

import CLinux
import Platform

/// A process of this program, with the subcommand `serve`. When this object goes, the process goes, with all that it has started: in its
/// sandbox that is nothing.
package final class IntegrationChild {
  private var child: ChildProcess
  private let reports: FileDescriptor

  /// Starts it. What it says on its standard error is in the box's log. A password is no word of its command line, which all may read.
  package init(_ order: IntegrationOrder) throws(SystemError) {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let pipe = try Pipe()
    // A name server that does not answer keeps it for less than the silence for which it would be replaced.
    let variables =
      ["MALLOC_ARENA_MAX=1", "RES_OPTIONS=timeout:2 attempts:2"]
      + (order.password.map { ["SWIFTLET_PASSWORD=" + $0] } ?? [])
      + (Environment.value("DBUS_SYSTEM_BUS_ADDRESS").map { ["DBUS_SYSTEM_BUS_ADDRESS=" + $0] } ?? [])
    child = try ChildProcess.spawn(
      Executable.own,
      arguments: ["swiftlet", "serve", order.name] + order.words
        + ["--socket", order.socket, "--parent", String(getpid())],
      environment: Environment.sandboxed(variables), descriptors: [null.raw, pipe.input.raw, 2])
    reports = pipe.takeOutput()
    try reports.setNonBlocking()
  }

  deinit { child.killGroup() }

  /// The number of its process, and of the group of all that it starts.
  package var number: Int32 { child.pid }

  /// For a scheduler: readable when it has ended.
  package var descriptor: Int32 { child.descriptor }

  /// For a scheduler: readable when it has said something.
  package var voice: Int32 { reports.raw }

  /// What it has said since the last time, empty for nothing; nil: it says nothing more.
  package func heard() -> [UInt8]? {
    var bytes: [UInt8]?
    do throws(SystemError) { bytes = try reports.read(atMost: 4096) } catch { return nil }
    guard let bytes else { return [] }
    return bytes.isEmpty ? nil : bytes
  }

  /// Why it has ended, in a few words; nil while it runs.
  package func ending() -> String? {
    var entry = pollfd(fd: child.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return nil }
    // Before its number is free for others.
    child.killGroup()
    return switch child.reap()?.cause {
    case nil: nil
    // Its last words say more.
    case .exited(let status)?: "it ended with status \(status)"
    case .killed(let signal)?: "signal \(signal) ended it"
    }
  }
}
