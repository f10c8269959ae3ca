// What the reader of a spool waits for, and how far it has read. Pure; fetcher process.

/// A worker's words, as the fetcher keeps them.
struct ReadRequests {
  /// The byte that the reader is at, as far as it has said.
  private(set) var position: Int64 = 0
  private var wanted: (offset: Int64, count: Int64)?

  /// Takes a message.
  mutating func take(_ message: SpoolMessage) {
    switch message {
    case .read(let offset): position = offset
    case .want(let offset, let count):
      position = offset
      wanted = (offset, Int64(max(1, count)))
    case .renew: break
    }
  }

  /// Whether the reader has to be woken: what it waits for is there, or as much of it as there will be. Once for each wish.
  mutating func isAnswered(from start: Int64, to end: Int64, isOver: Bool) -> Bool {
    guard let wanted, wanted.offset >= start,
      end >= wanted.offset + wanted.count || isOver && end > wanted.offset
    else { return false }
    self.wanted = nil
    return true
  }

  /// The reader is woken anyway.
  mutating func forget() { wanted = nil }
}
