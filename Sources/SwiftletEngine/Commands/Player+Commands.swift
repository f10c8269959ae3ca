// The console's commands about what is played, for any player. Control thread.

import Console
import PlaybackModel
import Player

extension Player {
  /// Carries out a command about what is played, and says what is done then.
  ///
  /// - Returns: The answer; nil for a command about something else.
  package func perform(_ command: Command) -> Reply? {
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
    // What it means is decided by what the player knows, not by what it is about to learn.
    takeReports()
    switch command {
    case .play(nil): return commandedPlay()
    case .pause: return give(.pause)
    // Where there is no music to go back to, a live source is silenced.
    case .toggle where machine.state.currentTrack == nil && queue.isEmpty && guestName != nil:
      return give(.pause)
    case .toggle where machine.state.currentTrack == nil || hasFailedForGood || isEndedTrackRemoved:
      return commandedPlay()
    case .toggle: return give(.toggle)
    case .stop: return give(.stop)
    case .next: return move { next() }
    case .previous: return move { previous() }
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

  private static var emptyQueue: Reply { .failed("the queue is empty; 'play PATH' fills it") }

  private func move(_ action: () -> Void) -> Reply {
    guard !queue.isEmpty else { return Self.emptyQueue }
    action()
    return .ok(machine.state.statusText)
  }

  private func commandedPlay() -> Reply {
    switch machine.state {
    case .idle, .finished: guard !queue.isEmpty else { return Self.emptyQueue }
    case .fadingOut where isEndedTrackRemoved: guard !queue.isEmpty else { return Self.emptyQueue }
    default: break
    }
    return reply(to: play())
  }

  private func seek(_ target: SeekTarget) -> Reply {
    let rate = machine.settings.rate
    switch target {
    case .to(let position): return reply(to: seek(to: rate.frames(position)))
    case .by(let distance): return reply(to: seek(by: rate.frames(distance)))
    case .live:
      guard let verdict = seekLive() else {
        return .failed(
          "only a station that has sounded has a present; 'seek POSITION' goes elsewhere in a track")
      }
      return reply(to: verdict)
    case .fraction(let part):
      guard let verdict = seek(toPart: part) else {
        return .failed("the track's length is not known; give a position in seconds")
      }
      return reply(to: verdict)
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
