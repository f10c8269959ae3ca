// Builds the body of an MPD response, without the final OK or ACK. A value.

import Platform

/// Lines of the form `Name: value`.
package struct MPDLines: Sendable {
  /// The encoded lines.
  package private(set) var bytes: [UInt8] = []

  /// An empty response.
  package init() {}

  /// Adds a pair. Control characters become blanks, to protect clients' terminals. Tabs are kept, because clients
  /// send names back and these must match.
  package mutating func add(_ name: String, _ value: String) {
    bytes += Array(name.utf8)
    bytes += [0x3A, 0x20]
    for (i, part) in value.utf8.split(separator: 0x09, omittingEmptySubsequences: false).enumerated() {
      if i > 0 { bytes.append(0x09) }
      bytes += Array(String(decoding: Array(part), as: UTF8.self).replacingControls().utf8)
    }
    bytes.append(0x0A)
  }

  /// Adds a pair with an integer.
  package mutating func add(_ name: String, _ number: Int) { add(name, String(number)) }

  /// Adds one line per value of each tag.
  mutating func add(_ tags: [MPDTag], values: (MPDTag) -> [String]) {
    for tag in tags { for value in values(tag) { add(tag.rawValue, value) } }
  }

  /// Adds a song's length, given as seconds in text.
  mutating func add(length: String) {
    add("Time", MPDLines.wholeSeconds(length))
    add("duration", length)
  }

  /// Parses seconds and rounds them to an integer.
  static func wholeSeconds(_ text: String) -> Int {
    // A damaged file may claim a length beyond 32 bits.
    Int(min((Decimal.parse(text[...]) ?? 0) + 0.5, Double(Int32.max)))
  }

  /// Adds the modification time if the row has one.
  mutating func add(modified row: BoxFields) {
    if let modified = row["modified"] { add("Last-Modified", modified) }
  }

  /// Adds a binary chunk with its size.
  mutating func add(binary: [UInt8]) {
    add("binary", binary.count)
    bytes += binary
    bytes.append(0x0A)
  }

  /// Appends another response's lines.
  package mutating func add(_ other: MPDLines) { bytes += other.bytes }
}
