// A simulated integration process that sends heartbeats until the test ends or stops it. One thread.

import Daemon
import Integrations
import Platform

@testable import Simulator

/// Record of a started integration process.
final class IntegrationTrace {
  let order: IntegrationOrder
  let startedAt: UInt64
  /// The process id.
  let number: Int32
  fileprivate weak var process: SimulatedIntegration?
  fileprivate(set) var isGone = false
  /// Whether the process is stopped (SIGSTOP) and thus silent.
  var isStopped = false

  init(_ order: IntegrationOrder, number: Int32, at time: UInt64) {
    self.order = order
    self.number = number
    startedAt = time
  }

  /// The value of a command line option; nil if it is not given.
  func option(_ name: String) -> String? {
    guard let index = order.words.firstIndex(of: name), index + 1 < order.words.count else { return nil }
    return order.words[index + 1]
  }

  /// The process ends by itself.
  func end(_ reason: String) {
    process?.reason = reason
    process?.source.signal()
  }

  /// Sends a report to the box.
  func say(_ report: IntegrationReport) { say(report.line) }
  func say(_ bytes: [UInt8]) { process?.say(bytes) }

  /// Closes the standard output.
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
