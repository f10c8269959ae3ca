// Expected playback intent: whether sound or silence must be heard, derived from the actions alone. A small
// independent model of the state table that ignores decks. A value; one thread.

import PlaybackModel

/// Whether silence was requested and why, and the pending skip and seek.
struct Intent {
  /// Reason for silence; nil if sound is expected.
  private(set) var hold: PauseReason? = .user
  /// When it must be silent, in nanoseconds; `.max` if silence is allowed but not required.
  private(set) var holdsFrom: UInt64 = 0
  /// Pending skip of a user.
  private(set) var skip: Skip?
  /// Pending seek of a user.
  var seek: Seek?

  /// User's seek, with the range of frames it may lead to.
  struct Seek {
    let track: Int
    let frames: ClosedRange<Int>
    let at: UInt64
    /// Target in the following track, in case a fade into it has begun before the seek is carried out.
    var inNext: (track: Int, frames: ClosedRange<Int>)?
  }

  struct Skip {
    let track: Int
    let at: UInt64
    /// Since when nothing prevents the track from being heard.
    var since: UInt64
    var isHeard = false
    /// Whether the track starts anew; otherwise it is already fading in.
    let isAnew: Bool

    init(_ track: Int, at time: UInt64, isAnew: Bool = true) {
      (self.track, at, since, self.isAnew) = (track, time, time, isAnew)
    }
  }

  private static let pauseTime: UInt64 = 210_000_000
  private static let stopTime: UInt64 = 520_000_000
  private static let sleepTime: UInt64 = 20_100_000_000

  private mutating func hold(_ reason: PauseReason, from time: UInt64) {
    // A user's pause outlasts other reasons.
    if hold == .user, reason != .user { return }
    // The end of an interruption does not wake a box in standby.
    if hold == .standby, reason == .interruption { return }
    if hold == nil || holdsFrom > time { holdsFrom = time }
    hold = reason
  }

  /// Postpones the time at which it must be silent, by nanoseconds.
  mutating func holdLater(by time: UInt64) {
    if hold != nil, holdsFrom != .max { holdsFrom += time }
  }

  /// Allows both sound and silence.
  mutating func mayStaySilent() {
    if hold == nil { (hold, holdsFrom) = (.user, .max) }
  }

  /// Handles a press of play that was answered with "nothing to play": tracks queued later need another press.
  mutating func findNothing(at now: UInt64) { hold(.user, from: now) }

  private mutating func release() {
    hold = nil
    holdsFrom = 0
  }

  /// Updates the intent for an action that is about to be carried out.
  /// - Parameters:
  ///   - action: The action.
  ///   - claims: The subject's state before it.
  ///   - rate: Sample rate in Hz.
  ///   - heard: Returns the next frame of a track to be heard, if known.
  ///   - silent: Frames by which the subject's position may be ahead, because the card stopped unnoticed.
  ///   - isOver: Whether the last frame of the last track has just been heard.
  ///   - now: Time in nanoseconds.
  mutating func note(
    _ action: Action, in claims: Claims, rate: Int, heard: (Int) -> Int?, silent: Int, isOver: Bool,
    at now: UInt64
  ) {
    let state = claims.state
    if action.isUser { (skip, seek) = (nil, nil) }
    switch action {
    // An emptied queue does not start again.
    case .play where claims.hasNothingLeft, .toggle where claims.hasNothingLeft: break
    case .play: play(state)
    case .pause: hold(.user, from: now + Self.pauseTime)
    case .toggle:
      switch state {
      // With something to play, toggle plays.
      case .idle(_, let armed):
        if armed == .armed, claims.next == nil, claims.current == nil {
          hold(.user, from: now)
        } else {
          release()
        }
      case .fadingOut, .failed: play(state)
      // The track may end first; then toggle plays it again.
      case _ where state.isActive && isOver && claims.next == nil: mayStaySilent()
      default: if state.isActive { hold(.user, from: now + Self.pauseTime) } else { play(state) }
      }
    // A paused track stays paused through a failure and its retry.
    case .retry: break
    // The restored state will then not start.
    case .stop where claims.beside.isRemembering, .standby where claims.beside.isRemembering:
      hold(.user, from: now)
    // Nothing is loaded, so there is nothing to stop.
    case .stop, .sleepTimer:
      if case .idle = state { return }
      if action == .stop { hold(.user, from: now + Self.stopTime) } else { sleep(state, now) }
    case .reset: if case .failed = state { hold(.user, from: now) }
    case .replace(let track):
      release()
      skip = Skip(track, at: now)
    case .clear where claims.queueLength > 0: removeAll(state, now)
    case .remove(let distance) where claims.queueLength > 0:
      let place = ((claims.contents.currentPlace ?? 0) + distance) % claims.queueLength
      guard place == claims.contents.heldPlace else { return }
      // After the end of a track, its replacement is cued and not played.
      if !claims.contents.followsHeld || state.kind == .finished { removeAll(state, now) }
    case .next:
      guard let next = claims.next else {
        // A player that waits for its first track keeps waiting.
        if case .idle = state { return }
        // A failed track is retried, so that its error stays visible until then.
        if case .failed = state { return }
        // Without an effect in `finished`.
        hold(.user, from: now + Self.stopTime)
        return
      }
      skip = Skip(next, at: now, isAnew: !claims.nextIsComing)
      skipped(state)
    case .previous:
      if claims.previous == .restart, !state.isAtRest {
        seek(state, now, heard) { _ in
          0
        } tolerance: {
          2
        }
      } else if claims.previous == .stop, !state.isActive || state.isUnheard, state.kind != .failed {
        // A failed track is retried, and a player that waits for its first track keeps waiting.
        if case .idle = state { return }
        hold(.user, from: now + Self.stopTime)
      } else {
        skipped(state)
      }
    case .seek(let position):
      seek(state, now, heard) { _ in
        position * rate / 1000
      } tolerance: {
        2
      }
      seekInNext(claims, to: position * rate / 1000)
    case .seekShare(let percent):
      guard let length = state.heardTrack?.length.map({ Int($0.count) }) else { return }
      seek(state, now, heard) { _ in
        length * percent / 100
      } tolerance: {
        2
      }
      seekInNext(claims, to: Int(claims.followingLength?.count ?? 0) * percent / 100)
    case .seekBy(let distance):
      seek(state, now, heard) {
        $0 + distance * rate / 1000
      } tolerance: {
        rate / 10 + silent
      }
      seekInNext(claims, to: distance * rate / 1000, orLater: rate / 10)
    case .interrupt, .standby:
      // Nothing is loaded, so there is nothing to hold; a player that waits for its first track keeps waiting.
      if case .idle = state { return }
      hold(action == .standby ? .standby : .interruption, from: now + Self.pauseTime)
    case .release(let resumes):
      guard hold == .interruption else { return }
      if resumes { release() } else { hold(.user, from: now) }
    case .wake: if hold == .standby { release() }
    case .powerCut: if hold == .interruption { release() }
    default: break
    }
  }

