// Voice tracker for two simultaneous voices without a fade, each with a gain of its own. One thread.

extension VoiceTracker {
  mutating func followPair(_ a: Int, _ b: Int, _ left: Float, _ right: Float) {
    for (one, other) in [(a, b), (b, a)]
    where voices[other].isGone(at: time) && voices[other].gain < quiet && !voices[one].isGone(at: time) {
      goOnAlone(one, without: other)
      return leaveOne(one, left, right)
    }
    // If their marks are equal, two voices sound like one.
    let areAlike = gains(key(a), key(b), left, right) == nil
    for (one, other) in [(a, b), (b, a)] where !voices[one].isAtEnd && !(areAlike && !voices[other].isAtEnd) {
      guard let gain = gain(voices[one], voices[one].next, left, right) else { continue }
      if mayFadeAway(other) {
        if pairPath.quietFrames == 0 { pairPath.quietFrom = voices[other].next }
        pairPath.quietFrames += 1
        take(one, frame: voices[one].next, gain: gain)
        take(other, frame: voices[other].next, gain: 0)
        return
      }
      guard mustExplain(left, right) else { return }
      guard accepts() else { continue }
      let was = voices[other].gain
      if was > limit * 3, !voices[other].isAtEnd, voices[other].isSane {
        fail(
          .cut, expected: "a ramp of track \(voices[other].track) to silence",
          found: "cut at frame \(voices[other].next) with gain \(short(was))")
      }
      note(.alone, voices[one])
      goOnAlone(one, without: other)
      take(one, frame: voices[one].next, gain: gain)
      return
    }
    guard !voices[a].isAtEnd, !voices[b].isAtEnd else {
      if pairPath.quietFrames > 0, let rest = [a, b].first(where: { !voices[$0].isAtEnd }) {
        goOnAlone(rest, without: rest == a ? b : a)
        return leaveOne(rest, left, right)
      }
      guard mustExplain(left, right) else { return }
      return missed(left, right, after: "two tracks of which one has ended")
    }
    guard let both = gains(key(a), key(b), left, right) else {
      // The marks are too similar to separate the gains: scale both, and separate them with the next frame.
      if !mayBeEither(key(a), key(b), left, right) {
        guard mustExplain(left, right) else { return }
        return missed(
          left, right, after: "tracks \(voices[a].track) and \(voices[b].track), whose marks are alike")
      }
      let sum = voices[a].gain + voices[b].gain
      let share = sum > 0 ? Double(left) / Double(Signal.level) / sum : 1
      take(a, frame: voices[a].next, gain: voices[a].gain * share)
      take(b, frame: voices[b].next, gain: voices[b].gain * share)
      pairPath.skip()
      return
    }
    // The frames since may not have determined the gains.
    let bound = limit * Double(3 + pairPath.skipped)
    var path = pairPath
    let isFollowed =
      both.isPossible && abs(both.a - voices[a].gain) <= bound && abs(both.b - voices[b].gain) <= bound
      && path.follow(both, bend: circumstances.bend)
    // It may also be the first frame of a cue, which has no other sign between two moving voices.
    if isFollowed, path.isTurning, !circumstances.dueCues.isEmpty, ear.current == nil {
      guard mustExplain(left, right) else { return }
    }
    pairPath = path
    guard isFollowed else {
      if pairPath.quietFrames > 0 {
        let louder = voices[a].gain > voices[b].gain ? a : b
        goOnAlone(louder, without: louder == a ? b : a)
        return leaveOne(louder, left, right)
      }
      guard mustExplain(left, right) else { return }
      return missed(
        left, right,
        after:
          "tracks \(voices[a].track) and \(voices[b].track) at gains \(short(voices[a].gain)) and \(short(voices[b].gain))"
      )
    }
    take(a, frame: voices[a].next, gain: both.a)
    take(b, frame: voices[b].next, gain: both.b)
    if min(both.a, both.b) > quiet + both.error { pairPath.quietFrames = 0 }
  }

