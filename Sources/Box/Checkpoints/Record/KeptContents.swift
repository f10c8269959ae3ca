// What the box's small text files have in common. Pure values; any thread.

/// What a small text file of the box's state holds: a line for each thing.
package protocol KeptContents: Equatable, Sendable {
  /// What one line is, for the log: `bookmark`.
  static var noun: String { get }
  /// Bytes of a file at most.
  static var maxFileBytes: Int { get }

  /// Nothing.
  init()

  /// The file's contents.
  var text: [UInt8] { get }

  /// Takes in what a line of a file says; false where it makes no sense, or there is no room.
  mutating func take(line: ArraySlice<UInt8>) -> Bool
}

extension KeptContents {
  /// Bad lines that are told of at most.
  private static var mostBadLines: Int { 10 }

  /// Reads a file's contents. Blank lines and comments are skipped, and so are lines that make no sense; their numbers are told.
  package static func read(_ text: [UInt8]) -> (contents: Self, badLines: [Int]) {
    var contents = Self()
    var bad: [Int] = []
    var number = 0
    for line in text.prefix(maxFileBytes).split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      guard !line.isEmpty, line.first != 0x23 else { continue }
      if !contents.take(line: line), bad.count < mostBadLines { bad.append(number) }
    }
    return (contents, bad)
  }
}
