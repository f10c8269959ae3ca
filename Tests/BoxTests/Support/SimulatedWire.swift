// A connection to the control socket, and the socket. One thread.

import Platform

/// Both ends of a connection: the box has it as its channel, a test writes to it and reads what comes.
final class SimulatedWire: ByteChannel {
  let readable: Int32
  let writable: Int32
  private unowned let scheduler: SimulatedScheduler
  private var toBox: [UInt8] = []
  private var fromBox: [UInt8] = []
  private var isHungUp = false

  init(_ scheduler: SimulatedScheduler) {
    self.scheduler = scheduler
    readable = scheduler.makeDescriptor()
    writable = scheduler.makeDescriptor()
    scheduler.set(writable, isReady: true)
  }

  func type(_ line: String) {
    toBox += Array((line + "\n").utf8)
    scheduler.set(readable, isReady: true)
  }

  func hangUp() {
    isHungUp = true
    scheduler.set(readable, isReady: true)
  }

  /// What the box has said since it was last asked.
  func takeText() -> String {
    defer { fromBox = [] }
    return String(decoding: fromBox, as: UTF8.self)
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let bytes = Array(toBox.prefix(limit))
    toBox.removeFirst(bytes.count)
    if toBox.isEmpty, !isHungUp { scheduler.set(readable, isReady: false) }
    return bytes.isEmpty && !isHungUp ? nil : bytes
  }

  func write(_ bytes: [UInt8]) -> Int? {
    guard !isHungUp else { return nil }
    fromBox += bytes
    return bytes.count
  }
}

final class SimulatedListener: ChannelListener {
  let descriptor: Int32
  private unowned let scheduler: SimulatedScheduler
  private var waiting: [SimulatedWire] = []

  init(_ scheduler: SimulatedScheduler) {
    self.scheduler = scheduler
    descriptor = scheduler.makeDescriptor()
  }

  func connect() -> SimulatedWire {
    let wire = SimulatedWire(scheduler)
    waiting.append(wire)
    scheduler.set(descriptor, isReady: true)
    return wire
  }

  func accept() throws(SystemError) -> (any ByteChannel)? {
    let wire = waiting.isEmpty ? nil : waiting.removeFirst()
    scheduler.set(descriptor, isReady: !waiting.isEmpty)
    return wire
  }
}
