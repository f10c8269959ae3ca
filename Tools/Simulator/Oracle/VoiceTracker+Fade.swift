// Voice tracker within a fade: follows both voices along the curve until something ends it. One thread.

import PlaybackModel

extension VoiceTracker {
  mutating func followFade(_ left: Float, _ right: Float) {
    guard var fade else { return missed(left, right, after: "no fade") }
    let place = fade.place + fade.pace
    if follow(&fade, at: place, left, right) { return age() }
    if complete(fade, place, left, right) { return }
    // One frame does not determine what has replaced the fade; a few frames do.
    guard mustExplain(left, right) else { return }
    if reconsider(&fade, left, right) { return age() }
    leaveFade(&fade, place, left, right)
  }

  private mutating func leaveFade(
    _ fade: inout FollowedFade, _ place: Double, _ left: Float, _ right: Float
  ) {
    if retime(fade, left, right) { return }
    if outlive(&fade, place, left, right) { return }
    if endEarly(fade, left, right) { return }
    if separate(fade, place, left, right) { return }
    if fade.isFromOver, accepts() {
      // The incoming voice is alone and may have left the curve unnoticed.
      (sound, self.fade) = (.one(fade.to), nil)
      return leaveOne(fade.to, left, right)
    }
    if follow(&fade, at: place, left, right, isClick: true) { return }
    let shares = fade.gains(at: place, after: 1)
    missed(
      left, right,
      after:
        "a fade from frame \(voices[fade.from].next) of track \(voices[fade.from].track) to \(voices[fade.to].next) of track "
        + "\(voices[fade.to].track) that is at frame \(Int(place)) of "
        + "\(Int(fade.length)), where the gains are \(short(shares.out)) and \(short(shares.into))")
  }

  private mutating func age() {
    guard fade != nil else { return }
    fade?.age += 1
    guard let fade, let announced = fade.announced, fade.age > 160 || fade.place > fade.length / 2 else {
      return
    }
    self.fade?.announced = nil
    // With an unknown length of the incoming track, a fade one frame longer differs from a fade that ends with the
    // track only far into the curve.
    self.fade?.alternatives.removeAll { $0.index != Int(fade.place) - fade.age }
    let voice = voices[fade.from]
    if fade.pace == 1 {
      checkStart(of: announced, length: Int(fade.length), at: voice.next - Int(fade.place) - 1, voice)
    }
  }

  /// Tries the other possible beginnings of the fade.
  private mutating func reconsider(_ fade: inout FollowedFade, _ left: Float, _ right: Float) -> Bool {
    guard fade.pace == 1, !fade.alternatives.isEmpty else { return false }
    let begin = Int(fade.place) - fade.age
    for alternative in fade.alternatives {
      let shift = alternative.index - begin
      var other = fade
      other.fade = Fade(length: Frames(Int64(alternative.length)), curve: fade.fade.curve)
      other.alternatives = fade.alternatives.filter { $0 != alternative }
      voices[fade.to].next += shift
      let place = fade.place + 1 + Double(shift)
      if fits(other, at: place, left, right), accepts(), follow(&other, at: place, left, right) {
        fade = other
        return true
      }
      voices[fade.to].next -= shift
    }
    return false
  }

  /// Whether a frame matches a progress of the fade with a plausible gain. With `isClick`, any gain matches and is
  /// reported as a click.
  private mutating func follow(
    _ fade: inout FollowedFade, at place: Double, _ left: Float, _ right: Float, isClick: Bool = false
  ) -> Bool {
    guard place < fade.length else { return false }
    let shares = fade.gains(at: place, after: 1)
    let master: Double?
    if fade.isFromOver {
      master = gain(voices[fade.to], voices[fade.to].next, left, right).map { $0 / shares.into }
    } else {
      guard !voices[fade.from].isAtEnd else { return false }
      master = self.master(key(fade.from), shares.out, key(fade.to), shares.into, left, right)
    }
    guard let master, !voices[fade.to].isAtEnd else { return false }
    if abs(master - fade.master) > limit {
      guard isClick else { return false }
      fail(
        .click, expected: "a gain within \(short(limit)) of \(short(fade.master))",
        found: "\(short(master)) at frame \(Int(place)) of a fade")
    }
    fade.place = place
    fade.master = master
    fade.rise = fade.rise?.next
    if !fade.isFromOver { take(fade.from, frame: voices[fade.from].next, gain: master * shares.out) }
    take(fade.to, frame: voices[fade.to].next, gain: master * shares.into)
    self.fade = fade
    return true
  }

