// Detects a file that its server always breaks off at the same byte. Pure; fetcher process.

/// Counts successive connections that were answered and brought no new byte of a file.
struct ConnectionProgress {
  /// Maximum number of such connections. With the backoff of `Attempts` they take at least ten seconds, in which a
  /// restarted server recovers.
  static let maxFruitless = 7

  /// The end of the received bytes at the last loss; nil before the first.
  private var end: Int64?
  private var fruitless = 0
  private var isAnswered = false

  /// Records a new request.
  mutating func begin() { isAnswered = false }

  /// Records that the server has answered the present request with the file.
  mutating func noteAnswer() { isAnswered = true }

  /// Records a lost connection.
  ///
  /// - Parameters:
  ///   - end: The end of the received bytes.
  ///   - isRepeating: Whether the connection was lost within bytes that were received before, which says nothing about
  ///     the byte after them. For servers without ranges.
  /// - Returns: Whether further connections are pointless.
  mutating func noteLoss(at end: Int64, isRepeating: Bool = false) -> Bool {
    guard !isRepeating else { return false }
    defer { self.end = end }
    guard self.end == end else {
      fruitless = 0
      return false
    }
    if isAnswered { fruitless += 1 }
    return fruitless >= Self.maxFruitless
  }
}
