// A neighbour's process that does nothing, until the test ends it. One thread.

import Daemon
import Neighbours
import Platform

@testable import Simulator

/// What became of one that was started.
final class NeighbourTrace {
  let order: NeighbourOrder
  let startedAt: UInt64
  fileprivate weak var process: SimulatedNeighbour?
  fileprivate(set) var isGone = false

  init(_ order: NeighbourOrder, at time: UInt64) {
    self.order = order
    startedAt = time
  }

  /// The process ends by itself.
  func end(_ reason: String) {
    process?.reason = reason
    process?.source.signal()
  }
}

final class SimulatedNeighbour: NeighbourProcess {
  fileprivate let source: SimulatedSource
  fileprivate var reason: String?
  private let trace: NeighbourTrace

  init(_ trace: NeighbourTrace, _ clock: SimulatedScheduler) {
    source = SimulatedSource(clock)
    self.trace = trace
    trace.process = self
  }

  deinit { trace.isGone = true }

  var descriptor: Int32 { source.descriptor }
  func ending() -> String? { reason }
}
