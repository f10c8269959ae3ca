// The daemon's handle on the process of an integration (MPD, MQTT or discovery). Control thread only; never blocks.

import CLinux
import Platform

/// A process of this program with the subcommand `serve`. The process and its process group are killed with this
/// object; the sandbox prevents it from starting others.
package final class IntegrationChild {
  private var child: ChildProcess
  private let reports: FileDescriptor

  /// Starts the process. Its standard error goes to the daemon's log. The password is passed in the environment,
  /// because command lines are readable by all users.
  package init(_ order: IntegrationOrder) throws(SystemError) {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let pipe = try Pipe()
    // Keeps name lookups shorter than the silence after which the process would be replaced.
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

  /// The process id, which is also the id of its process group.
  package var number: Int32 { child.pid }

  /// The descriptor to watch for the process's end.
  package var descriptor: Int32 { child.descriptor }

  /// The descriptor to watch for reports.
  package var voice: Int32 { reports.raw }

  /// Reads the reports received since the last call.
  ///
  /// - Returns: The bytes, empty if there are none; nil at the end of the pipe.
  package func heard() -> [UInt8]? {
    var bytes: [UInt8]?
    do throws(SystemError) { bytes = try reports.read(atMost: 4096) } catch { return nil }
    guard let bytes else { return [] }
    return bytes.isEmpty ? nil : bytes
  }

  /// The reason why the process has ended; nil while it runs.
  package func ending() -> String? {
    var entry = pollfd(fd: child.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return nil }
    // Kill the group before the process id is reaped and may be reused.
    child.killGroup()
    return switch child.reap()?.cause {
    case nil: nil
    // The process's last report has a better explanation.
    case .exited(let status)?: "it ended with status \(status)"
    case .killed(let signal)?: "signal \(signal) ended it"
    }
  }
}
