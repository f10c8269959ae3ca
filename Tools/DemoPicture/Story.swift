// Reads an events file of `swiftlet play --events` and derives which track had which gain at which frame. StateLog
// describes the format.

import Foundation
import PlaybackModel

/// State of the player over a range of frames.
struct Stretch {
  var state: String
  var track: String
  var next: String?
  var start: Int
  var end: Int
  /// Within a fade: its index at both ends of the range, its length in frames, and its curve.
  var fade: (from: Int, to: Int, length: Int, curve: FadeCurve)?
}

/// Command of the script, and the frame at which it was given.
struct TimedCommand {
  var frame: Int
  var text: String
}

/// Gains of both tracks of a fade, and the common gain of pause and volume.
struct Gains {
  /// Gain of the outgoing track, or of the only one.
  var outgoing: Double
  var incoming: Double?
  /// Gain of the pause's ramp times the volume.
  var gate: Double
}

/// Sequence of states and commands in an events file.
struct Story {
  var stretches: [Stretch] = []
  var commands: [TimedCommand] = []
  /// Frames at which two tracks are joined without a gap.
  var joins: [Int] = []
  private let ramp: Int

  /// Reads an events file.
  /// - Throws: `Complaint` that names the file.
  init(_ path: String, rate: Int, frames: Int) throws {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Complaint(sentence: "\(path) cannot be read")
    }
    ramp = rate / 5
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let frame = Int(words[0]) else {
        throw Complaint(sentence: "\(path) has a line that is no event: \(line)")
      }
      if words[1] == "command" {
        commands.append(TimedCommand(frame: frame, text: String(words[2])))
        continue
      }
      let fields = words[2].split(separator: "\t").map(String.init)
      var stretch = Stretch(state: String(words[1]), track: fields[0], start: frame, end: frames)
      if fields.count > 1 { stretch.next = fields[1] }
      if fields.count > 2 { stretch.fade = Self.fade(fields[2]) }
      add(stretch)
    }
    stretches.removeAll { $0.start == $0.end && !["seeking"].contains($0.state) }
  }

  private static func fade(_ text: String) -> (from: Int, to: Int, length: Int, curve: FadeCurve)? {
    let parts = text.split { $0 == "/" || $0 == " " }
    guard parts.count == 3, let index = Int(parts[0]), let length = Int(parts[1]),
      let curve = FadeCurve(name: String(parts[2]))
    else { return nil }
    return (index, length, length, curve)
  }

  private mutating func add(_ stretch: Stretch) {
    if let last = stretches.last {
      stretches[stretches.count - 1].end = stretch.start
      if let fade = stretch.fade, last.fade != nil { stretches[stretches.count - 1].fade?.to = fade.from }
      let isHeard = ["playing", "preparingCrossfade"].contains(last.state)
      if isHeard, stretch.state == "playing", last.track != stretch.track { joins.append(stretch.start) }
    }
    stretches.append(stretch)
  }

  /// The gains at a frame; nil if nothing is loaded.
  func gains(at frame: Int) -> Gains? {
    guard let index = stretches.lastIndex(where: { $0.start <= frame && frame < $0.end }) else { return nil }
    let stretch = stretches[index]
    var gains = Gains(outgoing: 1, incoming: nil, gate: volume(at: frame) * gate(index, frame))
    if let fade = stretch.fade {
      let share = Double(frame - stretch.start) / Double(max(1, stretch.end - stretch.start))
      let position = Double(fade.from) + share * Double(fade.to - fade.from)
      let both = fade.curve.gains(atExact: position / Double(fade.length))
      gains.outgoing = Double(both.outgoing.factor)
      gains.incoming = Double(both.incoming.factor)
    }
    return gains
  }

  private func gate(_ index: Int, _ frame: Int) -> Double {
    let stretch = stretches[index]
    func since(_ start: Int, _ length: Int) -> Double {
      min(1, Double(frame - start) / Double(max(1, length)))
    }
    switch stretch.state {
    case "paused": return 1 - since(stretch.start, ramp)
    case "crossfadePaused":
      // The first of the two lines is the press, the second the end of the ramp.
      let isSettled = index > 0 && stretches[index - 1].state == "crossfadePaused"
      return isSettled ? 0 : 1 - since(stretch.start, stretch.end - stretch.start)
    case "fadingOut": return 1 - since(stretch.start, stretch.end - stretch.start)
    case "playing", "preparingCrossfade", "crossfading":
      guard index > 0, stretches[index - 1].state.lowercased().contains("paused") else { return 1 }
      return since(stretch.start, ramp)
    default: return 0
    }
  }

  private func volume(at frame: Int) -> Double {
    var percent: Float = 100
    for command in commands where command.frame <= frame && command.text.hasPrefix("volume ") {
      percent = Float(command.text.dropFirst(7)) ?? percent
    }
    return Double(Volume(percent).gain(.cubic).factor)
  }
}
