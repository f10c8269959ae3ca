// Runs the timed commands of `--script` on exact frames: the audio thread renders up to the next command's frame and
// waits. Main thread.

import Console
import PlaybackModel
import Player

/// Runs a script on a player.
final class ScriptRunner {
  private let player: Player
  private let timed: [(frame: Frames, line: Script.Line)]
  private var next = 0
  private var hasBegun = false
  private var isEnded = false
  /// Called with each command when its frame is reached.
  var onCommand: (Script.Line, Frames) -> Void = { _, _ in }
  /// Frame up to which may be rendered before the next command.
  private(set) var limit: Int64 = 0
  /// Called when `limit` has changed.
  var onLimit: () -> Void = {}

  /// Creates a runner. It holds rendering at the first frame until the first track is ready, because script times count
  /// from the first frame of music.
  init(_ script: Script, player: Player, rate: SampleRate) {
    self.player = player
    timed = script.timed(at: rate)
  }

  /// Whether commands remain.
  var isPending: Bool { next < timed.count }

  /// Starts the timeline once a track plays or has failed.
  func beginIfReady() {
    guard !hasBegun else { return }
    switch player.machine.state {
    case .idle, .preparing: return
    default: break
    }
    hasBegun = true
    giveDue(upTo: .zero)
  }

  /// Runs the commands due at a frame. Call when rendering has stopped there.
  func reached(_ frame: Frames) {
    if hasBegun { giveDue(upTo: frame) }
  }

  /// Skips the remaining commands.
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
