// Outputs, storage and power that fail: the daemon recovers without a command. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxOutageTests {
  static let rate = 44100

  @Test func anOutputThatIsMissingAtTheStartIsFoundLater() throws {
    let card = try VirtualCard()
    card.unplug()
    let box = try BoxRig(card: card)
    try box.tracks(1...2, seconds: 10)
    #expect(box.logs("No sound"))
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.tell("volume 90")
    try box.tell("volume 100")
    let status = try box.fields()
    #expect(status["output"]?.contains("none") == true)
    #expect(status["output"]?.contains("trying again in") == true)
    #expect(status["output-retry-seconds"].flatMap { Int($0) }.map { $0 <= 5 } == true, "\(status)")
    card.plugIn()
    try box.hears { $0.first.map { $0.track == 1 && $0.positions.lowerBound == 0 } ?? false }
    #expect(try box.fields()["queue"] == "2")
    #expect(try box.fields()["output-retry-seconds"] == nil)
    try box.tell("next")
    try box.hears { $0.last?.track == 2 }
  }

  @Test func aPauseDuringTheOutageIsKept() throws {
    let card = try VirtualCard()
    card.unplug()
    let box = try BoxRig(card: card)
    try box.tracks(1...1, seconds: 10)
    try box.tell("play 1.wav")
    try box.tell("seek 4")
    try box.tell("pause")
    card.plugIn()
    let isFound = box.bench.waits { (try? box.fields()["output"])?.contains("none") == false }
    #expect(isFound)
    let isHeld = box.bench.waits { ["paused", "ready"].contains((try? box.fields()["state"]) ?? "") }
    #expect(isHeld)
    #expect(card.segments.isEmpty)
    try box.tell("play")
    // A paused track resumes with a ramp, whose start cannot be decoded.
    try box.hears {
      $0.first.map { (0...Self.rate / 5).contains($0.positions.lowerBound - 4 * Self.rate) } ?? false
    }
  }

  @Test func aResumedBoxWaitsForItsOutput() throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 30)
    try box.tell("play 1.wav")
    try box.tell("seek 10")
    try box.hears { $0.last.map { $0.positions.upperBound > 11 * Self.rate } ?? false }
    try box.tell("power-failing")
    box.card.unplug()
    box.pullPlug()
    let before = box.card.segments.count
    let position = try #require(box.card.segments.last).positions.upperBound
    try box.restart()
    #expect(box.logs("No sound"))
    // Two starts without a card keep the state.
    box.pullPlug()
    try box.restart()
    box.card.plugIn()
    try box.hears { $0.count > before }
    let next = try #require(box.card.segments.last)
    #expect(abs(next.positions.lowerBound - position) < Self.rate, "\(next) after \(position)")
  }

  @Test func anOutputThatIsLostComesBackAtTheSameFrame() throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 30)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 30_000 } ?? false }
    box.card.unplug()
    try box.reaches("paused")
    let position = try #require(box.card.segments.last).positions.upperBound
    try box.tell("status")
    box.card.plugIn()
    try box.hears { $0.count > 1 }
    let next = try #require(box.card.segments.last)
    #expect(abs(next.positions.lowerBound - position) < Self.rate / 4, "\(next) after \(position)")
    #expect(try box.fields("stats")["output-losses"] == "1")
  }

  /// Commands every 20 ms while the card is unplugged and plugged in: ended workers are reaped at once.
  @Test func aStormOfCommandsLeavesNoZombies() throws {
    let box = try BoxRig()
    try box.tracks(1...4, seconds: 30)
    try box.tell("queue add 1.wav 2.wav 3.wav 4.wav")
    try box.tell("queue repeat all")
    try box.tell("play")
    var since: [Int: DispatchTime] = [:]
    var longest = 0.0
    var most = 0
    func look() {
      let zombies = Self.zombies(of: Int(box.daemon.identifier))
      let now = DispatchTime.now()
      since = Dictionary(uniqueKeysWithValues: zombies.map { ($0, since[$0] ?? now) })
      most = max(most, zombies.count)
      for first in since.values {
        longest = max(longest, Double(now.uptimeNanoseconds - first.uptimeNanoseconds) / 1e9)
      }
    }
    for turn in 0..<200 {
      if turn % 25 == 8 { box.card.unplug() }
      if turn % 25 == 16 { box.card.plugIn() }
      let command = [
        "next", "previous", "seek \(turn % 30)", "queue jump \(turn % 4 + 1)", "toggle", "play",
      ][turn % 6]
      // While the card is missing, some commands must wait.
      _ = try box.client.ask(command)
      usleep(20_000)
      look()
    }
    box.card.plugIn()
    try box.tell("play")
    try box.reaches("playing")
    let isTidy = box.bench.waits {
      look()
      return since.isEmpty
    }
    #expect(isTidy && longest < 0.5, "\(since.count) are left; \(most) at a time, for \(longest) s at most")
    #expect(try box.fields("stats")["worker-crashes"] == "0")
  }

  /// Children of a process that have ended and were not reaped.
  private static func zombies(of parent: Int) -> [Int] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
      guard let number = Int(name), let line = FileManager.default.contents(atPath: "/proc/\(number)/stat")
      else {
        return nil
      }
      // The process name may contain spaces; state and parent follow it.
      let fields =
        String(decoding: line, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[0] == "Z" && fields[1] == "\(parent)" ? number : nil
    }
  }

  @Test func aTrackThatIsGoneCostsItselfOnly() throws {
    let box = try BoxRig()
    try box.tracks(1...3, seconds: 0.5)
    try box.bench.write(Data("not music at all".utf8), as: "4.wav")
    try box.tell("queue add 1.wav 4.wav 2.wav 3.wav")
    try FileManager.default.removeItem(atPath: box.bench.path("2.wav"))
    try box.tell("play")
    try box.hears { $0.contains { $0.track == 3 } }
    #expect(box.card.segments.map(\.track) == [1, 3])
    #expect(box.logs("4.wav"))
  }

  @Test func aTrackThatCannotBeReadIsTriedAgain() throws {
    let box = try BoxRig()
    // A socket cannot be opened, which the player treats as a file that is temporarily unreadable.
    try #require(mknod(box.bench.path("1.wav"), S_IFSOCK | 0o600, 0) == 0)
    try box.tell("play 1.wav")
    try box.reaches("failed")
    let program = try box.session()
    _ = try program.ask("format json")
    let line = try #require(try program.ask("status").last)
    let status = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let fields = try #require(status["fields"] as? [String: Any])
    #expect((fields["track-retry-seconds"] as? Int).map { (0...2).contains($0) } == true, "\(line)")
    #expect((fields["last-error"] as? String)?.contains("; trying again in ") == true, "\(line)")
    unlink(box.bench.path("1.wav"))
    try box.tracks(1...1, seconds: 20)
    try box.hears { $0.first?.track == 1 }
    #expect(try box.fields()["track-retry-seconds"] == nil)
    let stats = try box.fields("stats")
    #expect(stats["worker-restarts"].flatMap { Int($0) } ?? 0 >= 1, "\(stats)")
    #expect(stats["worker-crashes"] == "0")
  }

  @Test func aWorkerThatCrashesIsCounted() throws {
    let bench = try Workbench()
    let box = try BoxRig(bench: bench, environment: try bench.hostileEnvironment())
    try box.tracks(1...1, seconds: 20)
    try bench.write(Misdeed.crash.file(when: 0, frames: 44100), as: "crash.wav")
    try box.tell("queue add crash.wav 1.wav")
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    #expect(try box.fields("stats")["worker-crashes"] == "1")
  }

  @Test(arguments: [
    "/proc/swiftlet-checkpoint", "/sys/swiftlet-checkpoint", "/nonexistent/folder/checkpoint",
  ])
  func aCheckpointThatCannotBeWrittenStopsNothing(path: String) throws {
    let box = try BoxRig(["set checkpoint.path \(path)"])
    try box.tracks(1...2, seconds: 5)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.tell("next")
    try box.hears { $0.last?.track == 2 }
    #expect(try box.refusal(of: "power-failing").contains("not written"))
    #expect(box.logs("annot be written") || box.logs("remembered"))
    #expect(try box.fields()["state"] == "playing")
  }

  /// A wrong checkpoint path in the configuration must not overwrite a device.
  @Test(.enabled(if: geteuid() == 0, "only root can make a device")) func aDeviceIsNotTakenForACheckpoint()
    throws
  {
    let bench = try Workbench()
    let path = bench.path("device")
    try #require(mknod(path, S_IFCHR | 0o600, 0x107) == 0)
    let box = try BoxRig(["set checkpoint.path \(path)"], bench: bench)
    try box.tracks(1...1, seconds: 5)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    _ = try box.refusal(of: "power-failing")
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func aCheckpointOfGarbageIsLeftAlone() throws {
    let bench = try Workbench()
    var random = Noise(seed: 3)
    try bench.write(
      Data((0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next() as UInt64) }), as: "checkpoint")
    let box = try BoxRig(bench: bench)
    try box.tracks(1...1, seconds: 5)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    try box.tell("power-failing")
    box.pullPlug()
    try box.restart()
    try box.hears { $0.count > 1 }
  }
}
