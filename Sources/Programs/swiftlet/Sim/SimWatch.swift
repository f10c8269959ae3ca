// Follows the daemon's status on its control socket, for the panel of `swiftlet sim`. Main thread; never blocks.

import PlaybackModel
import Platform

/// The daemon's status.
struct SimStatus {
  /// State of the player as text.
  var text = "starting"
  var indicator = Indicator(.none, .off)
  var title = ""
  var artist = ""
  var position = ""
  var length = ""
  var volume = ""
  /// Text for repeat, shuffle and sleep timer, if they are on.
  var modes = ""

  /// Line with title, position, volume and modes.
  var music: String {
    guard !volume.utf8.isEmpty else { return "" }
    var parts: [String] = []
    if !title.utf8.isEmpty { parts.append(artist.utf8.isEmpty ? title : artist + " – " + title) }
    if !position.utf8.isEmpty { parts.append(position + (length.utf8.isEmpty ? "" : "/" + length)) }
    parts.append("volume " + volume)
    var text = ""
    for part in parts { text += (text.utf8.isEmpty ? "" : " · ") + part }
    return text + modes
  }
}

/// Client session that requests the status after each event.
final class SimWatch {
  private static let maxLineLength = 65_536
  private let connection: FileDescriptor
  private let onStatus: (SimStatus) -> Void
  private var line: [UInt8] = []
  private var watch: DescriptorWatch?

  /// Connects to the socket.
  ///
  /// - Returns: nil if no daemon listens.
  init?(socket: String, scheduler: any Scheduler, onStatus: @escaping (SimStatus) -> Void) {
    guard let connected = try? LocalConnection(path: socket) else { return nil }
    guard let copy = try? connected.socket.duplicate() else { return nil }
    connection = copy
    self.onStatus = onStatus
    let wanted = Array("watch on\nstatus\n".utf8)
    guard (try? connection.writeAll(wanted)) != nil, (try? connection.setNonBlocking()) != nil else {
      return nil
    }
    watch = try? DescriptorWatch(scheduler, readable: connection.raw) { [unowned(unsafe) self] in
      guard let bytes = try? connection.read(atMost: 4096) else { return }
      if bytes.isEmpty { watch = nil }
      for byte in bytes { take(byte) }
    }
  }

  /// Fields of the reply being received.
  private var status = SimStatus()

  private func take(_ byte: UInt8) {
    guard byte == 0x0A else {
      if line.count < Self.maxLineLength { line.append(byte) }
      return
    }
    let words = String(decoding: line, as: UTF8.self)
    line = []
    // An event only signals a change; request the new status.
    if words.hasPrefix("* ") {
      try? connection.writeAll(Array("status\n".utf8))
    } else if words == "ok" {
      onStatus(status)
      status = SimStatus()
    } else {
      note(words)
    }
  }

  private func note(_ line: String) {
    func value(_ name: String) -> String? { Self.value(of: name, in: line) }
    func clock(_ text: String) -> String {
      Decimal.parse(text[...]).map { Decimal.clock(seconds: $0) } ?? text
    }
    if let text = value("text") { status.text = text }
    if let text = value("light"), let light = Indicator(text: text) { status.indicator = light }
    if let text = value("title") { status.title = text }
    if let text = value("artist") { status.artist = text }
    if let text = value("position") { status.position = clock(text) }
    if let text = value("length") { status.length = clock(text) }
    if let text = value("volume") { status.volume = text }
    if let text = value("repeat"), text != "off" { status.modes += " · repeats " + text }
    if value("shuffle") == "yes" { status.modes += " · shuffle" }
    if value("sleep-seconds") != nil { status.modes += " · sleep timer" }
    if let text = value("sleep-after") { status.modes += " · stops after this " + text }
  }

  /// Value of a status line `  name:   value`; nil if it has another name.
  private static func value(of name: String, in line: String) -> String? {
    let start = "  " + name + ":"
    guard line.hasPrefix(start) else { return nil }
    return String(decoding: line.utf8.dropFirst(start.utf8.count).drop { $0 == 0x20 }, as: UTF8.self)
  }
}
