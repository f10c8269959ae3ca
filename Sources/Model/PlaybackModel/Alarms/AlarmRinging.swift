// What an alarm sounds with, until something does: what it was set to play, the fall-back, the box's own sound. Pure values;
// control thread.

/// An alarm that rings.
package struct AlarmRinging: Hashable, Sendable {
  /// What it tries to wake with.
  package enum Stage: Hashable, Sendable {
    /// What the alarm was set to play.
    case wanted
    /// What `alarm.fallback` names.
    case fallback
    /// A sound of the box's own, which needs no storage and no network.
    case builtIn
  }

  /// What has become of the present stage.
  package enum Event: Hashable, Sendable, CaseIterable {
    /// Music is heard.
    case sounds
    /// Music is waited for: it is opened, or has run dry.
    case waits
    /// The sound card is away: neither music nor a sound of the box's own can be heard.
    case isHeldUp
    /// Music has ended, was refused, or has failed, and nobody wanted that.
    case isSilent
    /// It was waited for long enough.
    case tookTooLong
  }

  /// What has to be done.
  package enum Effect: Hashable, Sendable {
    /// Plays this.
    case play(String)
    /// From now on, music must be heard within some time.
    case waitForSound
    /// It is heard, or not hoped for any more.
    case waitNoMore
    /// Repeats the box's own sound.
    case ringBuiltIn
  }

  /// What it tries to wake with.
  package private(set) var stage = Stage.wanted
  private let fallback: String?
  private var hearing = Hearing.waits

  private enum Hearing {
    case waits, sounds, isHeldUp
  }

  /// An alarm that begins to ring with what `name` is, and what has to be done first.
  package static func begin(_ name: String, fallback: String?) -> (AlarmRinging, [Effect]) {
    (AlarmRinging(fallback: fallback), [.play(name), .waitForSound])
  }

  private init(fallback: String?) { self.fallback = fallback }

  /// Takes what has happened, and answers what has to be done.
  package mutating func handle(_ event: Event) -> [Effect] {
    guard stage != .builtIn else { return [] }
    switch event {
    case .sounds: return turn(to: .sounds, [.waitNoMore])
    case .isHeldUp: return turn(to: .isHeldUp, [.waitNoMore])
    case .waits: return turn(to: .waits, [.waitForSound])
    case .tookTooLong where hearing != .waits: return []
    case .isSilent, .tookTooLong: return tryNext()
    }
  }

  private mutating func turn(to hearing: Hearing, _ effects: [Effect]) -> [Effect] {
    guard self.hearing != hearing else { return [] }
    self.hearing = hearing
    return effects
  }

  private mutating func tryNext() -> [Effect] {
    hearing = .waits
    if stage == .wanted, let fallback {
      stage = .fallback
      return [.play(fallback), .waitForSound]
    }
    stage = .builtIn
    return [.waitNoMore, .ringBuiltIn]
  }
}
