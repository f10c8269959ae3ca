// Full or read-only storage, and steps of the wall clock: the music continues, and the box recovers without a
// command. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxStorageTests {
  static let rate = 44100

  /// A playing box with a saved checkpoint, and the faults of its storage.
  private func remembering() throws -> (BoxRig, Faults) {
    let bench = try Workbench()
    let faults = try Faults(bench)
    let box = try BoxRig(bench: bench, faults: faults)
    try box.tracks(1...1, seconds: 40)
    try box.tell("play 1.wav")
    try box.tell("power-failing")
    return (box, faults)
  }

  @Test func aDiskThatIsFullAtTheStartIsWaitedFor() throws {
    let bench = try Workbench()
    let faults = try Faults(bench)
    faults.set(.full)
    let box = try BoxRig(bench: bench, faults: faults)
    try box.tracks(1...1, seconds: 40)
    #expect(box.logs("Checkpoints cannot be written", "space"))
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    let before = try String(contentsOfFile: box.configuration, encoding: .utf8)
    try box.tell("set fade.length 3")
    #expect(try box.refusal(of: "save").contains("space"))
    #expect(try String(contentsOfFile: box.configuration, encoding: .utf8) == before)
    #expect(!FileManager.default.fileExists(atPath: box.configuration + ".new"), "nothing half-made is left")
    #expect(try box.refusal(of: "power-failing").contains("not written"))
    let status = try box.fields()
    #expect(status["checkpoint"]?.contains("trying again in") == true, "\(status)")
    #expect(status["checkpoint-retry-seconds"].flatMap { Int($0) } != nil)
    faults.set(.fine)
    #expect(box.logs("Checkpoints are written again"))
    try box.tell("save")
    #expect(try box.fields()["checkpoint-retry-seconds"] == nil)
    try box.tell("power-failing")
    try goesOnAfterThePlug(box)
    #expect(try box.tell("show fade.length").contains { $0.contains("fade.length 3") })
    #expect(box.card.segments.first?.positions.lowerBound == 0)
  }

  /// The checkpoint's space is preallocated, so a full disk does not affect it.
  @Test func aDiskThatFillsUpCostsNoCheckpoint() throws {
    let (box, faults) = try remembering()
    faults.set(.full)
    try box.tell("seek 20")
    try box.hears { $0.last.map { $0.positions.lowerBound > 19 * Self.rate } ?? false }
    try box.tell("power-failing")
    #expect(try box.refusal(of: "save").contains("space"))
    try goesOnAfterThePlug(box)
  }

  @Test func aDiskThatBecomesReadOnlyIsToldOnceAndTriedAgain() throws {
    let (box, faults) = try remembering()
    faults.set(.readOnly)
    try box.tell("seek 20")
    #expect(box.logs("Checkpoints cannot be written", "ead-only"))
    #expect(try box.refusal(of: "save").contains("ead-only"))
    try box.hears { $0.last.map { $0.positions.lowerBound > 19 * Self.rate } ?? false }
    let isTriedAgain = box.bench.waits { (faults.failed) >= 4 }
    #expect(isTriedAgain)
    let told = box.daemon.errorsSoFar.components(separatedBy: "cannot be written").count - 1
    #expect(told == 1, "told \(told) times")
    faults.set(.fine)
    #expect(box.logs("Checkpoints are written again"))
    try goesOnAfterThePlug(box)
    #expect(try box.fields()["state"] == "playing")
  }

  /// The checkpoint from before the failure is restored.
  @Test func aReadOnlyDiskIsResumedFrom() throws {
    let (box, faults) = try remembering()
    try box.tell("seek 20")
    try box.hears { $0.last.map { $0.positions.lowerBound > 19 * Self.rate } ?? false }
    try box.tell("power-failing")
    faults.set(.readOnly)
    try goesOnAfterThePlug(box)
    #expect(box.logs("Checkpoints cannot be written", "ead-only"))
    faults.set(.fine)
    #expect(box.logs("Checkpoints are written again"))
  }

  private func goesOnAfterThePlug(_ box: BoxRig, sourceLocation: SourceLocation = #_sourceLocation) throws {
    box.pullPlug()
    let before = box.card.segments
    let last = try #require(before.last, sourceLocation: sourceLocation).positions.upperBound
    try box.restart()
    try box.hears({ $0.count > before.count }, sourceLocation: sourceLocation)
    let next = try #require(box.card.segments.last, sourceLocation: sourceLocation).positions.lowerBound
    #expect(abs(next - last) < 10 * Self.rate, "\(next) after \(last)", sourceLocation: sourceLocation)
  }

  // MARK: The wall clock

  @Test(arguments: [86_400, -86_400, 20 * 365 * 86_400]) func aClockThatJumpsMovesNoSleepTimer(
    by seconds: Int64
  )
    throws
  {
    let bench = try Workbench()
    let faults = try Faults(bench)
    let box = try BoxRig(bench: bench, faults: faults)
    try box.tracks(1...1, seconds: 40)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    try box.tell("sleep 30")
    faults.setClock(aheadBy: seconds)
    #expect(try box.tell("sleep").contains { $0.contains("30 min") })
    let left = try #require(Int(try box.fields()["sleep-seconds"] ?? ""))
    #expect(left > 1600 && left <= 1800)
    let so = box.card.recordedFrames
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > so + 10_000 })
    #expect(box.card.segments.count == 1)
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  @Test func aClockThatJumpsIntoTheNightMakesItQuiet() throws {
    let bench = try Workbench()
    let faults = try Faults(bench)
    func clock(_ hours: Int) -> String {
      var later = time(nil) + hours * 3600
      var parts = tm()
      localtime_r(&later, &parts)
      return String(format: "%02d:%02d", parts.tm_hour, parts.tm_min)
    }
    let box = try BoxRig(
      ["set night.from \(clock(3))", "set night.to \(clock(9))", "set night.maximum 40"], bench: bench,
      faults: faults)
    #expect(try box.fields()["volume"] == "100")
    faults.setClock(aheadBy: 6 * 3600)
    #expect(box.bench.waits { (try? box.fields()["volume"]) == "40" })
    #expect(try box.tell("volume 90").last?.hasPrefix("ok 40 %") == true)
    // The user's volume applies once the corrected clock is outside the night hours.
    faults.setClock(aheadBy: -2 * 3600)
    #expect(box.bench.waits { (try? box.fields()["volume"]) == "90" })
  }
}
