// Power cuts at random moments: the box resumes where it was. SWIFTLET_SOAK is the number of rounds
// (scripts/soak). Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxPlugTests {
  static let rate = 44100

  /// The state that a box must keep.
  private struct Memory: CustomStringConvertible {
    var path: String
    var position: Double
    /// Nil while a track is being prepared, when it cannot be determined.
    var plays: Bool?
    var volume: String
    var order: [String]

    init(_ box: BoxRig) throws {
      let status = try box.fields()
      path = try #require(status["path"], "\(status)")
      position = try #require(Double(status["position"] ?? ""), "\(status)")
      plays =
        switch status["state"] {
        case "paused", "ready", "crossfadePaused": false
        case "playing", "crossfading", "preparingCrossfade": true
        default: nil
        }
      volume = status["volume"] ?? ""
      order = try box.tell("queue").map { String($0.drop { " >".contains($0) }) }
    }

    /// Waits until the state can be determined.
    static func settled(_ box: BoxRig) throws -> Memory {
      var memory = try Memory(box)
      let isSettled = try box.bench.waits {
        memory = try Memory(box)
        return memory.plays != nil
      }
      let status = try box.tell("status")
      try #require(isSettled, "\(status)")
      return memory
    }

    var description: String {
      let file = path.split(separator: "/").last ?? ""
      return
        "\(file) at \(position), \(plays.map { $0 ? "playing" : "paused" } ?? "?"), \(volume) %, \(order)"
    }

    /// Whether this is a valid state after a power cut during `other`.
    func follows(_ other: Memory) -> Bool {
      path == other.path && (plays == other.plays || other.plays == nil) && volume == other.volume
        && order == other.order && position > other.position - 10 && position < other.position + 10
    }
  }

  /// Runs a random command and returns it.
  private func change(_ box: BoxRig, _ random: inout Noise) throws -> String {
    let commands = [
      "pause", "play", "toggle", "seek \(Int.random(in: 5..<60, using: &random))", "next", "previous",
      "queue jump \(Int.random(in: 1...3, using: &random))",
      "volume \(Int.random(in: 60...100, using: &random))",
      "queue move 1 3", "queue move 2 1", "status",
    ]
    let command = try #require(commands.randomElement(using: &random))
    _ = try box.client.ask(command)
    return command
  }

  @Test func aPulledPlugCostsTenSecondsAtMost() throws {
    let given = ProcessInfo.processInfo.environment["SWIFTLET_SOAK"].flatMap { Int($0) }
    let rounds = given ?? 20
    let seed = ProcessInfo.processInfo.environment["SWIFTLET_SEED"].flatMap { UInt64($0) } ?? UInt64(getpid())
    var random = Noise(seed: seed)
    // Half of all runs use a fade.
    let fade = seed % 2 == 0 ? ["set fade.manual-length 2"] : []
    let box = try BoxRig(["set volume.start last", "set queue.repeat all"] + fade)
    try box.tracks(1...3, seconds: 80)
    try box.tell("volume 80")
    try box.tell("queue add 1.wav 2.wav 3.wav")
    try box.tell("play")
    try box.reaches("playing")
    // Saves the first checkpoint.
    try box.tell("power-failing")
    var story: [String] = ["seed \(seed)"]
    for round in 1...rounds {
      // Checkpoint writes are limited to one per half second after a start, too.
      let isSafe = round % 3 == 0
      let before = try Memory.settled(box)
      let command = try change(box, &random)
      usleep(UInt32.random(in: 0..<300_000, using: &random))
      let after = try Memory(box)
      // The command responds after the write; it is repeated in case the storage was too slow.
      if isSafe {
        let isRemembered = box.bench.waits {
          (try? box.client.ask("power-failing"))?.last.map { $0.hasPrefix("ok") } ?? false
        }
        try #require(isRemembered)
      }
      box.pullPlug()
      try box.restart()
      let now = try Memory.settled(box)
      story.append("\(round): \(before) -> \(command) -> \(after) -> \(now)")
      let isRight = now.follows(after) || (!isSafe && now.follows(before))
      try #require(isRight, "\(story.suffix(4).joined(separator: "\n"))\n\(box.daemon.errorsSoFar)")
      if round % 5 == 0, now.plays == true {
        let frame = box.card.recordedFrames
        try #require(box.card.wait(seconds: 20) { $0.recordedFrames > frame + 2000 }, "\(story.suffix(2))")
      }
    }
    #expect(!box.daemon.errorsSoFar.contains("damaged"))
  }
}
