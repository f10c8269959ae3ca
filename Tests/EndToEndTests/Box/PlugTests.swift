// The plug is pulled at random moments, again and again: the box plays on where it was. SWIFTLET_SOAK gives the
// number of rounds (scripts/soak).

import Foundation
import Testing
import VirtualCardSupport

@Suite struct BoxPlugTests {
  static let rate = 44100

  /// What a box must not forget.
  private struct Memory: Equatable, CustomStringConvertible {
    var path: String
    var position: Double
    var plays: Bool
    var volume: String
    var order: [String]

    init(_ box: BoxRig) throws {
      let status = try box.fields()
      path = try #require(status["path"], "\(status)")
      position = try #require(Double(status["position"] ?? ""), "\(status)")
      let text = (status["text"] ?? "").lowercased()
      plays =
        !["paused", "ready", "crossfadePaused"].contains(status["state"] ?? "") && !text.contains("paused")
      volume = status["volume"] ?? ""
      order = try box.tell("queue").map { String($0.drop { " >".contains($0) }) }
    }

    var description: String {
      "\(path) at \(position), \(plays ? "playing" : "paused"), volume \(volume), \(order.count) in the queue"
    }

    /// Whether this can follow `other`, a plug's pull later.
    func follows(_ other: Memory) -> Bool {
      path == other.path && plays == other.plays && volume == other.volume && order == other.order
        && position > other.position - 10 && position < other.position + 10
    }
  }

  /// Does something at random. Answers what it was.
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
    // A fade of its own in half of all runs.
    let fade = seed % 2 == 0 ? ["set fade.manual-length 2"] : []
    let box = try BoxRig(["set volume.start last", "set queue.repeat all"] + fade)
    try box.tracks(1...3, seconds: 80)
    try box.tell("volume 80")
    try box.tell("queue add 1.wav 2.wav 3.wav")
    try box.tell("play")
    try box.reaches("playing")
    // Until it is remembered for the first time.
    try box.tell("power-failing")
    var story: [String] = ["seed \(seed)"]
    for round in 1...rounds {
      // What can be written soon after a start is bounded, too: one checkpoint in half a second.
      let isSafe = round % 3 == 0
      let before = try Memory(box)
      let command = try change(box, &random)
      // While a deck is prepared or fades, it is neither here nor there.
      usleep(UInt32.random(in: 0..<300_000, using: &random))
      if isSafe { usleep(1_500_000) }
      let after = try Memory(box)
      box.pullPlug()
      try box.restart()
      let now = try Memory(box)
      story.append("\(round): \(before) -> \(command) -> \(after) -> \(now)")
      let isRight = now.follows(after) || (!isSafe && now.follows(before))
      try #require(isRight, "\(story.suffix(4).joined(separator: "\n"))\n\(box.daemon.errorsSoFar)")
      let isSteady = box.bench.waits {
        ["playing", "paused", "ready", "crossfading", "crossfadePaused"].contains(
          (try? box.fields()["state"]) ?? "")
      }
      try #require(isSteady, "\(story.suffix(2))\n\(box.daemon.errorsSoFar)")
      if round % 5 == 0, now.plays {
        let frame = box.card.recordedFrames
        try #require(box.card.wait(seconds: 20) { $0.recordedFrames > frame + 2000 }, "\(story.suffix(2))")
      }
    }
    #expect(!box.daemon.errorsSoFar.contains("damaged"))
  }
}
