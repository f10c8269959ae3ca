// Random stalls, failures and removals of storage during random commands. SWIFTLET_STALLS is the number of
// faults (scripts/test-storage), SWIFTLET_SEED repeats a run. Test threads.

import ChildSupport
import Foundation
import Platform
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime, .enabled(if: StallingStorage.isAvailable), .serialized) struct StallTrialTests {
  /// Number of faults per box; each box has its own recording.
  private static let ofOneBox = 25
  /// Maximum delay that a user does not notice.
  private static let limit = Duration.milliseconds(50)

  /// The faults and results so far.
  private struct Tally {
    var stalls = 0
    var failures = 0
    var losses = 0
    var presses = 0
    var worst = Duration.zero
    var worstPress = ""
    var worstEnd = Duration.zero
    /// The slowest start of a program that does nothing, as a measure of the machine's load.
    var worstStart = Duration.zero
    var story: [String] = []
  }

  @Test func nothingIsLostToStorageThatHangs() throws {
    let environment = ProcessInfo.processInfo.environment
    var left = environment["SWIFTLET_STALLS"].flatMap { Int($0) } ?? 6
    let seed = environment["SWIFTLET_SEED"].flatMap { UInt64($0) } ?? UInt64(getpid())
    var random = Noise(seed: seed)
    var tally = Tally()
    tally.story.append("seed \(seed)")
    while left > 0 {
      try tryBox(faults: min(left, Self.ofOneBox), &random, &tally)
      left -= Self.ofOneBox
    }
    print(
      """
      storage: \(tally.stalls) stalls, \(tally.failures) failures, \(tally.losses) losses; \(tally.presses) presses, the slowest \
      answered in \(tally.worst) (\(tally.worstPress)), the slowest start of /bin/true in \(tally.worstStart); the slowest end \
      took \(tally.worstEnd); seed \(seed)
      """)
    // A command may start a process, which takes milliseconds on an idle machine.
    #expect(tally.worst < max(Self.limit, tally.worstStart * 3), "\(tally.worstPress) took \(tally.worst)")
  }

  private func tryBox(faults: Int, _ random: inout Noise, _ tally: inout Tally) throws {
    let rig = try StallingBox(["set fade.manual-length 0", "set volume.start 100"])
    let (box, slow) = (rig.box, rig.slow)
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    for _ in 0..<faults {
      try befall(slow, &random, &tally)
      for _ in 0..<Int.random(in: 3...8, using: &random) {
        try press(box, slow, &random, &tally)
        usleep(UInt32.random(in: 0..<40_000, using: &random))
      }
      if Int.random(in: 0..<3, using: &random) == 0 { try enjoy(box, slow, &random, &tally) }
      try heal(slow, &random)
    }
    let story = tally.story.suffix(12).joined(separator: "\n")
    #expect(try box.fields()["queue"] == "4", "\(story)")
    #expect(try box.fields("stats")["xruns"] == "0", "\(story)")
    try end(box, slow, &tally)
  }

  // MARK: Storage faults

  private func befall(_ slow: StallingStorage, _ random: inout Noise, _ tally: inout Tally) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      tally.losses += 1
      tally.story.append("vanishes")
      try slow.vanish()
    case 1:
      tally.failures += 1
      tally.story.append("fails")
      try slow.set(.failing)
    default:
      tally.stalls += 1
      tally.story.append("stalls")
      try slow.set(.stalling)
    }
  }

  private func heal(_ slow: StallingStorage, _ random: inout Noise) throws {
    if slow.process == nil {
      try slow.mount()
    } else if Int.random(in: 0..<4, using: &random) > 0 {
      try slow.set(.answering)
    } else {
      // Removed while it hangs.
      try slow.vanish()
      try slow.mount()
    }
  }

  // MARK: User commands

  private func press(
    _ box: BoxRig, _ slow: StallingStorage, _ random: inout Noise, _ tally: inout Tally
  ) throws {
    let commands = [
      "next", "previous", "toggle", "play", "pause", "status", "queue jump 1", "queue jump 2", "queue jump 3",
      "queue jump 4", "seek \(Int.random(in: 0..<50, using: &random))", "volume 100", "queue", "stop",
    ]
    let command = try #require(commands.randomElement(using: &random))
    try ask(command, box, &tally)
    // A look-up uses its own session, because the session waits for it.
    if Int.random(in: 0..<4, using: &random) == 0 {
      try box.session().send(Array("media \(slow.mountpoint)\n".utf8))
    }
  }

  private func ask(_ command: String, _ box: BoxRig, _ tally: inout Tally) throws {
    try startNothing(&tally)
    let begun = ContinuousClock.now
    let answer = try box.client.ask(command)
    let took = ContinuousClock.now - begun
    tally.presses += 1
    tally.story.append("\(command): \(answer.last ?? "-") after \(took)")
    if took > tally.worst { (tally.worst, tally.worstPress) = (took, command) }
  }

  private func startNothing(_ tally: inout Tally) throws {
    let begun = ContinuousClock.now
    var child = try ChildProcess.spawn("/bin/true", arguments: ["true"], environment: [], descriptors: [])
    tally.worstStart = max(tally.worstStart, ContinuousClock.now - begun)
    var entry = pollfd(fd: child.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, 20_000)
    _ = child.reap()
  }

  /// Plays from healthy storage in the meantime, without a gap.
  private func enjoy(
    _ box: BoxRig, _ slow: StallingStorage, _ random: inout Noise, _ tally: inout Tally
  ) throws {
    let number = Int.random(in: 1...2, using: &random)
    try ask("queue jump \(2 * number - 1)", box, &tally)
    try ask("play", box, &tally)
    let begin = box.card.recordedFrames
    let isHeard = box.card.wait(seconds: 10) { card in
      guard card.recordedFrames > begin + 22_050, let last = card.segments.last else { return false }
      return last.track == number && last.positions.count > 22_050
    }
    let status = try box.tell("status").joined(separator: "\n")
    try #require(
      isHeard,
      "track \(number)\n\(tally.story.suffix(12).joined(separator: "\n"))\n\(status)\n\(box.daemon.errorsSoFar.suffix(3000))"
    )
  }

  // MARK: Shutdown

  private func end(_ box: BoxRig, _ slow: StallingStorage, _ tally: inout Tally) throws {
    try slow.set(.stalling)
    try box.tell("queue jump 2")
    try box.session().send(Array("media \(slow.mountpoint)\n".utf8))
    func atWork() -> [String] { Self.processes { $0.contains(box.bench.directory.path) } }
    let isAsked = try box.bench.waits { try slow.figures().waiting > 0 && atWork().count > 1 }
    #expect(isAsked, "the daemon, and who waits for the storage: \(atWork())")
    let begun = ContinuousClock.now
    kill(box.daemon.identifier, SIGTERM)
    let outcome = box.daemon.wait(seconds: 30)
    let took = ContinuousClock.now - begun
    tally.worstEnd = max(tally.worstEnd, took)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.status) \(outcome.errors.suffix(3000))")
    #expect(took < .seconds(5))
    // Processes blocked in the kernel end once the storage responds.
    try slow.set(.answering)
    let isAlone = box.bench.waits { atWork().isEmpty }
    #expect(isAlone, "\(atWork())")
  }

  /// The command lines of `swiftlet` processes, without zombies.
  private static func processes(_ isMeant: (String) -> Bool) -> [String] {
    let numbers =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.filter { Int($0) != nil } ?? []
    return numbers.compactMap { number in
      guard let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return nil }
      let text = String(decoding: line.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
      return text.contains("swiftlet") && !text.contains("StallingStorage /") && isMeant(text) ? text : nil
    }
  }
}
