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

  /// The engine is told of the first failed attempt to reconnect, and of each new reason.
  @Test func theNewestReasonIsTold() {
    var attempts = Attempts(FetchOrder(StreamRequest("http://radio.example/")))
    let reasons = ["lost", "404", "404", "404", "403", "403", "404"]
    let told = reasons.indices.filter { attempts.isNews(reasons[$0], isFirst: $0 == 0) }
    #expect(told == [0, 1, 4, 6])
    let again = [true, false, false].map { attempts.isNews("404", isFirst: $0) }
    #expect(again == [true, true, false], "the first attempt of another interruption has two messages")
  }

  /// Bytes that were received before do not end an interruption.
  @Test func repeatedBytesAreNoProgress() throws {
    let now = 100 * Self.second
    var attempts = try lost(times: 1, at: now)
    attempts.begin(at: now + Self.second)
    attempts.noteRepeatedByte(at: now + 2 * Self.second)
    #expect(!attempts.isStalled(at: now + 11 * Self.second))
    #expect(attempts.lose(at: now + 3 * Self.second) == false)
    #expect(attempts.lose(at: now + 70 * Self.second) == nil)
  }

  /// A file is given up after connections that were answered and brought nothing; others do not count.
  @Test func fruitlessConnectionsAreCounted() {
    var progress = ConnectionProgress()
    func lose(at end: Int64, isAnswered: Bool = true) -> Bool {
      progress.begin()
      if isAnswered { progress.noteAnswer() }
      return progress.noteLoss(at: end)
    }
    #expect(!lose(at: 1000))
    for _ in 1..<ConnectionProgress.maxFruitless { #expect(!lose(at: 1000)) }
    #expect(!lose(at: 1001), "one byte more")
    for _ in 0..<100 { #expect(!lose(at: 1001, isAnswered: false)) }
    for _ in 0..<100 {
      progress.begin()
      progress.noteAnswer()
      let isGivenUp = progress.noteLoss(at: 1001, isRepeating: true)
      #expect(!isGivenUp, "lost before the byte in question")
    }
    for _ in 1..<ConnectionProgress.maxFruitless { #expect(!lose(at: 1001)) }
    #expect(lose(at: 1001))
  }

  @Test func aPressChangesNothingForAConnectionThatIsMade() {
    var attempts = Attempts(FetchOrder(StreamRequest("http://radio.example/")))
    attempts.begin(at: Self.second)
    let deadline = attempts.stallDeadline
    attempts.hurry(at: 2 * Self.second)
    #expect(attempts.due == nil && attempts.stallDeadline == deadline)
  }
}
