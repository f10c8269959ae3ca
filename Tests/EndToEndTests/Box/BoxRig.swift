// A real daemon with a virtual sound card, driven through its control socket. Test threads.

import ChildSupport
import Foundation
import Testing
import VirtualCardSupport

import func CLinux.clinux_connect_unix

/// The client's end of a control socket.
final class ControlClient {
  struct Silent: Error { let command: String }

  let descriptor: Int32
  private var buffer: [UInt8] = []
  private(set) var isClosed = false

  init?(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    // If this initializer fails, deinit closes the descriptor.
    guard clinux_connect_unix(descriptor, path) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Sends bytes; blocks while the daemon does not read.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the next line without its terminator; nil after the timeout or if the daemon has closed the
  /// connection.
  func line(seconds: Double = 20) -> String? {
    let end = DispatchTime.now() + seconds
    while true {
      if let index = buffer.firstIndex(of: 0x0A) {
        defer { buffer.removeSubrange(...index) }
        return String(decoding: buffer[..<index], as: UTF8.self)
      }
      let now = DispatchTime.now()
      guard now < end else { return nil }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let wait = (end.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000
      guard poll(&wanted, 1, Int32(wait) + 1) > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else {
        isClosed = true
        return nil
      }
      buffer += chunk[..<count]
    }
  }

  /// Sends a line and waits for the response: all its lines, the last of which starts with `ok` or `error:`.
  func ask(_ command: String) throws -> [String] {
    send(Array((command + "\n").utf8))
    var lines: [String] = []
    while let line = line() {
      lines.append(line)
      if line.hasPrefix("ok") || line.hasPrefix("error:") || line.hasPrefix("{") { return lines }
    }
    throw Silent(command: command)
  }
}

/// A box in the test's temporary directory.
final class BoxRig {
  struct Refused: Error {
    let command: String
    let answer: String
  }

  let bench: Workbench
  let card: VirtualCard
  let configuration: String
  let checkpoint: String
  let socket: String
  private let environment: [String: String]
  private(set) var daemon: Child
  private(set) var client: ControlClient

  /// Starts a daemon; `lines` are appended to its configuration. By default the card takes floats, so that
  /// nothing is dithered, and the volume is 100 %.
  init(
    _ lines: [String] = [], bench: Workbench? = nil, card: VirtualCard? = nil, faults: Faults? = nil,
    environment: [String: String] = [:]
  ) throws {
    let bench = try bench ?? Workbench()
    let card = try card ?? VirtualCard()
    self.bench = bench
    self.card = card
    configuration = bench.path("swiftlet.conf")
    checkpoint = bench.path("checkpoint")
    socket = bench.path("control")
    self.environment = card.environment.merging(faults?.environment ?? [:]) { $1 }.merging(environment) { $1 }
    let given = [
      "set output.device \(card.deviceName)", "set output.format FLOAT", "set output.rate 44100",
      "set media.root \(bench.directory.path)", "set media.removable off", "set cues.enabled off",
      "set volume.start 100", "set socket.path \(socket)", "set checkpoint.path \(checkpoint)",
    ]
    try bench.write(Data((given + lines).map { $0 + "\n" }.joined().utf8), as: "swiftlet.conf")
    (daemon, client) = try Self.launch(bench, self.environment, socket)
  }

  deinit { if daemon.isRunning { kill(daemon.identifier, SIGKILL) } }

  private static func launch(
    _ bench: Workbench, _ environment: [String: String], _ socket: String
  ) throws -> (Child, ControlClient) {
    let daemon = try bench.start(
      ["run", "--strict", "--config", bench.path("swiftlet.conf")], environment: environment)
    var client: ControlClient?
    _ = bench.waits {
      client = ControlClient(socket)
      return client != nil || !daemon.isRunning
    }
    guard let client else { throw Workbench.ToolFailed(line: "no daemon: \(daemon.errorsSoFar)") }
    return (daemon, client)
  }

  /// Starts the daemon again after `pullPlug` or a shutdown.
  func restart() throws { (daemon, client) = try Self.launch(bench, environment, socket) }

  /// Kills the daemon, like a power cut.
  func pullPlug() {
    kill(daemon.identifier, SIGKILL)
    _ = daemon.wait(seconds: 20)
  }

  /// The end of the log, and the most informative lines of a crash.
  private var exitReason: String {
    String(
      daemon.errorsSoFar.split(separator: "\n").filter { !$0.contains("failed to suspend") }
        .joined(separator: "\n").suffix(5000))
  }

  /// Opens another session.
  func session() throws -> ControlClient { try #require(ControlClient(socket)) }

  /// Sends a command that must succeed. Returns all lines of the response.
  @discardableResult
  func tell(_ command: String) throws -> [String] {
    guard let lines = try? client.ask(command) else {
      throw Refused(command: command, answer: "none; \(daemon.isRunning) \(exitReason)")
    }
    guard let last = lines.last, last.hasPrefix("ok") else {
      throw Refused(command: command, answer: lines.joined(separator: " / "))
    }
    return lines
  }

  /// Sends a command that must be refused. Returns the reason.
  func refusal(of command: String) throws -> String {
    let lines = try client.ask(command)
    return try #require(lines.last?.hasPrefix("error:") == true ? lines.last : nil, "\(command): \(lines)")
  }

  /// The fields of a response such as `status`.
  func fields(_ command: String = "status") throws -> [String: String] {
    var fields: [String: String] = [:]
    for line in try tell(command).dropLast() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return fields
  }

  /// Writes coded tracks as `NUMBER.wav`.
  func tracks(_ numbers: ClosedRange<Int>, seconds: Double) throws {
    for number in numbers { try bench.write(Coded.track(number, seconds: seconds), as: "\(number).wav") }
  }

  /// Waits until the recording meets a condition.
  func hears(
    seconds: Double = 20, _ condition: ([Segment]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = DispatchTime.now() + seconds
    while !condition(card.segments) {
      guard DispatchTime.now() < end, daemon.isRunning else {
        let asked = daemon.isRunning ? ["status", "history 12", "stats"] : []
        let status = asked.flatMap { (try? tell($0)) ?? ["-"] }.joined(separator: "\n")
        Issue.record(
          "heard \(card.segments.suffix(8)); \(status)\n\(daemon.errorsSoFar.prefix(2500))",
          sourceLocation: sourceLocation)
        throw Refused(command: "hear", answer: "not heard")
      }
      usleep(20_000)
    }
  }

  /// Waits until `status` shows a state.
  func reaches(_ state: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var last = ""
    let isThere = bench.waits {
      last = (try? fields()["state"]) ?? "?"
      return last == state
    }
    try #require(
      isThere, "\(last) instead of \(state): \(daemon.errorsSoFar)", sourceLocation: sourceLocation)
  }

  /// Waits until the card has stopped or plays silence.
  func fallsSilent() throws {
    let isSilent = bench.waits {
      let before = card.floats.lastIndex { $0 != 0 }
      usleep(150_000)
      return card.floats.lastIndex { $0 != 0 } == before
    }
    try #require(isSilent)
  }

  /// Whether the log gets a line with all the words.
  func logs(_ words: String...) -> Bool {
    bench.waits {
      daemon.errorsSoFar.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
    }
  }
}
