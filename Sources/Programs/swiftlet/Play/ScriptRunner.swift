// Gives a script's commands at their frames: the audio thread renders up to the next command's frame and
// waits there. Main thread.

import Console
import PlaybackModel
import Player

/// Runs a script against a player.
final class ScriptRunner {
  private let player: Player
  private let timed: [(frame: Frames, line: Script.Line)]
  private var next = 0
  private var hasBegun = false
  private var isEnded = false
  /// Called with each command when it is due.
  var onCommand: (Script.Line, Frames) -> Void = { _, _ in }
  /// The frame before which nothing may be rendered that a command has not been given for.
  private(set) var limit: Int64 = 0
  /// Called when the limit is another one.
  var onLimit: () -> Void = {}

  /// Holds the timeline at its first frame until the first track is ready: script time counts from the
  /// first frame of music.
  init(_ script: Script, player: Player, rate: SampleRate) {
    self.player = player
    timed = script.timed(at: rate)
  }

  /// Whether commands are left.
  var isPending: Bool { next < timed.count }

  /// Lets the timeline go once something plays, or cannot.
  func beginIfReady() {
    guard !hasBegun else { return }
    switch player.machine.state {
    case .idle, .preparing: return
    default: break
    }
    hasBegun = true
    giveDue(upTo: .zero)
  }

  /// The timeline stands at `frame`.
  func reached(_ frame: Frames) {
    if hasBegun { giveDue(upTo: frame) }
  }

  /// Gives no commands any more.
  func end() { isEnded = true }

  private func giveDue(upTo frame: Frames) {
    while next < timed.count, timed[next].frame <= frame {
      let (frame, line) = timed[next]
      next += 1
      onCommand(line, frame)
      if isEnded { return }
    }
    limit = next < timed.count ? timed[next].frame.count : .max
    onLimit()
  }
}
