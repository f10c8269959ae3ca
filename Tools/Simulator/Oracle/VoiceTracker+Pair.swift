// The tracker where two voices sound that have nothing to do with each other, each at gains of its own. One thread.

extension VoiceTracker {
  mutating func followPair(_ a: Int, _ b: Int, _ left: Float, _ right: Float) {
    for (one, other) in [(a, b), (b, a)]
    where voices[other].isGone(at: time) && voices[other].gain < quiet && !voices[one].isGone(at: time) {
      goOnAlone(one, without: other)
      return leaveOne(one, left, right)
    }
    // Where their marks are alike, two voices sound like one.
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
      // Marks too much alike to tell the gains: both go with the sum, and the next frame will tell.
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
    // The frames before may not have told the gains.
    let bound = limit * Double(3 + pairPath.skipped)
    var path = pairPath
    let isFollowed =
      both.isPossible && abs(both.a - voices[a].gain) <= bound && abs(both.b - voices[b].gain) <= bound
      && path.follow(both, bend: circumstances.bend)
    // It may also be the first frame of a cue, for which there is no other sign between two that move.
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

  /// Whether two voices begin or go on here, of which one is on its way out.
  /// `isApart`: only one of them went on while nothing could be heard, as one that had run dry or begins late does not.
  mutating func wakeTwo(
    _ known: [Int], _ left: Float, _ right: Float, shifted jump: Int = 0, isApart: Bool = false
  ) -> Bool {
    let bound = limit * 2
    guard left > 0, Double(left / Signal.level) < 2 * bound else { return false }
    // After a gap of any length there is no need to try each twice.
    let offsets =
      isApart
      ? [(0, 0), (0, 1), (0, 2), (0, 3)]
      : jump == 0 ? [(0, 0), (1, 1), (0, 1), (1, 0)] : [(0, 0), (0, 1), (1, 0)]
    for (index, a) in known.enumerated() {
      for b in known[(index + 1)...] {
        // One that was not heard before does not go on somewhere else.
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

  /// By how much a voice goes back when what was heard does: one that had ended a little before goes back by less.
  private func jump(_ jump: Int, of place: Int) -> Int {
    let heardAt = voices[place].heardAt
    guard jump < 0, heardAt < silentSince else { return jump }
    let ended = Int((Double(silentSince - heardAt) * Double(rate) / 1e9).rounded())
    return ended < -jump ? jump + ended : jump
  }

  /// The gains of two voices whose marks are too much alike to tell them, if they may sound like this: half each.
  func alike(
    _ a: Sounded, _ b: Sounded, _ left: Float, _ right: Float
  ) -> PairGains? {
    let (markA, markB) = (a.mark, b.mark)
    let bound = (abs(markA - markB) + 1e-6) * left
    guard left > 0, abs(right - left * markA) <= bound, abs(right - left * markB) <= bound else { return nil }
    let half = Double(left / Signal.level) / 2
    return PairGains(a: half, b: half, error: half)
  }

  /// Whether a frame sounds like two voices whose marks are alike, at whatever gains.
  func mayBeEither(_ a: Sounded, _ b: Sounded, _ left: Float, _ right: Float) -> Bool {
    let (markA, markB) = (a.mark, b.mark)
    return abs(right - left * markA) <= (abs(markA - markB) + 1e-5) * left + error
  }

  /// Whether a voice that is not heard beside another one may still be on its way out: the last of a ramp is too quiet to be
  /// told from nothing, and would be taken for the first of something else.
  func mayFadeAway(_ place: Int) -> Bool {
    let voice = voices[place]
    return voice.gain < quiet && !voice.isAtEnd && !voice.isGone(at: time) && pairPath.quietFrames < 100
  }

  /// Too quiet to be told from nothing beside what is heard.
  var quiet: Double { 1e-4 * loudness }

  /// Only one of two is left. The other stands where it was heard last: if it ran dry, it comes back there.
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
