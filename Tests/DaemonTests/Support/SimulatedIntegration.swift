// An integration's process that says that it is alive, until the test ends or stops it. One thread.

import Daemon
import Integrations
import Platform

@testable import Simulator

/// What became of one that was started.
final class IntegrationTrace {
  let order: IntegrationOrder
  let startedAt: UInt64
  /// The number of its process.
  let number: Int32
  fileprivate weak var process: SimulatedIntegration?
  fileprivate(set) var isGone = false
  /// Whether it stands still (SIGSTOP), and says nothing.
  var isStopped = false

  init(_ order: IntegrationOrder, number: Int32, at time: UInt64) {
    self.order = order
    self.number = number
    startedAt = time
  }

  /// The value of an option of its command line; nil where it is not given.
  func option(_ name: String) -> String? {
    guard let index = order.words.firstIndex(of: name), index + 1 < order.words.count else { return nil }
    return order.words[index + 1]
  }

  /// The process ends by itself.
  func end(_ reason: String) {
    process?.reason = reason
    process?.source.signal()
  }

  /// It lets the box know something.
  func say(_ report: IntegrationReport) { say(report.line) }
  func say(_ bytes: [UInt8]) { process?.say(bytes) }

  /// It closes its standard output.
  func fallSilent() {
    process?.isClosed = true
    process?.output.signal()
  }
}

final class SimulatedIntegration: IntegrationProcess {
  fileprivate let source: SimulatedSource
  fileprivate let output: SimulatedSource
  fileprivate var reason: String?
  fileprivate var isClosed = false
  private var said: [UInt8] = []
  private let trace: IntegrationTrace
  private let beat: DeadlineTimer

  init(_ trace: IntegrationTrace, _ clock: SimulatedScheduler) {
    source = SimulatedSource(clock)
    output = SimulatedSource(clock)
    self.trace = trace
    beat = DeadlineTimer(clock)
    trace.process = self
    turn()
  }

  deinit { trace.isGone = true }

  private func turn() {
    if !trace.isStopped, !isClosed { say(IntegrationReport.beat.line) }
    beat.start(after: IntegrationReport.interval) { [unowned self] in turn() }
  }

  fileprivate func say(_ bytes: [UInt8]) {
    said += bytes
    output.signal()
  }

  var number: Int32 { trace.number }
  var descriptor: Int32 { source.descriptor }
  var voice: Int32 { output.descriptor }
  func ending() -> String? { reason }

  func heard() -> [UInt8]? {
    defer { said = [] }
    if said.isEmpty, isClosed { return nil }
    output.clear()
    return said
  }
}
