// What can be asked of an engine, for those who embed it. Values; any thread.

import Console
import PlaybackModel

/// A command with its values. ``Engine/perform(line:)`` takes others, in the words of docs/console.md.
public enum EngineCommand: Hashable, Sendable {
  /// The shape of a crossfade.
  public enum Curve: Hashable, Sendable, CaseIterable {
    /// Constant amplitude, for two takes of one thing.
    case linear
    /// Constant power, for unrelated tracks.
    case equalPower
    /// Begins and ends without a kink.
    case sCurve
    /// Both tracks are loud in the middle.
    case logarithmic
    /// Both tracks are quiet in the middle.
    case exponential
  }

  /// What is played again.
  public enum Repeat: Hashable, Sendable {
    /// Nothing.
    case off
    /// The current track.
    case one
    /// The whole queue.
    case all
  }

  /// Plays, or goes on; begins with the queue's first track.
  case play
  /// Pauses within 20 ms, also in the middle of a crossfade.
  case pause
  /// Plays or pauses.
  case toggle
  /// Fades out and stops.
  case stop
  /// Goes on to the next track; stops behind the last.
  case next
  /// Goes to the previous track, or to the beginning of this one.
  case previous
  /// Goes to so many seconds from the track's beginning.
  case seek(Double)
  /// Goes so many seconds forward, or back.
  case skip(seconds: Double)
  /// Plays the track at an index of the queue, from 0.
  case jump(to: Int)
  /// Sets the volume, in percent: 0 to 100. At 100 samples stay as they are.
  case volume(Int)
  /// Fades tracks into each other for so many seconds, 0 to 15; 0 joins them without a gap. Tracks that follow each other on
  /// an album are always joined.
  case crossfade(seconds: Double, Curve)
  /// Ends a running crossfade within a second.
  case finishFade
  /// Plays the queue in random order, or as it is.
  case shuffle(Bool)
  /// Repeats.
  case `repeat`(Repeat)
  /// Tries again what failed, at the same position.
  case retry
  /// Leaves a failure behind.
  case reset
}

extension EngineCommand {
  /// The same as commands of the console; none for `jump`, which the console's words have for the daemon only.
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
