// A simulated box with an MPD server and clients. Test threads.

import Integrations
import Platform

@testable import Simulator

/// One end of an in-memory connection. One thread.
final class WireEnd: ByteChannel {
  private let input: SimulatedSource
  private let output: SimulatedSource
  private var arrived: [UInt8] = []
  private(set) var isHungUp = false
  private var other: WireEnd?
  /// How many bytes the other end accepts before it stops reading.
  var room = Int.max

  private init(_ scheduler: SimulatedScheduler) {
    input = SimulatedSource(scheduler)
    output = SimulatedSource(scheduler)
    output.signal()
  }

  static func pair(_ scheduler: SimulatedScheduler) -> (WireEnd, WireEnd) {
    let (one, two) = (WireEnd(scheduler), WireEnd(scheduler))
    one.other = two
    two.other = one
    return (one, two)
  }

  var readable: Int32 { input.descriptor }
  var writable: Int32 { output.descriptor }

  /// Closes both ends.
  func hangUp() {
    for end in [self, other] {
      end?.isHungUp = true
      end?.input.signal()
    }
    other?.other = nil
    other = nil
  }

  func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let bytes = Array(arrived.prefix(limit))
    arrived.removeFirst(bytes.count)
    if arrived.isEmpty, !isHungUp { input.clear() }
    return bytes.isEmpty && !isHungUp ? nil : bytes
  }

  func write(_ bytes: [UInt8]) -> Int? {
    guard let other, !isHungUp else { return nil }
    let count = min(room, bytes.count)
    if room != .max { room -= count }
    if room == 0 { output.clear() }
    other.arrived += bytes.prefix(count)
    if count > 0 { other.input.signal() }
    return count
  }
}

/// The server's listening socket.
final class Door: ChannelListener {
  /// The error of `accept`, and how often it was returned.
  var failure: Int32?
  private(set) var failures = 0
  private let source: SimulatedSource
  private var waiting: [WireEnd] = []

  init(_ scheduler: SimulatedScheduler) { source = SimulatedSource(scheduler) }

  var descriptor: Int32 { source.descriptor }

  func knock(_ wire: WireEnd) {
    waiting.append(wire)
    source.signal()
  }

  func accept() throws(SystemError) -> (any ByteChannel)? {
    if let code = failure {
      failures += 1
      throw SystemError("accept", code: code)
    }
    guard !waiting.isEmpty else { return nil }
    let wire = waiting.removeFirst()
    if waiting.isEmpty { source.clear() }
    return wire
  }
}

/// A client of the MPD protocol.
final class MPDWire {
  fileprivate let mine: WireEnd
  /// The server's end.
  let theirs: WireEnd
  private let clock: SimulatedScheduler
  private var said = ""

  init(_ clock: SimulatedScheduler) {
    self.clock = clock
    (mine, theirs) = WireEnd.pair(clock)
  }

  var isClosed: Bool { mine.isHungUp }

  func send(_ text: String) { _ = mine.write(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) { _ = mine.write(bytes) }
  func hangUp() { mine.hangUp() }

  /// Returns what the server has sent since the last call.
  func take() -> String {
    var text = ""
    while let bytes = try? mine.read(atMost: 65_536), !bytes.isEmpty {
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  /// Sends a command and returns the response as bytes.
  func askForBytes(_ line: String) -> [UInt8] {
    send(line + "\n")
    clock.run(seconds: 0.2)
    var answer: [UInt8] = []
    while let bytes = try? mine.read(atMost: 1 << 20), !bytes.isEmpty { answer += bytes }
    return answer
  }

  /// Sends commands and returns what the server sends within 200 simulated milliseconds.
  func ask(_ lines: String...) -> String {
    send(lines.joined(separator: "\n") + "\n")
    clock.run(seconds: 0.2)
    return take()
  }

  /// A field of a response; nil if it has none of that name.
  func field(_ name: String, of command: String = "status") -> String? {
    for line in ask(command).split(separator: "\n") where line.hasPrefix(name + ": ") {
      return String(line.dropFirst(name.count + 2))
    }
    return nil
  }
}

/// A box and an MPD server in the same simulated time.
final class MPDBench {
  let bench: Bench
  let door: Door
  private let link: BoxLink
  let server: MPDServer
  let sessions: BoxSessions
  private(set) var notes: [String] = []

  init(
    _ storage: SimulatedStorage = Bench.storage(), access: MPDAccess = MPDAccess(password: nil),
    library: FakeIndex? = nil
  ) throws {
    let bench = try Bench(storage, library: library)
    self.bench = bench
    let door = Door(bench.clock)
    self.door = door
    let sessions = BoxSessions(bench, .mpd)
    self.sessions = sessions
    let link = BoxLink(subjects: MPDServer.subjects, scheduler: bench.clock) { sessions.connect() }
    self.link = link
    let server = try MPDServer(door, box: link, access: access, scheduler: bench.clock)
    self.server = server
    link.onEvent = { server.note($0, $1) }
    link.onPresence = { _ in server.noteBox() }
    server.onNote = { [unowned self] in notes.append($0) }
    link.start()
    bench.clock.run(seconds: 0.1)
  }

  var clock: SimulatedScheduler { bench.clock }

  /// A connected client that has not read its greeting.
  func client() -> MPDWire {
    let wire = MPDWire(clock)
    door.knock(wire.theirs)
    clock.run(seconds: 0.05)
    return wire
  }

  /// A connected client that has read its greeting.
  func greeted() -> MPDWire {
    let wire = client()
    _ = wire.take()
    return wire
  }
}
