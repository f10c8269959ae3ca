// When a lost connection is made again.

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

  /// A person's press is a try at once, and waits grow anew from the first.
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
    // Nor is it given up sooner than a connection that is lost now.
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
