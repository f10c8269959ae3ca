// A daemon with two roots, one of which hangs: everything but what lies there goes on.

import ChildSupport
import Foundation
import Testing
import VirtualCardSupport

/// A box with music on healthy storage and on storage that can stall.
struct StallingBox {
  let box: BoxRig
  let slow: StallingStorage
  /// The slowest answer of the control socket so far.
  private(set) var worst = Duration.zero
  private(set) var worstCommand = ""

  /// Tracks 1 and 2 are on healthy storage, 11 and 12 on the other; all are in the queue, in this order: 1, 11, 2, 12.
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

  /// Gives a command, and notes how long its answer took.
  mutating func ask(_ command: String) throws -> [String] {
    let begun = ContinuousClock.now
    let answer = try box.client.ask(command)
    let took = ContinuousClock.now - begun
    if took > worst { (worst, worstCommand) = (took, command) }
    return answer
  }

  /// Asks for the status and moves the volume, for so long.
  mutating func press(seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      _ = try ask("status")
      _ = try ask("volume 100")
      usleep(20_000)
    }
  }
}

@Suite(.enabled(if: StallingStorage.isAvailable)) struct HangingStorageTests {
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
    _ = try rig.ask("queue jump 3")
    try box.hears(seconds: 5) { $0.last?.track == 2 }
    _ = try rig.ask("queue jump 2")
    try rig.press(seconds: 0.3)
    try rig.slow.set(.answering)
    try box.hears { $0.last?.track == 11 }
    #expect(try box.bench.waits { try box.fields()["waiting-for-storage"] == nil })
    #expect(box.daemon.errorsSoFar.components(separatedBy: "Waiting for storage").count == 2, "said once")
    #expect(box.logs("The storage \(rig.slow.mountpoint) answers again"))
    // Other tests keep the processors busy; scripts/test-storage, which runs alone, is stricter.
    #expect(rig.worst < .seconds(2), "\(rig.worstCommand) took \(rig.worst)")
    #expect(try box.fields("stats")["xruns"] == "0")
    #expect(try box.fields()["queue"] == "4")
  }

  /// What lies elsewhere is found, also by a name that is looked for in the hung root first.
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

  /// One root cannot use up the processes that the box may have, and what it holds is gone when it answers.
  @Test func whatDeadStorageHoldsIsBounded() throws {
    let rig = try StallingBox()
    let box = rig.box
    try rig.slow.set(.stalling)
    for _ in 0..<12 {
      _ = try box.client.ask("queue jump 2")
      // It has to wait for the storage before it is ended.
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

  /// The child must not close a copy of a file there, for which its storage would be asked.
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
    let begun = ContinuousClock.now
    try slow.set(.answering)
    kill(box.daemon.identifier, SIGTERM)
    #expect(box.daemon.wait(seconds: 20).status == 0)
    #expect(ContinuousClock.now - begun < .seconds(5))
  }
}
