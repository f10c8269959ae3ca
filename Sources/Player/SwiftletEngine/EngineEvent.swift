// The events of the engine: changes of state, track, queue and output, and errors. Values; any thread.

/// A timestamped event, delivered in order to ``Engine/onEvent``.
///
/// ```swift
/// engine.onEvent = { event in
///   if case .began(let track) = event.kind { print("playing", track.name) }
/// }
/// ```
public struct EngineEvent: Hashable, Sendable {
  /// The kind of an event.
  public enum Kind: Hashable, Sendable {
    /// The state has changed.
    case state(EngineState, from: EngineState)
    /// A track has become the one being listened to; in a crossfade, the incoming track at the start of the fade.
    case began(EngineTrack)
    /// A track is no longer being listened to. `position`: where it was left, in seconds. `isOver`: whether it was
    /// played to its end.
    case left(EngineTrack, position: Double, isOver: Bool)
    /// A station's title has changed. Posted when the title becomes audible, not when it is received.
    case titled(EngineTrack, title: String)
    /// The queue or the metadata of its tracks has changed. `count`: the number of tracks.
    case queue(count: Int)
    /// The output was lost (false) or has returned (true).
    case output(isThere: Bool)
    /// A track or the output has failed. Playback may continue.
    case error(EngineError)
    /// A message about the output or a decoder for a log, as a sentence.
    case note(String)
  }

  /// Time in nanoseconds of CLOCK_MONOTONIC; on an output without a clock, of the rendered music.
  public let time: UInt64
  /// What happened.
  public let kind: Kind
}
