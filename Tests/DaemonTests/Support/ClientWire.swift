// A simulated connection to the control socket. One thread.

import Platform

@testable import Simulator

/// Both ends of a connection: the box uses it as its channel; a test types lines and reads the responses.
final class ClientWire: ByteChannel {
  private let wire: SimulatedWire
  private var said = ""
  /// Process group of the connected client.
  var peerGroup: Int32?
  /// Receives each line instead of `takeText`.
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

  /// Returns the lines that the box has sent since the last call.
  func takeText() -> String {
    defer { said = "" }
    return said
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? { try wire.read(atMost: limit) }
  func write(_ bytes: [UInt8]) -> Int? { wire.write(bytes) }
}