  /// Expects playback to start anew from a track; nil is any track.
  mutating func begin(_ track: Int?, at now: UInt64) {
    release()
    seek = nil
    skip = track.map { Skip($0, at: now) }
  }

  /// Handles a restart with restored state: pending skips and seeks are void.
  mutating func restart() {
    if hold == .interruption { release() }
    (skip, seek) = (nil, nil)
  }

  private mutating func sleep(_ state: PlayerState, _ now: UInt64) {
    hold(.user, from: now + (state.isActive ? Self.sleepTime : Self.stopTime))
  }

  mutating func forgetSkip() { skip = nil }

  /// Notes that the target of the skip was heard.
  mutating func hearSkip() { skip?.isHeard = true }

  /// Notes that the target of the skip cannot be heard before `time`.
  mutating func putOffSkip(to time: UInt64) { skip?.since = time }

  private mutating func play(_ state: PlayerState) {
    if case .failed(_, nil, _, _) = state { return }
    release()
  }

  /// The track that is or would be heard was removed, and none follows.
  private mutating func removeAll(_ state: PlayerState, _ now: UInt64) {
    if case .idle = state { return }
    hold(.user, from: now + Self.stopTime)
  }

  /// A skip to an existing track.
  private mutating func skipped(_ state: PlayerState) {
    switch state {
    // Keeps the hold; in other states, a failure included, a skip plays.
    case .preparing, .seeking: break
    default: release()
    }
  }

  private mutating func seek(
    _ state: PlayerState, _ now: UInt64, _ heard: (Int) -> Int?, target: (Int) -> Int, tolerance: () -> Int
  ) {
    switch state {
    case .playing, .paused, .preparingCrossfade, .crossfading, .crossfadePaused: break
    case .finished:
      hold(.user, from: now)
      return
    default: return
    }
    guard let track = state.personsTrack, let number = SimulatedDecoders.number(track.path),
      let here = heard(number)
    else { return }
    var wanted = max(0, target(here))
    if let length = track.length { wanted = min(wanted, Int(max(0, length.count))) }
    seek = Seek(
      track: number, frames: max(0, wanted - tolerance())...(wanted + tolerance()), at: now)
  }

  /// Adds the same seek in the following track, of which at most a moment has been heard.
  private mutating func seekInNext(_ claims: Claims, to target: Int, orLater: Int = 2) {
    guard let next = claims.following else { return }
    let wanted = min(max(0, target), Int(claims.followingLength?.count ?? .max))
    seek?.inNext = (next, max(0, wanted - 2)...(wanted + orLater))
  }
}

extension PlayerState {
  /// Whether there is no track to seek in.
  fileprivate var isAtRest: Bool {
    switch self {
    case .idle, .fadingOut, .finished, .failed: true
    default: false
    }
  }

  /// Whether nothing audible is left to ramp down, so that an end takes effect immediately.
  fileprivate var isUnheard: Bool { kind == .preparing || kind == .seeking || kind == .buffering }

  /// The track that a user refers to: during a fade, the incoming one.
  var personsTrack: Track? {
    switch self {
    case .crossfading(_, let to, _, _, _), .crossfadePaused(_, let to, _, _, _): to
    default: currentTrack
    }
  }
}
