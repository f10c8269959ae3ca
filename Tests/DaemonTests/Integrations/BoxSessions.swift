// Control sessions between an integration under test and a simulated box. Test threads.

import Console
import Platform
import Testing

@testable import Simulator

/// The box's control socket as an integration sees it.
final class BoxSessions {
  /// Whether connecting succeeds.
  var hasBox = true
  private let bench: Bench
  private let kind: IntegrationKind
  private var bridges: [Bridge] = []

  /// Sessions that refuse commands which the integration has no permission for.
  init(_ bench: Bench, _ kind: IntegrationKind) {
    self.bench = bench
    self.kind = kind
  }

  func connect() -> (any ByteChannel)? {
    guard hasBox else { return nil }
    let bridge = Bridge(bench.clock, bench.machine.listener.connect(), kind)
    bridges.append(bridge)
    return bridge
  }

  /// The box's process ends, and its sessions with it.
  func loseBox() {
    hasBox = false
    for bridge in bridges { bridge.hangUp() }
    bridges = []
    bench.clock.run(seconds: 0.1)
  }
}

/// The server's end of a session; the box's end is a `ClientWire`.
private final class Bridge: ByteChannel {
  private let wire: ClientWire
  private let input: SimulatedSource
  private let output: SimulatedSource
  private var arrived: [UInt8] = []
  private(set) var isHungUp = false
  private var typed: [UInt8] = []
  private let kind: IntegrationKind

  init(_ clock: SimulatedScheduler, _ wire: ClientWire, _ kind: IntegrationKind) {
    self.wire = wire
    self.kind = kind
    input = SimulatedSource(clock)
    output = SimulatedSource(clock)
    output.signal()
    wire.onSaid = { [unowned self] line in
      arrived += Array((line + "\n").utf8)
      input.signal()
    }
  }

  deinit { wire.onSaid = nil }

  var readable: Int32 { input.descriptor }
  var writable: Int32 { output.descriptor }

  func hangUp() {
    isHungUp = true
    wire.onSaid = nil
    wire.hangUp()
    input.signal()
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let bytes = Array(arrived.prefix(limit))
    arrived.removeFirst(bytes.count)
    if arrived.isEmpty, !isHungUp { input.clear() }
    return bytes.isEmpty && !isHungUp ? nil : bytes
  }

  func write(_ bytes: [UInt8]) -> Int? {
    guard !isHungUp else { return nil }
    typed += bytes
    while let end = typed.firstIndex(of: 0x0A) {
      if let command = try? Interpreter.parse(Array(typed[..<end])), !kind.mayGive(command) {
        Issue.record("\(kind.title) has no right to '\(String(decoding: typed[..<end], as: UTF8.self))'")
      }
      wire.type(String(decoding: typed[..<end], as: UTF8.self))
      typed.removeSubrange(...end)
    }
    return bytes.count
  }
}
