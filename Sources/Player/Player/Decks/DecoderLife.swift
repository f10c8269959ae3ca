// Whether the decoder of a deck lives, and what is known of its death. A value; control thread.

import PlaybackModel

/// The life of the decoder that fills a deck's ring.
struct DecoderLife: Equatable {
  enum Stage: Equatable {
    /// It works, or has put all of its track into the ring.
    case alive
    /// It died, and the state machine has not been notified.
    case died(PlaybackError)
    /// It died; no successor was started.
    case dead(PlaybackError)
    /// It died while its deck was being silenced for a seek: a successor is started as soon as it is silent.
    case due(PlaybackError)
    /// A successor was started, from a ring index on: it has not answered yet.
    case restarting(PlaybackError, from: UInt64)
  }

  var stage = Stage.alive
  /// Whether nothing of the track was heard when the decoder died. Its successor may take as long as its own deadline allows, also
  /// where sound is wanted since.
  var diedInSilence = false
  /// Deaths that count against the track.
  var deaths = 0
  /// The ring index from which on the deaths so far do not count any more, once it is heard.
  var forgivenAt: UInt64 = 0

  /// Whether the decoder died after it had decoded the whole track, so that it has no successor.
  var isDead: Bool { if case .dead = stage { true } else { false } }

  /// Why nothing more is decoded; nil while a decoder or its successor is there.
  var lossError: PlaybackError? {
    switch stage {
    case .alive, .due, .restarting: nil
    case .died(let error), .dead(let error): error
    }
  }

  /// Whether a successor has not answered yet.
  var isRestarting: Bool { if case .restarting = stage { true } else { false } }
}
