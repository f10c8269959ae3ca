// A connection to the control socket. One thread.

import Platform

@testable import Simulator

/// Both ends of a connection: the box has it as its channel, a test writes to it and reads what comes.
final class SimulatedWire: ByteChannel {
  private let input: SimulatedSource
  private let output: SimulatedSource
  private var toBox: [UInt8] = []
  private var fromBox: [UInt8] = []
  private var isHungUp = false

  init(_ scheduler: SimulatedScheduler) {
    input = SimulatedSource(scheduler)
    output = SimulatedSource(scheduler)
    output.signal()
  }

  var readable: Int32 { input.descriptor }
  var writable: Int32 { output.descriptor }

  func type(_ line: String) {
    toBox += Array((line + "\n").utf8)
    input.signal()
  }

  func hangUp() {
    isHungUp = true
    input.signal()
  }

  /// What the box has said since it was last asked.
  func takeText() -> String {
    defer { fromBox = [] }
    return String(decoding: fromBox, as: UTF8.self)
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let bytes = Array(toBox.prefix(limit))
    toBox.removeFirst(bytes.count)
    if toBox.isEmpty, !isHungUp { input.clear() }
    return bytes.isEmpty && !isHungUp ? nil : bytes
  }

  func write(_ bytes: [UInt8]) -> Int? {
    guard !isHungUp else { return nil }
    fromBox += bytes
    return bytes.count
  }
}
