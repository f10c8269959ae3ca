// A connection to the control socket. One thread.

import Platform

@testable import Simulator

/// Both ends of a connection: the box has it as its channel, a test types lines and reads what comes.
final class ClientWire: ByteChannel {
  private let wire: SimulatedWire
  private var said = ""
  /// Whose process has connected.
  var peerGroup: Int32?
  /// Gets each line instead of `takeText`.
  var onSaid: ((String) -> Void)?

  init(_ scheduler: SimulatedScheduler) {
    wire = SimulatedWire(scheduler)
    wire.onSaid = { [unowned self] line in
      if let onSaid { onSaid(line) } else { said += line + "\n" }
    }
  }

  var readable: Int32 { wire.readable }
  var writable: Int32 { wire.writable }
  var isHungUp: Bool { wire.isHungUp }

  func type(_ line: String) { wire.send(Array((line + "\n").utf8)) }

  func hangUp() { wire.hangUp() }

  /// The lines that the box has said since it was last asked.
  func takeText() -> String {
    defer { said = "" }
    return said
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? { try wire.read(atMost: limit) }
  func write(_ bytes: [UInt8]) -> Int? { wire.write(bytes) }
}