  /// Whether a frame matches a progress of the fade with a plausible gain.
  private func fits(_ fade: FollowedFade, at place: Double, _ left: Float, _ right: Float) -> Bool {
    guard place < fade.length else { return false }
    let shares = fade.gains(at: place, after: 1)
    let master = master(key(fade.from), shares.out, key(fade.to), shares.into, left, right)
    return master.map { abs($0 - fade.master) <= limit } ?? false
  }

  /// Explains the frame as the end of the fade: the incoming track alone.
  private mutating func complete(
    _ fade: FollowedFade, _ place: Double, _ left: Float, _ right: Float
  ) -> Bool {
    guard place >= fade.length - 1e-6 else { return false }
    guard let gain = gain(voices[fade.to], voices[fade.to].next, left, right) else { return false }
    if abs(gain - fade.master) > limit + 0.01 {
      guard trial != nil else { return false }
      fail(
        .click, expected: "the incoming track at \(short(fade.master)) after the fade",
        found: "gain \(short(gain))")
    }
    finish(fade, .fadeEnded, gain, left, right)
    return true
  }

  private mutating func finish(
    _ fade: FollowedFade, _ kind: Edge.Kind, _ gain: Double, _ left: Float, _ right: Float
  ) {
    voices[fade.from].gain = 0
    note(kind, voices[fade.to], fade)
    take(fade.to, frame: voices[fade.to].next, gain: gain)
    sound = .one(fade.to)
    self.fade = nil
  }

  /// Explains the frame as a fade that has been shortened to a second shortly before.
  private mutating func retime(_ fade: FollowedFade, _ left: Float, _ right: Float) -> Bool {
    guard !fade.isFromOver else { return false }
    let place = fade.place + fade.pace
    for back in 0...12 {
      let turn = place - Double(back) * fade.pace
      guard turn >= 0 else { break }
      for start in [turn.rounded(.down), turn] {
        var retimed = fade
        retimed.pace = (fade.length - start) / Double(rate)
        guard fits(retimed, at: start + Double(back) * retimed.pace, left, right), accepts(),
          follow(&retimed, at: start + Double(back) * retimed.pace, left, right)
        else { continue }
        if retimed.pace < fade.pace * (1 - 1e-6) {
          fail(
            .pace, expected: "a fade that goes on at \(short(fade.pace)) times its pace, or faster",
            found: "\(short(retimed.pace)) times")
        } else if time > circumstances.quickFinishUntil {
          fail(.pace, expected: "a fade at its pace", found: "one that is finished quickly unasked")
        }
        return true
      }
    }
    return false
  }

  /// Explains the frame as a fade that continues after the end of its outgoing track.
  private mutating func outlive(
    _ fade: inout FollowedFade, _ place: Double, _ left: Float, _ right: Float
  ) -> Bool {
    guard voices[fade.from].isAtEnd, !fade.isFromOver else { return false }
    // If the file does not state its length, the player did not know the end when the fade began: the decoder had not
    // reached it, or more than a second was left.
    let begin = time - min(time, UInt64(Double(fade.age) * 1e9 / Double(rate)) + circumstances.reaction)
    let isLate = voices[fade.from].finishedAt.map { $0 > begin } ?? false
    let isUntold = isUntold(voices[fade.from].track) && (fade.place > Double(rate) || isLate)
    let was = voices[fade.from].gain
    var rest = fade
    rest.isFromOver = true
    guard follow(&rest, at: place, left, right) else { return false }
    fade = rest
    voices[fade.from].gain = 0
    if was > limit, !isUntold, voices[fade.from].isSane,
      voices[fade.from].end == lengths[voices[fade.from].track]
    {
      fail(
        .cut, expected: "a fade no longer than what is left of track \(voices[fade.from].track)",
        found: "the track ended in it at gain \(short(was))")
    }
    return true
  }

