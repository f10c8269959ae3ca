// The box's handle on a neighbour's process. Control thread only; never waits.

import CLinux
import Platform

/// A process of this program, with the subcommand `serve`. When this object goes, the process goes.
package final class NeighbourChild {
  private var child: ChildProcess

  /// Starts it. What it says on its standard error is in the box's log. A password is no word of its command line, which all may read.
  package init(_ order: NeighbourOrder) throws(SystemError) {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let variables = ["MALLOC_ARENA_MAX=1"] + (order.password.map { ["SWIFTLET_PASSWORD=" + $0] } ?? [])
    child = try ChildProcess.spawn(
      Executable.own,
      arguments: [
        "swiftlet", "serve", order.name, "--listen", order.address.text, "--socket", order.socket, "--parent",
        String(getpid()),
      ], environment: Environment.sandboxed(variables), descriptors: [null.raw, null.raw, 2])
  }

  /// For a scheduler: readable when it has ended.
  package var descriptor: Int32 { child.descriptor }

  /// Why it has ended, in a few words; nil while it runs.
  package func ending() -> String? {
    switch child.reap()?.cause {
    case nil: nil
    // Its last words say more.
    case .exited(let status)?: "it ended with status \(status)"
    case .killed(let signal)?: "signal \(signal) ended it"
    }
  }
}
