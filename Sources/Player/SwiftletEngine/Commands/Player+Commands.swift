// The console's commands about what is played, for any player. Control thread.

import Console
import PlaybackModel
import Player

extension PlayerAction {
  /// The action that a command asks for; nil for a command about something else.
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

  /// A command that asks for it, whose values fit any track.
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
  /// Why a command about what is played is refused at present; nil: it is accepted, or is about something else. Nothing is
  /// performed.
  package func refusal(of command: Command) -> ConsoleError? {
    guard let action = PlayerAction(command) else { return nil }
    if let reason = refusal(of: action) { return ConsoleError(.failed, sentence(reason)) }
    guard case .seek(let target) = command else { return nil }
    switch target {
    case .to: return nil
    case .by:
      // There is no position to count from.
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

  /// A refusal for a person. Where the queue leads no further from a failure, that failure is the reason.
  private func sentence(_ reason: Rejection) -> String {
    guard reason == .nothingBehindFailure, case .failed(let error, _, _, _) = machine.state else {
      return reason.sentence
    }
    return machine.state.statusText + ": " + error.sentence + " " + error.remedy
  }

  /// Carries out a command about what is played, and says what is done then.
  ///
  /// - Returns: The answer; nil for a command about something else.
  package func perform(_ command: Command) -> Reply? {
    // What it means is decided by what the player knows, not by what it is about to learn.
    takeReports()
    if let error = refusal(of: command) { return .error(error) }
    guard let reply = carryOut(command) else { return nil }
    // Music was asked for, and there is none: the state alone would look like success.
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
    // Where there is no music to go back to, a live source is silenced.
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

  /// Whether `next` or `previous` would lead past an end of the queue. False for every other command.
  package func leadsPastAnEnd(_ command: Command) -> Bool {
    switch command {
    case .next: hasNothingNext
    case .previous: hasNothingPrevious
    default: false
    }
  }

  /// Whether `perform` does something for a command.
  package static func performs(_ command: Command) -> Bool {
    switch command {
    case .play(nil), .pause, .toggle, .stop, .next, .previous, .seek, .finishFade, .retry, .reset, .standby,
      .wake, .interruptionBegin, .interruptionEnd:
      true
    default: false
    }
  }

  /// Gives an event to the machine and says what is done now.
  package func give(_ event: PlayerEvent) -> Reply { reply(to: handle(event)) }

  /// Makes a track the current one, from a position on. It plays only where music plays.
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
    // Refused before where there is no present, or no length.
    case .live: return reply(to: seekLive() ?? .unchanged)
    case .fraction(let part): return reply(to: seek(toPart: part) ?? .unchanged)
    }
  }

  /// Says so where a station is not kept, or is not there yet.
  private func reply(to seek: (verdict: Verdict, edge: StationWindow.Edge?)) -> Reply {
    guard case .changed = seek.verdict, let edge = seek.edge else { return reply(to: seek.verdict) }
    switch edge {
    case .oldest: return .ok(machine.state.statusText + "; to the oldest that is kept of the station")
    case .live: return .ok(machine.state.statusText + "; to the station's present")
    }
  }
}