  /// Explains a frame after silence as two voices, one of which is ending.
  /// - Parameters:
  ///   - known: Candidate voices.
  ///   - left: Left sample.
  ///   - right: Right sample.
  ///   - jump: Missing frames, or repeated ones if negative.
  ///   - isApart: Whether only the first voice advanced during the silence, because the second ran dry or begins
  ///     late.
  /// - Returns: Whether two voices explain the frame.
  mutating func wakeTwo(
    _ known: [Int], _ left: Float, _ right: Float, shifted jump: Int = 0, isApart: Bool = false
  ) -> Bool {
    let bound = limit * 2
    guard left > 0, Double(left / Signal.level) < 2 * bound else { return false }
    // After a jump, each combination needs to be tried only once.
    let offsets =
      isApart
      ? [(0, 0), (0, 1), (0, 2), (0, 3)]
      : jump == 0 ? [(0, 0), (1, 1), (0, 1), (1, 0)] : [(0, 0), (0, 1), (1, 0)]
    for (index, a) in known.enumerated() {
      for b in known[(index + 1)...] {
        // A voice that was not heard before is not affected by the jump.
        let (jumpA, jumpB) = (
          voices[a].heardAt > 0 ? self.jump(jump, of: a) : 0,
          voices[b].heardAt > 0 && !isApart ? self.jump(jump, of: b) : 0
        )
        for (offsetA, offsetB) in offsets {
          let keys = (key(a, offsetA + jumpA), key(b, offsetB + jumpB))
          guard keys.0.frame >= 0, keys.1.frame >= 0,
            let both = gains(keys.0, keys.1, left, right) ?? alike(keys.0, keys.1, left, right)
          else { continue }
          guard both.a > 0, both.b > 0, both.a < bound, both.b < bound,
            areAudibleAhead(keys.0, keys.1, below: bound), accepts()
          else { continue }
          take(a, frame: keys.0.frame, gain: both.a)
          take(b, frame: keys.1.frame, gain: both.b)
          beginPair(a, b)
          return true
        }
      }
    }
    return false
  }

  /// The jump that applies to a voice. A voice that ended a little before repeats fewer frames.
  private func jump(_ jump: Int, of place: Int) -> Int {
    let heardAt = voices[place].heardAt
    guard jump < 0, heardAt < silentSince else { return jump }
    let ended = Int((Double(silentSince - heardAt) * Double(rate) / 1e9).rounded())
    return ended < -jump ? jump + ended : jump
  }

  /// Equal gains for two voices whose marks are too similar to separate; nil if the frame does not match.
  func alike(
    _ a: Sounded, _ b: Sounded, _ left: Float, _ right: Float
  ) -> PairGains? {
    let (markA, markB) = (a.mark, b.mark)
    let bound = (abs(markA - markB) + 1e-6) * left
    guard left > 0, abs(right - left * markA) <= bound, abs(right - left * markB) <= bound else { return nil }
    let half = Double(left / Signal.level) / 2
    return PairGains(a: half, b: half, error: half)
  }

  /// Whether a frame may be two voices with similar marks at any gains.
  func mayBeEither(_ a: Sounded, _ b: Sounded, _ left: Float, _ right: Float) -> Bool {
    let (markA, markB) = (a.mark, b.mark)
    return abs(right - left * markA) <= (abs(markA - markB) + 1e-5) * left + error
  }

  /// Whether an inaudible voice may still be ramping down: the end of a ramp is too quiet to recognize, and could be
  /// mistaken for the start of something else.
  func mayFadeAway(_ place: Int) -> Bool {
    let voice = voices[place]
    return voice.gain < quiet && !voice.isAtEnd && !voice.isGone(at: time) && pairPath.quietFrames < 100
  }

  /// Gain that is inaudible beside the loudest voice.
  var quiet: Double { 1e-4 * loudness }

  /// Continues with one of two voices. The other stays at its last audible frame, where it returns if it ran dry.
  private mutating func goOnAlone(_ one: Int, without other: Int) {
    voices[other].gain = 0
    if pairPath.quietFrames > 0 { voices[other].next = pairPath.quietFrom }
    if pairPath.quietFrames > 0, pairPath.isUnheard {
      (voices[other].heardAt, voices[other].beganAt) = (0, 0)
    }
    pairPath = PairPath()
    sound = .one(one)
  }

  mutating func beginPair(_ a: Int, _ b: Int) {
    sound = .pair(a, b)
    pairPath = PairPath()
  }
}
