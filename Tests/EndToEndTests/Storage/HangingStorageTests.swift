// A daemon with two media roots, one of which hangs: only the tracks on it are affected. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

/// A box with music on healthy storage and on storage that can stall.
struct StallingBox {
  let box: BoxRig
  let slow: StallingStorage
  /// The slowest response of the control socket so far.
  private(set) var worst = Duration.zero
  private(set) var worstCommand = ""

  /// Tracks 1 and 2 are on healthy storage, 11 and 12 on the other; the queue is 1, 11, 2, 12.
  init(_ lines: [String] = [], isSlowFirst: Bool = false) throws {
    let bench = try Workbench()
    let healthy = bench.path("healthy")
    try FileManager.default.createDirectory(atPath: healthy, withIntermediateDirectories: true)
    slow = try StallingStorage(bench)
    for number in [1, 2] { try bench.write(Coded.track(number, seconds: 60), as: "healthy/\(number).wav") }
    for number in [11, 12] {
      try bench.write(Coded.track(number, seconds: 60), as: "slow-files/\(number).wav")
    }
    let roots = isSlowFirst ? [slow.mountpoint, healthy] : [healthy, slow.mountpoint]
    box = try BoxRig(
      ["set media.root \(roots[0]) \(roots[1])", "set queue.repeat all"] + lines, bench: bench)
    try box.tell("queue add 1.wav \(slow.mountpoint)/11.wav 2.wav \(slow.mountpoint)/12.wav")
  }

  /// Sends a command and records its response time.
  mutating func ask(_ command: String) throws -> [String] {
    let begun = ContinuousClock.now
    let answer = try box.client.ask(command)
    let took = ContinuousClock.now - begun
    if took > worst { (worst, worstCommand) = (took, command) }
    return answer
  }

  /// Requests the status and changes the volume repeatedly, for some seconds.
  mutating func press(seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      _ = try ask("status")
      _ = try ask("volume 100")
      usleep(20_000)
    }
  }
}

