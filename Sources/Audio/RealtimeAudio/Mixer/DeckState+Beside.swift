// What happens on a deck beside the two of the plan: its ring runs dry, is filled again, ends. Part of the mixer's restorable
// state; audio thread; may not lock or allocate.

import AudioRing

/// What has happened on a deck on the present frame.
enum DeckTurn: Sendable {
  /// Everything up to its ring's end was heard.
  case ended
  /// Its ring holds indexes that cannot be.
  case corrupt
  /// It ran out of frames, softly.
  case starved
  /// It has enough again and is heard.
  case refilled
  /// The ramp with which it was to end is over.
  case silent
}

/// By how many frames such a deck goes.
struct DeckPace: Sendable {
  /// What is decided holds for as long.
  let quantum: Int
  /// The ramp that lets sound in and out.
  let declick: Int64
  /// What must be there before it is heard again.
  let refill: Int

  @_noLocks @_noAllocation
  init(quantum: Int, declick: Int64, refill: Int) {
    self.quantum = quantum
    self.declick = declick
    self.refill = refill
  }
}

extension DeckState {
  /// Whether it has as many frames as it waits for, or all that its track still has.
  @_noLocks @_noAllocation
  func hasRefilled(_ refill: Int) -> Bool {
    guard case .frames(let count) = snapshot.available(from: index) else { return true }
    return count >= refill || snapshot.isComplete(from: index)
  }

  /// Decides what follows on a frame; nil: it goes on as it does.
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
      // Too little to be let in and out again.
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

  /// Ramps it out where it is heard: false where it is not, and can be let go of at once.
  @_noLocks @_noAllocation
  mutating func rampToRelease(over length: Int64, at frame: Int64) -> Bool {
    guard isAudible, startFrame < frame else { return false }
    if case .stopping = activity { return true }
    level = Ramp(from: level.value(at: frame), to: 0, start: frame, length: length)
    activity = .stopping(releases: true)
    return true
  }
}
