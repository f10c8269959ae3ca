// The typed playback commands of `Engine`, and their translation into console commands. Values; any thread.

import Console
import PlaybackModel

/// A playback command with its values, for ``Engine/perform(_:)``. ``Engine/perform(line:)`` accepts further commands
/// as text.
///
/// ```swift
/// try engine.perform(.volume(60))
/// try engine.perform(.seek(90))
/// ```
public enum EngineCommand: Hashable, Sendable {
  /// Gain curve of a crossfade.
  public enum Curve: Hashable, Sendable, CaseIterable {
    /// Constant amplitude, for two recordings of the same material.
    case linear
    /// Constant power, for unrelated tracks.
    case equalPower
    /// Smooth at both ends, without a kink in the gain.
    case sCurve
    /// Both tracks are loud in the middle of the fade.
    case logarithmic
    /// Both tracks are quiet in the middle of the fade.
    case exponential
  }

  /// Repeat mode of the queue.
  public enum Repeat: Hashable, Sendable {
    /// No repeat.
    case off
    /// Repeat the current track.
    case one
    /// Repeat the whole queue.
    case all
  }

  /// Plays or resumes; starts with the queue's first track if none is current.
  case play
  /// Pauses within 20 ms, also during a crossfade.
  case pause
  /// Pauses if music is playing, plays otherwise.
  case toggle
  /// Fades out and stops.
  case stop
  /// Continues with the next track; stops after the last.
  case next
  /// Returns to the previous track, or to the beginning of the current one if that has played for a while.
  case previous
  /// Seeks to an absolute position, in seconds from the track's beginning.
  case seek(Double)
  /// Seeks relative to the current position, in seconds; negative values go back.
  case skip(seconds: Double)
  /// Plays the track at a queue index, counted from 0.
  case jump(to: Int)
  /// Sets the volume in percent, 0 to 100. At 100 samples pass unchanged.
  case volume(Int)
  /// Sets the length of crossfades in seconds, 0 to 15, and their curve; 0 joins tracks without a gap. Consecutive
  /// tracks of an album are always joined gaplessly.
  case crossfade(seconds: Double, Curve)
  /// Completes a running crossfade within one second.
  case finishFade
  /// Plays the queue in random order (true) or in its own order (false).
  case shuffle(Bool)
  /// Sets the repeat mode.
  case `repeat`(Repeat)
  /// Retries a failed track at its position.
  case retry
  /// Leaves the `failed` state and returns to `idle`.
  case reset
}

extension EngineCommand {
  /// The equivalent console commands. Empty for `jump`, which `Engine` handles itself: the console's jump command
  /// belongs to the daemon.
  var commands: [Command] {
    switch self {
    case .play: [.play(path: nil)]
    case .pause: [.pause]
    case .toggle: [.toggle]
    case .stop: [.stop]
    case .next: [.next]
    case .previous: [.previous]
    case .seek(let position): [.seek(.to(Seconds(max(0, position))))]
    case .skip(let seconds): [.seek(.by(Seconds(seconds)))]
    case .jump: []
    case .volume(let percent): [.volume(.to(percent))]
    case .crossfade(let seconds, let curve):
      [
        .set(.fadeCurve, .choice(curve.model.name)), .set(.fadeLength, .decimal(seconds)),
        .set(.fadeManualLength, .decimal(seconds)),
      ]
    case .finishFade: [.finishFade]
    case .shuffle(let isOn): [.queue(.shuffle(isOn))]
    case .repeat(let mode): [.queue(.repeat(mode.model))]
    case .retry: [.retry]
    case .reset: [.reset]
    }
  }
}

extension EngineCommand.Curve {
  var model: FadeCurve {
    switch self {
    case .linear: .linear
    case .equalPower: .equalPower
    case .sCurve: .sCurve
    case .logarithmic: .logarithmic
    case .exponential: .exponential
    }
  }
}

extension EngineCommand.Repeat {
  var model: RepeatMode {
    switch self {
    case .off: .off
    case .one: .one
    case .all: .all
    }
  }
}
