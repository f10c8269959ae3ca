// What happens in an engine, for those who embed it. Values; any thread.

/// Something that has happened. Events come in the order in which it did, through ``Engine/onEvent``.
public struct EngineEvent: Hashable, Sendable {
  /// What has happened.
  public enum Kind: Hashable, Sendable {
    /// The state has changed.
    case state(EngineState, from: EngineState)
    /// This track is being listened to from now on; in a crossfade, from its beginning on.
    case began(EngineTrack)
    /// This track is not listened to any more. `position` is where it was left, in seconds; `isOver`: it was heard to its end.
    case left(EngineTrack, position: Double, isOver: Bool)
    /// From now on the station plays what it calls so; heard, not only received.
    case titled(EngineTrack, title: String)
    /// The queue has changed, or what is known of its tracks; it holds so many.
    case queue(count: Int)
    /// The output is gone, or is back.
    case output(isThere: Bool)
    /// A track or the output has failed; playing may well go on.
    case error(EngineError)
    /// Something about the output that belongs into a log, a sentence.
    case note(String)
  }

  /// When, in nanoseconds of CLOCK_MONOTONIC; on an output without a clock, of the music that was rendered.
  public let time: UInt64
  /// What has happened.
  public let kind: Kind
}
