// The errors of MPD's protocol, and the translation of the daemon's refusals into them. Pure values.

import Platform

/// Error codes (MPD's `protocol/Ack.hxx`).
package enum MPDFault: Int, Sendable {
  case argument = 2
  case password = 3
  case permission = 4
  case unknown = 5
  case noSuchThing = 50
  case queueFull = 51
  case system = 52
  case playlistLoad = 53
  case player = 55
  case exists = 56
}

/// An error response, an `ACK` line.
package struct MPDRefusal: Error, Hashable, Sendable {
  /// The error code.
  package let fault: MPDFault
  /// The message for the user.
  package let text: String

  /// Creates an error.
  package init(_ fault: MPDFault, _ text: String) {
    self.fault = fault
    self.text = text
  }

  static let gone = MPDRefusal(.system, "the box does not answer")
  static let queueKeepsChanging = MPDRefusal(.player, "the queue keeps changing")
  static let noSuchSong = MPDRefusal(.noSuchThing, "No such song")
  static let badSongIndex = MPDRefusal(.argument, "Bad song index")

  static let queueFull = MPDRefusal(.queueFull, "Playlist is too large")
  static let noSuchDirectory = MPDRefusal(.noSuchThing, "No such directory")
  static let accessDenied = MPDRefusal(.permission, "Access denied")
  static let noDatabase = MPDRefusal(.noSuchThing, "No database")

  /// Translates a refusal of the daemon. Paths and console commands are removed from its message, since clients
  /// cannot use them.
  ///
  /// - Parameters:
  ///   - sentence: The daemon's message.
  ///   - fault: The error code.
  ///   - text: MPD's message for this error; nil: use the daemon's.
  static func box(_ sentence: String, _ fault: MPDFault, _ text: String?) -> MPDRefusal {
    if sentence.utf8.starts(with: "The queue holds".utf8) { return .queueFull }
    let bytes = Array(sentence.utf8)
    if let reason = Self.reasonOfLoss(bytes) { return MPDRefusal(.system, reason) }
    if Self.contains(bytes, "does not answer") {
      return MPDRefusal(.system, "the storage does not answer; try again")
    }
    if let text { return MPDRefusal(fault, text) }
    // Console advice follows a semicolon.
    let reason = bytes.prefix { $0 != 0x3B }
    guard !reason.contains(0x27), !reason.contains(0x2F) else {
      return MPDRefusal(fault, "the box cannot do that now")
    }
    return MPDRefusal(fault, String(decoding: reason, as: UTF8.self))
  }

  /// The reason why a change was not saved, without the path; nil for other refusals.
  private static func reasonOfLoss(_ sentence: [UInt8]) -> String? {
    if sentence.starts(with: "not saved yet: ".utf8) { return "not saved yet: the storage does not answer" }
    guard sentence.starts(with: "not saved: ".utf8) else { return nil }
    let reason = sentence.prefix { $0 != 0x3B }
    guard let path = reason.lastIndex(of: 0x2F), let colon = reason[path...].firstIndex(of: 0x3A) else {
      return String(decoding: reason, as: UTF8.self)
    }
    return "not saved" + String(decoding: reason[colon...], as: UTF8.self)
  }

  private static func contains(_ text: [UInt8], _ part: StaticString) -> Bool {
    let part = UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount)
    return text.indices.contains { text[$0...].starts(with: part) }
  }

  /// The ACK line for the command at an index of its command list.
  package func line(command: String, index: Int) -> String {
    "ACK [\(fault.rawValue)@\(index)] {\(command)} \(text.replacingControls())\n"
  }
}
