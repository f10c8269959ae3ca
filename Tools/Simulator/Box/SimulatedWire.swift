// Simulated connection to a box: control socket session or serial line. One thread.

import Platform

/// Both ends of a connection: the box uses it as its byte channel, the simulation types and reads.
final class SimulatedWire: ByteChannel {
  private let input: SimulatedSource
  private let output: SimulatedSource
  private var toBox: [UInt8] = []
  private var line: [UInt8] = []
  private(set) var isHungUp = false
  /// Bytes that still fit into the output; limited for a client that does not read.
  var room = Int.max
  /// Called when the box has read a whole line, before it handles the line.
  var onTaken: (String) -> Void = { _ in }
  /// Called with each whole line that the box writes.
  var onSaid: (String) -> Void = { _ in }

  init(_ scheduler: SimulatedScheduler) {
    input = SimulatedSource(scheduler)
    output = SimulatedSource(scheduler)
    output.signal()
  }

  var readable: Int32 { input.descriptor }
  var writable: Int32 { output.descriptor }

  func send(_ bytes: [UInt8]) {
    toBox += bytes
    input.signal()
  }

  func hangUp() {
    isHungUp = true
    input.signal()
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    // One line at a time, so that `onTaken` is called when the box handles the line.
    var count = min(limit, toBox.count)
    if let end = toBox.firstIndex(of: 0x0A) { count = min(count, end + 1) }
    let bytes = Array(toBox.prefix(count))
    toBox.removeFirst(count)
    if toBox.isEmpty, !isHungUp { input.clear() }
    if bytes.last == 0x0A { onTaken(String(decoding: bytes.dropLast(), as: UTF8.self)) }
    return bytes.isEmpty && !isHungUp ? nil : bytes
  }

  func write(_ bytes: [UInt8]) -> Int? {
    guard !isHungUp else { return nil }
    let count = min(room, bytes.count)
    if room != .max {
      room -= count
      if room == 0 { output.clear() }
    }
    for byte in bytes.prefix(count) {
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      let text = String(decoding: line, as: UTF8.self)
      line = []
      onSaid(text)
    }
    if line.count > 1 << 17 { line = [] }
    return count
  }
}

/// Control socket. `makeWire` makes the connections, so that clients can bring their own type.
final class SimulatedListener<Wire: ByteChannel>: ChannelListener {
  private let source: SimulatedSource
  private var waiting: [Wire] = []
  private let makeWire: () -> Wire

  init(_ scheduler: SimulatedScheduler, _ makeWire: @escaping (SimulatedScheduler) -> Wire) {
    self.makeWire = { makeWire(scheduler) }
    source = SimulatedSource(scheduler)
  }

  var descriptor: Int32 { source.descriptor }

  func connect() -> Wire {
    let wire = makeWire()
    waiting.append(wire)
    source.signal()
    return wire
  }

  func accept() throws(SystemError) -> (any ByteChannel)? {
    let wire = waiting.isEmpty ? nil : waiting.removeFirst()
    if waiting.isEmpty { source.clear() }
    return wire
  }
}
