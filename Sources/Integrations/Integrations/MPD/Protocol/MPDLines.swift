// What a command of MPD's protocol is answered with, without the line that ends it. A value.

import Platform

/// Lines of `Name: value`.
package struct MPDLines: Sendable {
  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []

  /// Nothing to say.
  package init() {}

  /// Adds a pair. A value is one line without control characters but tabs, whatever it holds: each becomes a blank, so that a terminal that
  /// shows it obeys nothing. A name with a tab is sent back by clients, and has to be the same.
  package mutating func add(_ name: String, _ value: String) {
    bytes += Array(name.utf8)
    bytes += [0x3A, 0x20]
    for (i, part) in value.utf8.split(separator: 0x09, omittingEmptySubsequences: false).enumerated() {
      if i > 0 { bytes.append(0x09) }
      bytes += Array(String(decoding: Array(part), as: UTF8.self).replacingControls().utf8)
    }
    bytes.append(0x0A)
  }

  /// Adds a pair with a number.
  package mutating func add(_ name: String, _ number: Int) { add(name, String(number)) }

  /// Adds a line for each value of the tags.
  mutating func add(_ tags: [MPDTag], values: (MPDTag) -> [String]) {
    for tag in tags { for value in values(tag) { add(tag.rawValue, value) } }
  }

  /// Adds a song's length, as the box tells it in seconds.
  mutating func add(length: String) {
    add("Time", MPDLines.wholeSeconds(length))
    add("duration", length)
  }

  /// Seconds of the box, rounded.
  static func wholeSeconds(_ text: String) -> Int {
    // A damaged file may claim more than a number of 32 bits holds.
    Int(min((Decimal.parse(text[...]) ?? 0) + 0.5, Double(Int32.max)))
  }

  /// Adds when something was changed, where the box tells it.
  mutating func add(modified row: BoxFields) {
    if let modified = row["modified"] { add("Last-Modified", modified) }
  }

  /// Adds bytes as they are.
  mutating func add(binary: [UInt8]) {
    add("binary", binary.count)
    bytes += binary
    bytes.append(0x0A)
  }

  /// Adds what another has.
  package mutating func add(_ other: MPDLines) { bytes += other.bytes }
}