@Suite(.realTime, .enabled(if: StallingStorage.isAvailable)) struct HangingStorageTests {
  @Test func aTrackOnHungStorageHoldsUpNothing() throws {
    var rig = try StallingBox()
    let box = rig.box
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    try rig.slow.set(.stalling)
    _ = try rig.ask("queue jump 2")
    try box.reaches("preparing")
    try rig.press(seconds: 1)
    #expect(try rig.slow.figures().waiting > 0, "the worker waits for the storage")
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == rig.slow.mountpoint })
    #expect(try box.bench.waits { try box.fields()["light"] == "amber short gaps" })
    _ = try rig.ask("queue jump 3")
    try box.hears(seconds: 5) { $0.last?.track == 2 }
    #expect(try box.fields()["light"] == "green steady")
    _ = try rig.ask("queue jump 2")
    try rig.press(seconds: 0.3)
    try rig.slow.set(.answering)
    try box.hears { $0.last?.track == 11 }
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == nil })
    #expect(box.daemon.errorsSoFar.components(separatedBy: "Waiting for storage").count == 2, "said once")
    #expect(box.logs("The storage \(rig.slow.mountpoint) answers again"))
    // Other tests keep the CPUs busy; scripts/test-storage, which runs alone, is stricter.
    #expect(rig.worst < .seconds(2), "\(rig.worstCommand) took \(rig.worst)")
    #expect(try box.fields("stats")["xruns"] == "0")
    #expect(try box.fields()["queue"] == "4")
  }

  /// Names on other storage are found, although the hung root is searched first.
  @Test func aLookUpOnHungStorageHoldsUpNoOther() throws {
    let rig = try StallingBox(isSlowFirst: true)
    let box = rig.box
    try rig.slow.set(.stalling)
    let stuck = try box.session()
    stuck.send(Array("media \(rig.slow.mountpoint)\n".utf8))
    let isAsked = try box.bench.waits { try rig.slow.figures().waiting > 0 }
    #expect(isAsked)
    let begun = ContinuousClock.now
    #expect(try box.tell("media \(box.bench.path("healthy"))").count == 3)
    #expect(ContinuousClock.now - begun < .seconds(2))
    #expect(try box.tell("queue add 2.wav").last?.contains("5 in all") == true)
    #expect(ContinuousClock.now - begun < .seconds(10))
    try rig.slow.set(.answering)
    #expect(stuck.line()?.contains("11.wav") == true)
  }

  /// A look-up process makes one request and ends; each look-up has its own process.
  @Test func eachLookUpHasAProcessOfItsOwn() throws {
    let rig = try StallingBox()
    let box = rig.box
    let daemon = ProcessView(number: box.daemon.identifier)
    func lookUps() -> [ProcessView] { daemon.children.filter { $0.words.contains("lookup") } }
    #expect(box.bench.waits { lookUps().isEmpty }, "the queue's tracks are found")
    var numbers: Set<Int32> = []
    for _ in 1...3 {
      try rig.slow.set(.stalling)
      let session = try box.session()
      session.send(Array("media \(rig.slow.mountpoint)\n".utf8))
      let isAsked = try box.bench.waits { try rig.slow.figures().waiting > 0 && !lookUps().isEmpty }
      #expect(isAsked)
      let asking = lookUps()
      #expect(asking.count == 1)
      #expect(asking.allSatisfy { $0.words.contains(rig.slow.mountpoint) })
      #expect(try box.tell("media \(box.bench.path("healthy"))").count == 3)
      #expect(box.bench.waits { lookUps().map { $0.number } == asking.map { $0.number } })
      for process in asking { #expect(numbers.insert(process.number).inserted) }
      try rig.slow.set(.answering)
      #expect(session.line()?.contains("11.wav") == true)
      #expect(box.bench.waits { lookUps().isEmpty })
    }
  }

  /// One root cannot use up the box's process limit, and its processes end when it responds.
  @Test func whatDeadStorageHoldsIsBounded() throws {
    let rig = try StallingBox()
    let box = rig.box
    try rig.slow.set(.stalling)
    for _ in 0..<12 {
      _ = try box.client.ask("queue jump 2")
      // The worker must be blocked on the storage before it is terminated.
      let before = try rig.slow.figures().waiting
      _ = try box.bench.waits(seconds: 1) { try rig.slow.figures().waiting > before }
      _ = try box.client.ask("queue jump 4")
      _ = try box.bench.waits(seconds: 1) { try rig.slow.figures().waiting > before + 1 }
    }
    usleep(1_100_000)
    _ = try box.client.ask("queue jump 2")
    #expect(box.logs("The storage \(rig.slow.mountpoint) does not answer, and enough decoders wait"))
    try box.tell("queue jump 3")
    try box.tell("play")
    try box.hears { $0.last?.track == 2 }
    try rig.slow.set(.answering)
    _ = try box.client.ask("queue jump 2")
    try box.hears { $0.last?.track == 11 }
  }

  @Test func aDaemonWithHungStorageEndsWhenItIsTold() throws {
    let rig = try StallingBox()
    let box = rig.box
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    try rig.slow.set(.stalling)
    try box.tell("queue jump 2")
    try box.session().send(Array("queue add \(rig.slow.mountpoint)/12.wav\n".utf8))
    let isAsked = try box.bench.waits { try rig.slow.figures().waiting >= 2 }
    #expect(isAsked, "by a worker, and by a look-up")
    let begun = ContinuousClock.now
    kill(box.daemon.identifier, SIGTERM)
    let outcome = box.daemon.wait(seconds: 20)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.status) \(outcome.errors)")
    #expect(ContinuousClock.now - begun < .seconds(5))
  }

  /// A child process must not close an inherited descriptor of a file there, because close would wait for its
  /// storage.
  @Test func startingAWorkerAsksNoStorageThatTheDaemonHasOpen() throws {
    let bench = try Workbench()
    let slow = try StallingStorage(bench)
    let box = try BoxRig(["set checkpoint.path \(slow.mountpoint)/checkpoint"], bench: bench)
    try box.tracks(1...2, seconds: 60)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("power-failing")
    try slow.set(.stalling)
    try box.tell("play")
    try box.hears(seconds: 5) { $0.last?.track == 1 }
    try box.tell("next")
    try box.hears(seconds: 5) { $0.last?.track == 2 }
    try slow.set(.answering)
  }
}

