// The common interface of the text files with the box's state, such as bookmarks and alarms. Pure values; any
// thread.

/// The contents of a small text file of state, parsed line by line.
package protocol KeptContents: Equatable, Sendable {
  /// The name of one item, for the log: `bookmark`.
  static var noun: String { get }
  /// The most bytes of a file.
  static var maxFileBytes: Int { get }

  /// Creates empty contents.
  init()

  /// The file's contents.
  var text: [UInt8] { get }

  /// Parses a line of the file.
  ///
  /// - Returns: False if the line is invalid or there is no room for its item.
  mutating func take(line: ArraySlice<UInt8>) -> Bool
}

extension KeptContents {
  /// The most invalid lines that are reported.
  private static var mostBadLines: Int { 10 }

  /// Parses a file's contents. Blank lines and comments are ignored; invalid lines are skipped.
  ///
  /// - Returns: The contents, and the numbers of the first invalid lines.
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
