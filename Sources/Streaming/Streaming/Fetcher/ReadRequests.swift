// The pending request of a spool's reader, and its read position. Pure; fetcher process.

/// The worker's requests.
struct ReadRequests {
  /// The read position as last reported.
  private(set) var position: Int64 = 0
  private var wanted: (offset: Int64, count: Int64)?

  /// Applies a message.
  mutating func take(_ message: SpoolMessage) {
    switch message {
    case .read(let offset): position = offset
    case .want(let offset, let count):
      position = offset
      wanted = (offset, Int64(max(1, count)))
    case .renew: break
    }
  }

  /// Whether the pending request is fulfilled, or as far as it will be. Clears the request.
  mutating func isAnswered(from start: Int64, to end: Int64, isOver: Bool) -> Bool {
    guard let wanted, wanted.offset >= start,
      end >= wanted.offset + wanted.count || isOver && end > wanted.offset
    else { return false }
    self.wanted = nil
    return true
  }

  /// Clears the pending request.
  mutating func forget() { wanted = nil }
}
