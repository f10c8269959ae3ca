// What the box's small text files have in common. Pure values; any thread.

/// What a small text file of the box's state holds.
package protocol KeptContents: Equatable, Sendable {
  /// What one line is, for the log: `bookmark`.
  static var noun: String { get }
  /// Bytes of a file at most.
  static var longestFile: Int { get }

  /// Nothing.
  init()

  /// The file's contents.
  var text: [UInt8] { get }

  /// Reads a file's contents. Lines that make no sense are skipped, and their numbers told.
  static func read(_ text: [UInt8]) -> (contents: Self, badLines: [Int])
}