/// The storage of the checkpoint hangs.
@Suite(.realTime, .enabled(if: StallingStorage.isAvailable)) struct HangingCheckpointTests {
  private let slow: StallingStorage
  private let box: BoxRig

  init() throws {
    let bench = try Workbench()
    slow = try StallingStorage(bench)
    box = try BoxRig(["set checkpoint.path \(slow.mountpoint)/checkpoint"], bench: bench)
    try box.tracks(1...2, seconds: 60)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.hears(seconds: 5) { $0.last?.track == 1 }
  }

  /// Half a second at most, because the supply does not last longer. Commands still work afterwards.
  @Test func powerThatFailsWaitsForHalfASecond() throws {
    try slow.set(.stalling)
    try box.tell("volume 37")
    try waitsForStorage()
    let begun = ContinuousClock.now
    let refusal = try box.refusal(of: "power-failing")
    let time = (ContinuousClock.now - begun) / .seconds(1)
    #expect(refusal.contains("was not written in time"), "\(refusal)")
    #expect(time > 0.4 && time < 2, "\(time) s")
    #expect(try box.fields()["volume"] == "37")
    try slow.set(.answering)
    #expect(try box.bench.waits { try box.client.ask("power-failing").last?.hasPrefix("ok") == true })
  }

  /// Checks that the daemon ends within five seconds and leaves nothing that would prevent the next start.
  private func end() -> Outcome {
    let begun = ContinuousClock.now
    kill(box.daemon.identifier, SIGTERM)
    let outcome = box.daemon.wait(seconds: 20)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.status) \(outcome.errors)")
    #expect(ContinuousClock.now - begun < .seconds(5))
    return outcome
  }

  /// Waits until a request to the storage is pending.
  private func waitsForStorage() throws {
    #expect(try box.bench.waits { try slow.figures().waiting > 0 })
  }

  @Test func theDaemonEndsAndRemembersWhatWasSafe() throws {
    try box.tell("power-failing")
    try slow.set(.stalling)
    try box.tell("next")
    try box.hears(seconds: 5) { $0.last?.track == 2 }
    try waitsForStorage()
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == slow.mountpoint })
    #expect(end().errors.contains("The last checkpoint could not be written in time"))
    try slow.set(.answering)
    try box.restart()
    try box.reaches("playing")
    #expect(try box.fields()["queue"] == "2")
  }

  /// Commands are accepted and READY is sent before the checkpoint is loaded, and the state is restored
  /// afterwards.
  @Test func aStartWaitsForNothing() throws {
    try box.tell("queue jump 2")
    try box.hears(seconds: 5) { $0.last?.track == 2 }
    try box.tell("power-failing")
    box.pullPlug()
    try slow.set(.stalling)
    let begun = ContinuousClock.now
    try box.restart()
    // `play` waits for the checkpoint.
    try box.tell("play")
    #expect(ContinuousClock.now - begun < .seconds(3))
    #expect(box.logs("Ready."))
    #expect(try box.fields()["text"] == "Waiting for music")
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == slow.mountpoint })
    let count = box.card.segments.count
    try slow.set(.answering)
    try box.hears { $0.count > count && $0.last?.track == 2 }
    #expect(try box.fields()["queue-position"] == "2")
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == nil })
  }

  @Test func aStartThatWaitsEndsWhenItIsTold() throws {
    try box.tell("power-failing")
    box.pullPlug()
    try slow.set(.stalling)
    try box.restart()
    try waitsForStorage()
    _ = end()
    // The checkpoint was not overwritten.
    try slow.set(.answering)
    try box.restart()
    try box.reaches("playing")
    #expect(try box.fields()["queue"] == "2")
  }

  /// Music that the user plays in the meantime is not replaced.
  @Test func whatAPersonPlaysMeanwhileStays() throws {
    try box.tell("power-failing")
    box.pullPlug()
    try slow.set(.stalling)
    try box.restart()
    try box.tell("play 1.wav")
    try box.hears(seconds: 5) { $0.last?.track == 1 }
    try slow.set(.answering)
    #expect(box.logs("What was remembered came too late"))
    try box.tell("power-failing")
    #expect(try box.fields()["queue"] == "1")
  }

  /// The storage process is restarted after a crash.
  @Test func itsProcessMayDie() throws {
    try box.tell("power-failing")
    let holder = try #require(Self.holder(of: box.daemon.identifier))
    kill(holder, SIGKILL)
    #expect(try box.bench.waits { try box.client.ask("power-failing").last?.hasPrefix("ok") == true })
    #expect(Self.holder(of: box.daemon.identifier).map { $0 != holder } == true)
  }

  /// The storage process of a daemon.
  private static func holder(of daemon: Int32) -> Int32? {
    let numbers =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
    return numbers.first { number in
      guard let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
      return line.elementsEqual(Data("swiftlet\u{0}store\u{0}\(daemon)\u{0}".utf8))
    }
  }
}