  /// Explains the frame as one of the two tracks alone before the end of the curve.
  private mutating func endEarly(_ fade: FollowedFade, _ left: Float, _ right: Float) -> Bool {
    let areAlike = gains(key(fade.from), key(fade.to), left, right) == nil
    for (one, other) in [(fade.to, fade.from), (fade.from, fade.to)] where !voices[one].isAtEnd {
      if areAlike, !voices[other].isAtEnd, voices[other].gain > 1e-5 { continue }
      guard let gain = gain(voices[one], voices[one].next, left, right), accepts() else { continue }
      let was = voices[other].gain
      if was > limit, !voices[other].isAtEnd, voices[other].isSane {
        fail(
          .cut, expected: "a ramp of track \(voices[other].track) to silence",
          found: "cut within a fade at gain \(short(was))")
      } else if abs(gain - voices[one].gain) > limit + 4 / fade.length {
        fail(
          .click, expected: "track \(voices[one].track) at \(short(voices[one].gain)) as the fade ends early",
          found: "gain \(short(gain))")
      }
      take(one, frame: voices[one].next, gain: gain)
      self.fade = nil
      pairPath = PairPath()
      if mayFadeAway(other) {
        beginPair(one, other)
        (pairPath.quietFrom, pairPath.quietFrames) = (voices[other].next, 1)
        take(other, frame: voices[other].next, gain: 0)
        return true
      }
      note(.alone, voices[one])
      voices[other].gain = 0
      sound = .one(one)
      return true
    }
    return false
  }

  /// Whether a truncated track is within the ramp before its last frame.
  private func breaksOff(_ place: Int) -> Bool {
    let voice = voices[place]
    return voice.end < lengths[voice.track] && voice.end - voice.next <= rate / 50
  }

  /// Explains the frame as two voices with independent gains: the fade was cancelled or lost one of its tracks.
  private mutating func separate(
    _ fade: FollowedFade, _ place: Double, _ left: Float, _ right: Float
  ) -> Bool {
    let (a, b) = (fade.from, fade.to)
    guard !voices[a].isAtEnd, !voices[b].isAtEnd else { return false }
    let told = gains(key(a), key(b), left, right)
    let both = told ?? PairGains(a: voices[a].gain, b: voices[b].gain, error: limit)
    // On the steepest part of a curve, the gains also change on their own.
    let limit = limit + 4 / fade.length
    guard both.isPossible, abs(both.a - voices[a].gain) <= limit, abs(both.b - voices[b].gain) <= limit,
      accepts()
    else {
      return false
    }
    let isExplained =
      circumstances.isDisturbed(at: time) || isShort(voices[a].id, voices[a].next)
      || isShort(voices[b].id, voices[b].next) || breaksOff(a) || breaksOff(b)
    if !isExplained, told != nil {
      let shares = fade.gains(at: place, after: 1)
      fail(
        .curve,
        expected: "gains \(short(shares.out * fade.master)) and \(short(shares.into * fade.master)) at frame "
          + "\(Int(place)) of \(Int(fade.length))", found: "\(short(both.a)) and \(short(both.b))")
    }
    take(a, frame: voices[a].next, gain: both.a)
    take(b, frame: voices[b].next, gain: both.b)
    beginPair(a, b)
    self.fade = nil
    return true
  }
}
