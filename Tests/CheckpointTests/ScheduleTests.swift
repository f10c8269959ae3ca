// When checkpoints are written, in simulated time. Test threads.
import Checkpoints
import PlaybackModel
import Platform
import Testing

private let second: UInt64 = 1_000_000_000
private let error = SystemError("fdatasync", on: "/state", code: 5)

@Suite struct ScheduleTests {
  @Test func nothingIsWrittenWhileNothingChanges() {
    var shell = Shell()
    #expect(shell.schedule.due == nil)
    shell.schedule.note(.soon)
    shell.pass(second)
    #expect(shell.begun.count == 1)
    shell.pass(3600 * second)
    #expect(shell.begun.count == 1 && shell.schedule.due == nil)
  }

  @Test(arguments: [second / 100, second, 3 * second])
  func whilePlayingNoMoreThanTheIntervalIsLost(latency: UInt64) {
    var shell = Shell()
    shell.latency = latency
    shell.schedule.isPlaying = true
    shell.pass(600 * second)
    // At any time the safe state is at most 10 s old, once the latency is known.
    for (before, after) in zip(shell.begun.dropFirst(), shell.begun.dropFirst(2)) {
      #expect(after + latency - before <= 10 * second)
    }
    let most = 600 * second / (10 * second - latency) + 2
    #expect(shell.begun.count >= 60 && shell.begun.count <= Int(most))
    shell.schedule.isPlaying = false
    #expect(shell.schedule.due == nil)
  }

  @Test func burstsAreGatheredAndTheLastIsWritten() {
    var shell = Shell()
    for _ in 0..<600 {
      shell.schedule.note(.soon)
      shell.pass(second / 10)
    }
    let last = shell.now
    shell.pass(10 * second)
    #expect(shell.begun.count <= 125 && shell.begun.count >= 100, "two a second for a minute")
    #expect(shell.begun.last! >= last - second / 10 && shell.begun.last! <= last + second)
    #expect(shell.schedule.due == nil)
  }

  @Test func aPauseIsWrittenAtOnceUnlessItNeverEnds() {
    var shell = Shell()
    shell.schedule.note(.soon)
    shell.pass(second / 50)
    shell.schedule.note(.atOnce)
    #expect(shell.schedule.due! <= shell.now, "although the last one was just now")
    shell.pass(second / 50)
    #expect(shell.begun.count == 2)
    for _ in 0..<1000 {
      shell.schedule.note(.atOnce)
      shell.pass(second / 50)
    }
    #expect(shell.begun.count <= 2 + 8 + 40, "20 s, two a second in the long run")
    let paused = PlayerState.paused(track: Track(id: 1, path: ""), position: .zero, reason: .user)
    #expect(CheckpointSchedule.Urgency(within: paused) == .atOnce)
    #expect(CheckpointSchedule.Urgency(within: .playing(track: Track(id: 1, path: ""))) == .soon)
  }

  /// Three skips within half a second, with two transitions each: all are written at once.
  @Test func quickOrdersAreEachWrittenAtOnce() {
    var shell = Shell()
    shell.schedule.isPlaying = true
    shell.pass(second)
    for count in 1...6 {
      shell.schedule.note(.atOnce)
      shell.pass(second / 20)
      #expect(shell.begun.count == 1 + count)
    }
  }

  @Test func failuresAreTriedAgainLessAndLessOften() {
    var shell = Shell()
    shell.failure = error
    shell.schedule.isPlaying = true
    shell.pass(3600 * second)
    let gaps = zip(shell.begun, shell.begun.dropFirst()).map { $1 - $0 }
    let wanted = [1, 2, 4, 8, 16, 32] + [UInt64](repeating: 60, count: max(0, gaps.count - 6))
    // No delay is longer than expected, or shorter by more than an eighth.
    let inTime = zip(gaps, wanted).allSatisfy { $0 <= $1 * second && $0 >= $1 * second / 8 * 7 }
    #expect(inTime, "\(gaps.map { Double($0) / 1e9 })")
    #expect(shell.schedule.status.failuresInARow == shell.begun.count)
    #expect(shell.schedule.status.lastFailure == error && shell.schedule.status.age(at: shell.now) == nil)
    #expect(shell.schedule.status.sentence(at: shell.now).contains("/state"))
    shell.failure = nil
    shell.pass(130 * second)
    #expect(shell.schedule.status.failuresInARow == 0 && shell.schedule.status.age(at: shell.now)! <= 10)
    #expect(!shell.schedule.status.sentence(at: shell.now).contains("failing"))
  }

  @Test func aFailureIsTriedAgainAlsoWhilePaused() {
    var shell = Shell()
    shell.failure = error
    shell.schedule.note(.atOnce)
    shell.pass(second / 2)
    shell.failure = nil
    shell.pass(10 * second)
    #expect(shell.begun.count == 2 && shell.schedule.due == nil)
  }

  @Test func oneIsWrittenAtATime() {
    var schedule = CheckpointSchedule()
    schedule.note(.atOnce)
    #expect(schedule.isDue(at: 5 * second))
    schedule.begin(at: 5 * second)
    schedule.note(.atOnce)
    #expect(schedule.due == nil && schedule.isWriting)
    schedule.finish(CheckpointReport(ticket: 1), at: 9 * second)
    #expect(schedule.isDue(at: 9 * second))
  }
}
