// Runs the console's transport commands (play, pause, seek, next, …) on a player and words the replies. Control
// thread.

import Console
import PlaybackModel
import Player

extension PlayerAction {
  /// The player action behind a console command; nil if the command is not a transport command.
  package init?(_ command: Command) {
    switch command {
    case .play(path: .some): self = .load
    case .play(path: nil): self = .play
    case .pause: self = .pause
    case .toggle: self = .toggle
    case .stop: self = .stop
    case .next: self = .next
    case .previous: self = .previous
    case .seek: self = .seek
    case .finishFade: self = .finishFade
    case .retry: self = .retry
    case .reset: self = .reset
    default: return nil
    }
  }

  /// A console command for this action, with values that are valid for any track.
  package var command: Command {
    switch self {
    case .load: .play(path: ".")
    case .play: .play(path: nil)
    case .pause: .pause
    case .toggle: .toggle
    case .stop: .stop
    case .next: .next
    case .previous: .previous
    case .seek: .seek(.to(.zero))
    case .finishFade: .finishFade
    case .retry: .retry
    case .reset: .reset
    }
  }
}

extension Player {
  /// The reason for which a transport command would be refused now; nil if it would be accepted or is not a transport
  /// command. Changes nothing.
  package func refusal(of command: Command) -> ConsoleError? {
    guard let action = PlayerAction(command) else { return nil }
    if let reason = refusal(of: action) { return ConsoleError(.failed, sentence(reason)) }
    guard case .seek(let target) = command else { return nil }
    switch target {
    case .to: return nil
    case .by:
      // A relative seek needs a current position, which a finished track does not have.
      guard machine.state.kind == .finished else { return nil }
      return ConsoleError(.failed, Rejection.meaningless(.seek, in: .finished).sentence)
    case .live:
      guard stationWindow == nil else { return nil }
      return ConsoleError(
        .failed, "only a station that has sounded has a present; 'seek POSITION' goes elsewhere in a track")
    case .fraction:
      guard machine.state.heardTrack?.length == nil else { return nil }
      return ConsoleError(.failed, "the track's length is not known; give a position in seconds")
    }
  }

  /// Words a rejection for the user. If no track follows a failed one, the failure itself is the reason.
  private func sentence(_ reason: Rejection) -> String {
    guard reason == .nothingBehindFailure, case .failed(let error, _, _, _) = machine.state else {
      return reason.sentence
    }
    return machine.state.statusText + ": " + error.sentence + " " + error.remedy
  }

  /// Carries out a transport command.
  ///
  /// - Returns: The reply with the resulting state; nil if the command is not a transport command.
  package func perform(_ command: Command) -> Reply? {
    // Reports that arrive from the audio thread are applied first, so that the command is resolved against the
    // current state.
    takeReports()
    if let error = refusal(of: command) { return .error(error) }
    guard let reply = carryOut(command) else { return nil }
    // A command that asked for music has failed if the state is `failed`, although the event itself was accepted.
    guard reply.isOK, Self.asksForMusic(command), case .failed(let error, _, _, _) = machine.state else {
      return reply
    }
    return .failed(machine.state.statusText + ": " + error.sentence + " " + error.remedy)
  }

  private static func asksForMusic(_ command: Command) -> Bool {
    switch command {
    case .play(nil), .toggle, .next, .previous, .seek, .finishFade, .retry, .wake,
      .interruptionEnd(shouldResume: true):
      true
    default: false
    }
  }

  private func carryOut(_ command: Command) -> Reply? {
    switch command {
    case .play(nil): return reply(to: play())
    case .pause: return give(.pause)
    // Without music to toggle, the command silences a playing live source.
    case .toggle where machine.state.currentTrack == nil && queue.isEmpty && liveInputName != nil:
      return give(.pause)
    case .toggle where machine.state.currentTrack == nil || hasFailedForGood || isEndedTrackRemoved:
      return reply(to: play())
    case .toggle: return give(.toggle)
    case .stop: return give(.stop)
    case .next:
      next()
      return .ok(machine.state.statusText)
    case .previous:
      previous()
      return .ok(machine.state.statusText)
    case .seek(let target): return seek(target)
    case .finishFade: return give(.finishFade)
    case .retry: return reply(to: retry())
    case .reset: return give(.reset)
    case .standby: return give(.standby)
    case .wake: return give(.wake)
    case .interruptionBegin: return give(.interruptionBegan)
    case .interruptionEnd(let shouldResume): return give(.interruptionEnded(shouldResume: shouldResume))
    default: return nil
    }
  }

  /// Whether the command is `next` or `previous` and would go beyond an end of the queue.
  package func leadsPastAnEnd(_ command: Command) -> Bool {
    switch command {
    case .next: hasNothingNext
    case .previous: hasNothingPrevious
    default: false
    }
  }

  /// Whether `perform` handles this command.
  package static func performs(_ command: Command) -> Bool {
    switch command {
    case .play(nil), .pause, .toggle, .stop, .next, .previous, .seek, .finishFade, .retry, .reset, .standby,
      .wake, .interruptionBegin, .interruptionEnd:
      true
    default: false
    }
  }

  /// Passes an event to the state machine.
  ///
  /// - Returns: The reply with the resulting state, or the reason of a rejection.
  package func give(_ event: PlayerEvent) -> Reply { reply(to: handle(event)) }

  /// Makes a track the current one, starting at a position in seconds. It plays only if music is playing; otherwise
  /// it is cued.
  package func cue(_ track: Track, at position: Seconds) -> Reply { reply(to: cue(track, from: position)) }

  private func reply(to verdict: Verdict) -> Reply {
    switch verdict {
    case .rejected(let reason): .failed(reason.sentence)
    case .changed, .unchanged: .ok(machine.state.statusText)
    }
  }

  private func seek(_ target: SeekTarget) -> Reply {
    let rate = machine.settings.rate
    switch target {
    case .to(let position): return reply(to: seek(to: rate.frames(position)))
    case .by(let distance): return reply(to: seek(by: rate.frames(distance)))
    // `refusal(of:)` has already refused these targets where no live window or no length exists.
    case .live: return reply(to: seekLive() ?? .unchanged)
    case .fraction(let part): return reply(to: seek(toPart: part) ?? .unchanged)
    }
  }

  /// The reply to a seek, with a remark if the target was clamped to an edge of the station's buffer.
  private func reply(to seek: (verdict: Verdict, edge: StationWindow.Edge?)) -> Reply {
    guard case .changed = seek.verdict, let edge = seek.edge else { return reply(to: seek.verdict) }
    switch edge {
    case .oldest: return .ok(machine.state.statusText + "; to the oldest that is kept of the station")
    case .live: return .ok(machine.state.statusText + "; to the station's present")
    }
  }
}
