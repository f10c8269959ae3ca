// The backoff for reconnecting a lost stream. Test threads.

import Testing

@testable import Streaming

@Suite struct AttemptsTests {
  private static let second: UInt64 = 1_000_000_000

  private func lost(times: Int, at now: UInt64) throws -> Attempts {
    var attempts = Attempts(FetchOrder(StreamRequest("http://radio.example/")))
    attempts.begin(at: now)
    for _ in 0..<times { _ = attempts.lose(at: now) }
    return attempts
  }

  /// A press of play retries at once, and the backoff restarts at its first delay.
  @Test func aPressTriesAtOnce() throws {
    let now = 100 * Self.second
    var attempts = try lost(times: 7, at: now)
    let waited = try #require(attempts.due) - now
    #expect(waited > 5 * Self.second)
    attempts.hurry(at: now + Self.second)
    #expect(attempts.due == now + Self.second)
    attempts.begin(at: now + Self.second)
    #expect(attempts.lose(at: now + Self.second) == false, "it was said before that the connection is lost")
    #expect(try #require(attempts.due) - now < 2 * Self.second)
    // The deadline for giving up restarts, too.
    attempts.hurry(at: now + 50 * Self.second)
    #expect(attempts.lose(at: now + 100 * Self.second) != nil)
  }

  @Test func aPressChangesNothingForAConnectionThatIsMade() {
    var attempts = Attempts(FetchOrder(StreamRequest("http://radio.example/")))
    attempts.begin(at: Self.second)
    let deadline = attempts.stallDeadline
    attempts.hurry(at: 2 * Self.second)
    #expect(attempts.due == nil && attempts.stallDeadline == deadline)
  }
}
