// The counter of power-ons, and its text file. Pure; control thread.

/// A counter of power-ons.
package struct PowerOns: KeptContents {
  package static var noun: String { "power-on count" }
  package static var maxFileBytes: Int { 128 }
  /// A plausibility limit: files with more are invalid.
  private static let maxCount = 1_000_000_000

  /// The number of power-ons.
  package private(set) var count = 0

  /// Creates a counter at zero.
  package init() {}

  /// Increments the counter.
  package mutating func add() { count = min(count + 1, Self.maxCount) }

  package var text: [UInt8] { Array("# Swiftlet: how often the box was switched on.\n\(count)\n".utf8) }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    guard let count = Int(String(decoding: line, as: UTF8.self)), (0...Self.maxCount).contains(count) else {
      return false
    }
    self.count = count
    return true
  }
}
