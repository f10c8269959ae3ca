// Whether a deck's decoder process is alive, and the handling of its death so far. A value; control thread.

import PlaybackModel

/// The state of the decoder that fills a deck's ring.
struct DecoderLife: Equatable {
  enum Stage: Equatable {
    /// It is running, or has decoded its whole track.
    case alive
    /// It died, and the state machine has not been notified.
    case died(PlaybackError)
    /// It died; no successor was started.
    case dead(PlaybackError)
    /// It died while its deck was being silenced for a seek; a successor starts once the deck is silent.
    case due(PlaybackError)
    /// A successor was started from a ring index and has not answered yet.
    case restarting(PlaybackError, from: UInt64)
  }

  var stage = Stage.alive
  /// Whether nothing of the track was audible when the decoder died. Its successor then has its full timeout, even if
  /// playback was requested meanwhile.
  var diedInSilence = false
  /// Number of deaths counted against the track.
  var deaths = 0
  /// Ring index; once it has been heard, earlier deaths no longer count.
  var forgivenAt: UInt64 = 0

  /// Whether the decoder died and has no successor.
  var isDead: Bool { if case .dead = stage { true } else { false } }

  /// The error by which decoding ended; nil while a decoder or successor exists.
  var lossError: PlaybackError? {
    switch stage {
    case .alive, .due, .restarting: nil
    case .died(let error), .dead(let error): error
    }
  }

  /// Whether a successor has not answered yet.
  var isRestarting: Bool { if case .restarting = stage { true } else { false } }
}
