// One handled event of an engine's state machine, with the contents before and after it. Values; any thread.

import PlaybackModel

/// An event handled by an engine's state machine, with the contents before and after it.
///
/// ``Engine/history`` keeps the last ones; ``Engine/watchTransitions(_:)`` delivers new ones.
public struct EngineTransition: Hashable, Sendable {
  /// The event that was handled.
  public struct Event: Hashable, Sendable {
    /// The origin of an event.
    public enum Origin: Hashable, Sendable {
      /// A command, or the queue on behalf of a command.
      case command
      /// The engine's decoders, mixer or timers.
      case engine
      /// The environment: the output or the storage.
      case outside
    }

    /// The event's name in docs/reference/states.md, such as `play` or `didReachEnd`.
    public let name: String
    /// The origin of the event.
    public let origin: Origin
  }

  /// The effect of an event.
  public enum Outcome: Hashable, Sendable {
    /// The state or its contents changed.
    case changed
    /// Accepted without a change.
    case unchanged
    /// Rejected without a change, with the reason as a sentence.
    case rejected(String)
  }

  /// Sequence number of the event, counted from 1. A gap means that more events were handled than the history keeps.
  /// The initial entry of a watch has the number of the last event.
  public let sequence: UInt64
  /// The event; nil in the initial entry of a watch.
  public let event: Event?
  /// The contents before the event.
  public let from: EngineContents
  /// The contents after the event.
  public let to: EngineContents
  /// The effect of the event.
  public let outcome: Outcome
  /// Time in nanoseconds of CLOCK_MONOTONIC; on an output without a clock, of the rendered music.
  public let time: UInt64
  /// Wall-clock time of the event in seconds since 1970, as the clock stood at that time.
  public let wallClock: Double

  init(_ transition: Transition, rate: SampleRate, wallClock: Double) {
    sequence = transition.sequence
    event = Event(transition.event.kind)
    from = EngineContents(transition.from, rate: rate)
    to = EngineContents(transition.to, rate: rate)
    outcome =
      switch transition.verdict {
      case .changed: .changed
      case .unchanged: .unchanged
      case .rejected(let reason): .rejected(reason.sentence)
      }
    time = transition.time
    self.wallClock = wallClock
  }

  init(present: PlayerState, sequence: UInt64, rate: SampleRate, time: UInt64, wallClock: Double) {
    self.sequence = sequence
    event = nil
    from = EngineContents(present, rate: rate)
    to = from
    outcome = .unchanged
    self.time = time
    self.wallClock = wallClock
  }
}

extension EngineTransition.Event {
  init(_ kind: PlayerEvent.Kind) {
    name = kind.name
    origin =
      switch kind.origin {
      case .user: .command
      case .system: .engine
      case .external: .outside
      }
  }
}

/// A subscription created by ``Engine/watchTransitions(_:)``. The engine retains it until ``end()``.
public final class EngineWatch {
  let receive: (EngineTransition) -> Void
  /// Sequence number of the last delivered transition.
  var told: UInt64
  private(set) var hasEnded = false

  init(after told: UInt64, _ receive: @escaping (EngineTransition) -> Void) {
    self.told = told
    self.receive = receive
  }

  /// Ends the subscription. May be called from within its closure.
  public func end() { hasEnded = true }
}
