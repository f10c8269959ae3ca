// Starvation, refill and end of the decks outside the deck plan: announcements and live inputs. Part of the mixer's
// restorable state. Audio thread: no locks, no allocation.

import AudioRing

/// A transition of such a deck at the present frame.
enum DeckTurn: Sendable {
  /// All frames up to the ring's end were rendered.
  case ended
  /// The ring's indexes are impossible.
  case corrupt
  /// The ring ran dry, after a ramp to silence.
  case starved
  /// The ring has enough frames again and playback resumes.
  case refilled
  /// The ramp that stops the deck is complete.
  case silent
}

/// Timing parameters of such a deck, in frames.
struct DeckPace: Sendable {
  /// Length of a quantum, for which decisions hold.
  let quantum: Int
  /// Length of the ramp at starvation and refill.
  let declick: Int64
  /// Frames required before a starved deck resumes.
  let refill: Int

  @_noLocks @_noAllocation
  init(quantum: Int, declick: Int64, refill: Int) {
    self.quantum = quantum
    self.declick = declick
    self.refill = refill
  }
}

extension DeckState {
  /// Whether the ring has `refill` frames, or all remaining frames of the track.
  @_noLocks @_noAllocation
  func hasRefilled(_ refill: Int) -> Bool {
    guard case .frames(let count) = snapshot.available(from: index) else { return true }
    return count >= refill || snapshot.isComplete(from: index)
  }

  /// Updates the deck's activity at a frame.
  ///
  /// - Returns: The transition, or nil if nothing changes.
  @_noLocks @_noAllocation
  mutating func turn(at frame: Int64, _ pace: DeckPace) -> DeckTurn? {
    guard ring != nil else { return nil }
    switch activity {
    case .empty, .cued, .ended: return nil
    case .stopping:
      if frame >= level.end { return .silent }
      fitStop(at: frame)
      return nil
    case .starved:
      guard judgedFrame == frame, hasRefilled(pace.refill) else { return nil }
      // Too few frames are left for a ramp in and a ramp out.
      if framesToEnd <= (endsSoftly ? 2 * pace.declick : 0) { return .ended }
      activity = .running
      level = Ramp(from: 0, to: 1, start: frame, length: pace.declick)
      return .refilled
    case .running: return turnRunning(at: frame, pace)
    }
  }

  @_noLocks @_noAllocation
  private mutating func turnRunning(at frame: Int64, _ pace: DeckPace) -> DeckTurn? {
    if snapshot.isEnd(index) { return .ended }
    guard case .frames(let count) = snapshot.available(from: index) else { return .corrupt }
    if level.to == 1, snapshot.isComplete(from: index) {
      softenEnd(at: frame, declick: pace.declick)
    } else if level.to == 1, judgedFrame == frame, count <= pace.quantum + Int(pace.declick) {
      rampOut(over: count, at: frame, declick: pace.declick)
    } else if level.to == 0, frame >= level.end {
      activity = .starved
      return .starved
    }
    return nil
  }

  /// Ramps the deck out so that it can be released.
  ///
  /// - Returns: False if the deck is inaudible and can be released at once.
  @_noLocks @_noAllocation
  mutating func rampToRelease(over length: Int64, at frame: Int64) -> Bool {
    guard isAudible, startFrame < frame else { return false }
    if case .stopping = activity { return true }
    level = Ramp(from: level.value(at: frame), to: 0, start: frame, length: length)
    activity = .stopping(releases: true)
    return true
  }
}
