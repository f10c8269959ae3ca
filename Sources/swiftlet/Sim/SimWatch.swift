// What the box is doing, by its control socket. Main thread; never waits.

import PlaybackModel
import Platform

/// A session that watches.
final class SimWatch {
  private static let longestLine = 65_536
  private let connection: FileDescriptor
  private let onState: (String, Indicator) -> Void
  private var line: [UInt8] = []
  private var watch: DescriptorWatch?

  /// Nil while nobody listens at the socket.
  init?(socket: String, scheduler: any Scheduler, onState: @escaping (String, Indicator) -> Void) {
    guard let connected = try? LocalConnection(path: socket) else { return nil }
    guard let copy = try? connected.socket.duplicate() else { return nil }
    connection = copy
    self.onState = onState
    let wanted = Array("watch state position light\nstatus\n".utf8)
    guard (try? connection.writeAll(wanted)) != nil, (try? connection.setNonBlocking()) != nil else {
      return nil
    }
    watch = try? DescriptorWatch(scheduler, readable: connection.raw) { [unowned(unsafe) self] in
      guard let bytes = try? connection.read(atMost: 4096) else { return }
      if bytes.isEmpty { watch = nil }
      for byte in bytes { take(byte) }
    }
  }

  private var text = ""
  private var indicator = Indicator(.none, .off)

  private func take(_ byte: UInt8) {
    guard byte == 0x0A else {
      if line.count < Self.longestLine { line.append(byte) }
      return
    }
    let words = String(decoding: line, as: UTF8.self)
    line = []
    // Notices tell that something has changed, `status` tells what.
    if words.hasPrefix("* ") {
      try? connection.writeAll(Array("status\n".utf8))
    } else if let value = Self.value(of: "text", in: words) {
      text = value
    } else if let value = Self.value(of: "light", in: words), let light = Indicator(text: value) {
      indicator = light
    } else if let value = Self.value(of: "position", in: words) {
      text += " " + value + " s"
    } else if words == "ok" {
      onState(text, indicator)
    }
  }

  /// The value of `  name:   value`.
  private static func value(of name: String, in line: String) -> String? {
    let start = "  " + name + ":"
    guard line.hasPrefix(start) else { return nil }
    return String(decoding: line.utf8.dropFirst(start.utf8.count).drop { $0 == 0x20 }, as: UTF8.self)
  }
}
