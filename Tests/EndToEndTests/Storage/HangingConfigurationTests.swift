// The configuration's storage hangs, before the daemon starts or when it saves. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime, .enabled(if: StallingStorage.isAvailable), .serialized) struct HangingConfigurationTests {
  /// The default socket path, which a daemon uses while its configuration is unknown.
  private static let usualSocket = "/run/swiftlet/control"

  private let bench: Workbench
  private let slow: StallingStorage
  private let card: VirtualCard
  private let socket: String

  init() throws {
    bench = try Workbench()
    slow = try StallingStorage(bench)
    card = try VirtualCard()
    socket = bench.path("control")
    let lines = [
      "set output.device \(card.deviceName)", "set output.format FLOAT", "set output.rate 44100",
      "set media.root \(bench.directory.path)", "set media.removable off", "set cues.enabled off",
      "set volume.start 100", "set socket.path \(socket)", "set checkpoint.path \(bench.path("checkpoint"))",
    ]
    try bench.write(Data(lines.map { $0 + "\n" }.joined().utf8), as: "slow-files/swiftlet.conf")
    try bench.write(Coded.track(1, seconds: 60), as: "1.wav")
  }

  private func start() throws -> Child {
    try bench.start(
      ["run", "--strict", "--config", slow.mountpoint + "/swiftlet.conf"], environment: card.environment)
  }

  private func connect(_ daemon: Child, at path: String) throws -> ControlClient {
    var client: ControlClient?
    _ = bench.waits {
      client = ControlClient(path)
      return client != nil || !daemon.isRunning
    }
    return try #require(client, "\(daemon.errorsSoFar)")
  }

  /// Checks that the daemon ends within five seconds and leaves no process behind once the storage responds.
  private func end(_ daemon: Child) {
    let begun = ContinuousClock.now
    kill(daemon.identifier, SIGTERM)
    let outcome = daemon.wait(seconds: 20)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.status) \(outcome.errors)")
    #expect(ContinuousClock.now - begun < .seconds(5))
  }

  private func field(_ name: String, _ client: ControlClient) throws -> String? {
    for line in try client.ask("status") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.count == 2, parts[0] == name { return parts[1] }
    }
    return nil
  }

  @Test func aStartWaitsHalfASecondAndAdoptsItLater() throws {
    try slow.set(.stalling)
    let begun = ContinuousClock.now
    let daemon = try start()
    let early = try connect(daemon, at: Self.usualSocket)
    _ = try early.ask("status")
    // Other tests may keep the machine busy.
    #expect(ContinuousClock.now - begun < .seconds(3))
    #expect(daemon.errorsSoFar.contains("is not known yet") && daemon.errorsSoFar.contains("Ready."))
    #expect(try bench.waits { try field("waiting-for-storage", early) == slow.mountpoint })
    #expect(try early.ask("save").last?.contains("not known yet") == true)
    try slow.set(.answering)
    let client = try connect(daemon, at: socket)
    #expect(try bench.waits { try field("waiting-for-storage", client) == nil })
    #expect(try early.ask("status").last?.hasPrefix("ok") == true, "who was there stays")
    #expect(try client.ask("play 1.wav").last?.hasPrefix("ok") == true)
    #expect(card.wait(seconds: 10) { $0.segments.last?.track == 1 }, "\(daemon.errorsSoFar)")
    end(daemon)
  }

  @Test func aStartThatWaitsEndsWhenItIsTold() throws {
    let file = FileManager.default.contents(atPath: slow.backing + "/swiftlet.conf")
    try slow.set(.stalling)
    let daemon = try start()
    let early = try connect(daemon, at: Self.usualSocket)
    _ = try early.ask("volume 3")
    #expect(try bench.waits { try slow.figures().waiting > 0 })
    end(daemon)
    try slow.set(.answering)
    #expect(FileManager.default.contents(atPath: slow.backing + "/swiftlet.conf") == file)
    #expect(!FileManager.default.fileExists(atPath: bench.path("checkpoint")))
  }

  @Test func aSaveThatHangsHoldsUpNothing() throws {
    let daemon = try start()
    let client = try connect(daemon, at: socket)
    _ = try client.ask("play 1.wav")
    #expect(card.wait(seconds: 10) { $0.segments.last?.track == 1 })
    _ = try client.ask("set fade.length 4")
    try slow.set(.stalling)
    let saver = try connect(daemon, at: socket)
    saver.send(Array("save\n".utf8))
    #expect(try bench.waits { try slow.figures().waiting > 0 })
    let begun = ContinuousClock.now
    #expect(try client.ask("pause").last?.hasPrefix("ok") == true)
    #expect(ContinuousClock.now - begun < .seconds(2))
    #expect(saver.line()?.contains("does not answer") == true)
    try slow.set(.answering)
    #expect(bench.waits { daemon.errorsSoFar.contains("swiftlet.conf at last") }, "\(daemon.errorsSoFar)")
    #expect(try client.ask("save").last?.contains("written") == true)
    let text = FileManager.default.contents(atPath: slow.backing + "/swiftlet.conf") ?? Data()
    #expect(String(decoding: text, as: UTF8.self).contains("set fade.length 4"))
    try slow.set(.stalling)
    saver.send(Array("save\n".utf8))
    #expect(try bench.waits { try slow.figures().waiting > 0 })
    end(daemon)
  }
}
