// What should be heard, as far as it follows from what people and the world outside asked for. A small model of
// the table of states that knows nothing of decks. A value; one thread.

import PlaybackModel

/// Whether silence was asked for, by whom, and what was asked for besides.
struct Intent {
  /// Why it is to be silent; nil if nobody wants that.
  private(set) var hold: PauseReason? = .user
  /// From when on it has to be silent.
  private(set) var holdsFrom: UInt64 = 0
  /// The track that a person's skip leads to.
  private(set) var skip: Skip?
  /// Where a person's seek leads to.
  var seek: Seek?

  /// A person's seek, and how exactly can be said where it leads to.
  struct Seek {
    let track: Int
    let frames: ClosedRange<Int>
    let at: UInt64
    /// Where it leads to in the track that follows, should a fade into that have begun by then.
    var inNext: (track: Int, frames: ClosedRange<Int>)?
  }

  struct Skip {
    let track: Int
    let at: UInt64
    /// Since when nothing keeps the track from being heard.
    var since: UInt64
    var isHeard = false
    /// Whether it begins anew; otherwise it is the one that comes in a fade already.
    let isAnew: Bool

    init(_ track: Int, at time: UInt64, isAnew: Bool = true) {
      (self.track, at, since, self.isAnew) = (track, time, time, isAnew)
    }
  }

  private static let pauseTime: UInt64 = 210_000_000
  private static let stopTime: UInt64 = 520_000_000
  private static let sleepTime: UInt64 = 20_100_000_000

  private mutating func hold(_ reason: PauseReason, from time: UInt64) {
    // A person's pause outlasts all others.
    if hold == .user, reason != .user { return }
    // The end of a call wakes no box that was put to sleep.
    if hold == .standby, reason == .interruption { return }
    if hold == nil || holdsFrom > time { holdsFrom = time }
    hold = reason
  }

  /// It is silent so many nanoseconds later than it would have been.
  mutating func holdLater(by time: UInt64) {
    if hold != nil, holdsFrom != .max { holdsFrom += time }
  }

  /// Nobody can say whether it is to sound.
  mutating func mayStaySilent() {
    if hold == nil { (hold, holdsFrom) = (.user, .max) }
  }

  /// Whoever has pressed play has been told that there is nothing to play: what comes to be queued later waits for another press.
  mutating func findNothing(at now: UInt64) { hold(.user, from: now) }

  private mutating func release() {
    hold = nil
    holdsFrom = 0
  }

  /// An action is about to be carried out in a state. `silent` is for how many frames nothing has been heard of a track
  /// although nobody could know yet; `isOver` says that the last track's last frame has just been heard.
  mutating func note(
    _ action: Action, in claims: Claims, rate: Int, heard: (Int) -> Int?, silent: Int, isOver: Bool,
    at now: UInt64
  ) {
    let state = claims.state
    if action.isUser { (skip, seek) = (nil, nil) }
    switch action {
    // Of an emptied queue nothing is heard again.
    case .play where claims.hasNothingLeft, .toggle where claims.hasNothingLeft: break
    case .play: play(state)
    case .pause: hold(.user, from: now + Self.pauseTime)
    case .toggle:
      switch state {
      // With something to play it plays.
      case .idle(_, let armed):
        if armed == .armed, claims.next == nil, claims.current == nil {
          hold(.user, from: now)
        } else {
          release()
        }
      case .fadingOut, .failed: play(state)
      // The end may come first: then it plays the track anew.
      case _ where state.isActive && isOver && claims.next == nil: mayStaySilent()
      default: if state.isActive { hold(.user, from: now + Self.pauseTime) } else { play(state) }
      }
    // What was paused stays paused through a failure and its retry.
    case .retry: break
    // What is remembered stays silent then, once it is known.
    case .stop where claims.beside.isRemembering, .standby where claims.beside.isRemembering:
      hold(.user, from: now)
    // Where nothing is loaded there is nothing to stop.
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
      // What takes the place of a track that has ended is cued.
      if !claims.contents.followsHeld || state.kind == .finished { removeAll(state, now) }
    case .next:
      guard let next = claims.next else {
        // What waits for a first track still waits for one.
        if case .idle = state { return }
        // What failed is tried again all the same, so that the reason stays visible until then.
        if case .failed = state { return }
        // In `finished` it changes nothing.
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
        // What failed is tried again all the same, and what waits for a first track still waits for one.
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
      // Where nothing is loaded there is nothing to hold: what waits for a first track still waits for one.
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

  /// Something new is played from a track on.
  mutating func begin(_ track: Int?, at now: UInt64) {
    release()
    seek = nil
    skip = track.map { Skip($0, at: now) }
  }

  /// The box is on again with what it remembers: nobody waits for what was under way.
  mutating func restart() {
    if hold == .interruption { release() }
    (skip, seek) = (nil, nil)
  }

  private mutating func sleep(_ state: PlayerState, _ now: UInt64) {
    hold(.user, from: now + (state.isActive ? Self.sleepTime : Self.stopTime))
  }

  mutating func forgetSkip() { skip = nil }

  /// What a person skipped to is heard.
  mutating func hearSkip() { skip?.isHeard = true }

  /// What a person skipped to cannot be heard for now.
  mutating func putOffSkip(to time: UInt64) { skip?.since = time }

  private mutating func play(_ state: PlayerState) {
    if case .failed(_, nil, _, _) = state { return }
    release()
  }

  /// What is heard, or would be, was removed, and nothing follows.
  private mutating func removeAll(_ state: PlayerState, _ now: UInt64) {
    if case .idle = state { return }
    hold(.user, from: now + Self.stopTime)
  }

  /// A skip to a track that there is.
  private mutating func skipped(_ state: PlayerState) {
    switch state {
    // Out of a failure it plays.
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

  /// The same seek in the track that follows, of which no more than a moment has been heard.
  private mutating func seekInNext(_ claims: Claims, to target: Int, orLater: Int = 2) {
    guard let next = claims.following else { return }
    let wanted = min(max(0, target), Int(claims.followingLength?.count ?? .max))
    seek?.inNext = (next, max(0, wanted - 2)...(wanted + orLater))
  }
}

extension PlayerState {
  /// Whether there is no track in place that could be sought in.
  fileprivate var isAtRest: Bool {
    switch self {
    case .idle, .fadingOut, .finished, .failed: true
    default: false
    }
  }

  /// Whether nothing is heard that could fall silent over a ramp: what ends then ends at once.
  fileprivate var isUnheard: Bool { kind == .preparing || kind == .seeking || kind == .buffering }

  /// The track that a person means: in a fade the one that comes.
  var personsTrack: Track? {
    switch self {
    case .crossfading(_, let to, _, _, _), .crossfadePaused(_, let to, _, _, _): to
    default: currentTrack
    }
  }
}
