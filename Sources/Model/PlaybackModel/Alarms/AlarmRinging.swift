// The stages of a ringing alarm: its own music, the fallback, the built-in sound. Pure values; control thread.

/// A ringing alarm.
package struct AlarmRinging: Hashable, Sendable {
  /// The sound that it tries to play.
  package enum Stage: Hashable, Sendable {
    /// The alarm's own music.
    case wanted
    /// The value of `alarm.fallback`.
    case fallback
    /// A built-in sound, which needs no storage or network.
    case builtIn
  }

  /// Progress of the present stage.
  package enum Event: Hashable, Sendable, CaseIterable {
    /// Music is audible.
    case sounds
    /// Music is being opened or has run dry.
    case waits
    /// The sound card is missing, so that nothing can be audible.
    case isHeldUp
    /// Music has ended, was refused or has failed, without a request by the user.
    case isSilent
    /// The timeout for music expired.
    case tookTooLong
  }

  /// An action for the caller.
  package enum Effect: Hashable, Sendable {
    /// Play this name.
    case play(String)
    /// Start the timeout within which music must become audible.
    case waitForSound
    /// Cancel the timeout.
    case waitNoMore
    /// Play the built-in sound repeatedly.
    case ringBuiltIn
    /// Stop the built-in sound.
    case silenceBuiltIn
  }

  /// The present stage.
  package private(set) var stage = Stage.wanted
  private let fallback: String?
  /// The stage whose music may still become audible during the built-in sound: a station is tried again.
  private var stageOfMusic = Stage.wanted
  private var hearing = Hearing.waits

  private enum Hearing {
    case waits, sounds, isHeldUp
  }

  /// Starts an alarm.
  ///
  /// - Parameters:
  ///   - name: What the alarm plays.
  ///   - fallback: What to play if that fails, or nil.
  /// - Returns: The ringing alarm and the first actions.
  package static func begin(_ name: String, fallback: String?) -> (AlarmRinging, [Effect]) {
    (AlarmRinging(fallback: fallback), [.play(name), .waitForSound])
  }

  private init(fallback: String?) { self.fallback = fallback }

  /// Processes an event.
  ///
  /// - Returns: Actions for the caller, in order.
  package mutating func handle(_ event: Event) -> [Effect] {
    if stage == .builtIn {
      guard event == .sounds else { return [] }
      stage = stageOfMusic
      return turn(to: .sounds, [.silenceBuiltIn])
    }
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
      stageOfMusic = .fallback
      return [.play(fallback), .waitForSound]
    }
    stage = .builtIn
    return [.waitNoMore, .ringBuiltIn]
  }
}
