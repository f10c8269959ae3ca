// What an engine's state machine made of an event, for those who embed it. Values; any thread.

import PlaybackModel

/// An event that an engine's state machine has handled, with the contents before and after it.
///
/// ``Engine/history`` keeps the last ones, ``Engine/watchTransitions(_:)`` tells of each new one.
public struct EngineTransition: Hashable, Sendable {
  /// The event that was handled.
  public struct Event: Hashable, Sendable {
    /// Where an event comes from.
    public enum Origin: Hashable, Sendable {
      /// A command, or the queue on behalf of one.
      case command
      /// The engine's own parts.
      case engine
      /// The world outside: the output, the storage.
      case outside
    }

    /// The name in the table of docs/states.md, such as `play` or `didReachEnd`.
    public let name: String
    /// Where it comes from.
    public let origin: Origin
  }

  /// What became of the event.
  public enum Outcome: Hashable, Sendable {
    /// The state is another one, or has other contents.
    case changed
    /// Understood; the state stays as it is.
    case unchanged
    /// Not possible, for a reason in a sentence; the state stays as it is.
    case rejected(String)
  }

  /// Counts the events of an engine, from 1; a gap means that more were handled than are kept. The present state, which a
  /// watch begins with, has the number of the last event.
  public let sequence: UInt64
  /// The event; nil for the present state, which a watch begins with.
  public let event: Event?
  /// The contents before the event.
  public let from: EngineContents
  /// The contents after the event.
  public let to: EngineContents
  /// What became of the event.
  public let outcome: Outcome
  /// When, in nanoseconds of CLOCK_MONOTONIC; on an output without a clock, of the music that was rendered.
  public let time: UInt64
  /// When by the wall clock, in seconds since 1970, as it stood at the event.
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

/// A running watch of ``Engine/watchTransitions(_:)``. The engine holds it until ``end()``.
public final class EngineWatch {
  let receive: (EngineTransition) -> Void
  /// The transitions up to this one are told already.
  var told: UInt64
  private(set) var hasEnded = false

  init(after told: UInt64, _ receive: @escaping (EngineTransition) -> Void) {
    self.told = told
    self.receive = receive
  }

  /// Ends the watch: it receives nothing any more. May be called while it receives.
  public func end() { hasEnded = true }
}
