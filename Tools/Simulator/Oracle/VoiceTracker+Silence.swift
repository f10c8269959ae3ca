// Voice tracker after silence: recognizes voices and fades that begin or resume. One thread.

import PlaybackModel

extension VoiceTracker {
  mutating func wakeUp(_ left: Float, _ right: Float) {
    guard mustExplain(left, right) else { return }
    if circumstances.isEntryDue {
      circumstances.isEntryDue = false
      circumstances.faultUntil = max(circumstances.faultUntil, time + ExcuseWindow.cardRamp.bound)
      // Regardless of how long ago the card stopped and of cues played since.
      circumstances.jumpsUntil = max(circumstances.jumpsUntil, time + ExcuseWindow.cardRamp.bound)
    }
    let slack = 1 + min(ordersInSilence, 6)
    let restored = restoredVoices
    if takeUpFade(restored, left, right, slack: slack) { return }
    let unheard = slack + framesInNoise
    let (known, jumps) = (byRecency, jumps)
    for place in known {
      for offset in 0...unheard where wake(place, offset, left, right, slack: max(slack, offset)) { return }
    }
    if grip != .firm, findAgain(left, right, slack: slack) { return }
    if wakeIntoFade(left, right, slack: slack) { return }
    if heldFade != nil || restored != nil {
      for jump in jumps where takeUpFade(restored, left, right, shifted: jump, slack: 1) { return }
    }
    for jump in jumps {
      for place in known where voices[place].next + jump >= 0 {
        if wake(place, jump, left, right, slack: 8) { return }
      }
    }
    let fades = circumstances.fades.reversed().filter { !$0.isManual }.compactMap { announced in
      voices(of: announced).map { (announced, $0.from, $0.to) }
    }
    for jump in jumps {
      for (announced, from, to) in fades where voices[to].heardAt == 0 {
        if wakeInto(announced, from, to, left, right, shifted: jump) { return }
        if wakeBehind(announced, from, to, left, right, shifted: jump) { return }
      }
    }
    if wakeTwo(known, left, right) { return }
    for jump in jumps where wakeTwo(known, left, right, shifted: jump) { return }
    for jump in jumps where wakeTwo(known, left, right, shifted: jump, isApart: true) { return }
    missed(left, right, after: "silence")
  }

  /// Explains the frame as one voice that begins or resumes.
  private mutating func wake(
    _ place: Int, _ offset: Int, _ left: Float, _ right: Float, slack: Int
  ) -> Bool {
    let frame = voices[place].next + offset
    guard frame < voices[place].end, let gain = gain(voices[place], frame, left, right), accepts()
    else {
      return false
    }
    let isWholeStart = frame == 0 && voices[place].heardAt == 0
    if !isWholeStart, gain > limit * Double(slack + 1), voices[place].isSane, !isLost {
      fail(
        .click, expected: "a ramp out of silence",
        found: "track \(voices[place].track) at frame \(frame) with gain \(short(gain)) at once")
    }
    note(voices[place].heardAt == 0 ? .began : .resumed, voices[place])
    let steps = gain / max(circumstances.volume, 1e-9) * Double(circumstances.declick)
    voices[place].entrance.rampStart = frame - Int(min(max(steps.rounded(), 1), 8))
    if let held = heldFade, held.from == place, offset < 0 { unfade(held.to, back: -offset) }
    take(place, frame: frame, gain: gain)
    sound = .one(place)
    heldFade = nil
    grip = .firm
    return true
  }

  /// Resets the incoming track if the repeated frames begin before the fade that introduced it.
  private mutating func unfade(_ place: Int, back frames: Int) {
    if voices[place].next - voices[place].origin <= frames { voices[place].beginAnew() }
  }

  /// Searches for a voice further on, within six seconds, after it was not followed for a while. A single frame would
  /// match by chance, so several must.
  private mutating func findAgain(_ left: Float, _ right: Float, slack: Int) -> Bool {
    guard left > 0 else { return false }
    for place in byRecency {
      let voice = voices[place]
      for frame in voice.next..<max(voice.next, min(voice.end, voice.next + 6 * rate))
      where gain(voice, frame, left, right) != nil && isHeardAhead(voice, from: frame + 1) {
        if wake(place, frame - voice.next, left, right, slack: slack) { return true }
      }
    }
    return false
  }

  /// Explains the frame as a held fade, or one restored from a checkpoint, that resumes.
  /// - Parameters:
  ///   - restored: Voices of the fade from the checkpoint.
  ///   - left: Left sample.
  ///   - right: Right sample.
  ///   - shifted: Missing frames, or repeated ones if negative.
  ///   - slack: Frames that may have passed with zero gain.
  /// - Returns: Whether a fade explains the frame.
  private mutating func takeUpFade(
    _ restored: (from: Int, to: Int)?, _ left: Float, _ right: Float, shifted: Int = 0, slack: Int
  ) -> Bool {
    if let held = heldFade {
      for offset in 0...slack {
        let moved = offset + shifted
        let steady = held.place + held.pace * Double(moved + 1)
        if resume(held, at: steady, held.pace, moved, left, right) { return true }
        guard time < circumstances.quickFinishUntil else { continue }
        for start in [(held.place + held.pace).rounded(.down), held.place + held.pace] {
          let pace = max(held.pace, (held.length - start) / Double(rate))
          if resume(held, at: start + pace * Double(moved), pace, moved, left, right) { return true }
        }
      }
    }
    guard let saved = circumstances.heldFade, let (from, to) = restored else { return false }
    let begin = FollowedFade(
      from: from, to: to, fade: saved.fade, place: Double(saved.place) - 1, master: 0)
    if shifted == 0, takeUpUnheard(begin, saved, left, right, slack: slack) { return true }
    for offset in 0...slack {
      if resume(begin, at: Double(saved.place + offset + shifted), 1, offset + shifted, left, right) {
        return true
      }
      guard saved.isQuick || time < circumstances.quickFinishUntil else { continue }
      let pace = max(1, (begin.length - Double(saved.place)) / Double(rate))
      let place = Double(saved.place) + pace * Double(offset + shifted)
      if resume(begin, at: place, pace, offset + shifted, left, right) { return true }
    }
    return false
  }

  /// Explains the frame as a restored fade that began within the frames that may not have been heard. Its progress
  /// then follows from the saved positions only.
  private mutating func takeUpUnheard(
    _ begin: FollowedFade, _ saved: Circumstances.HeldFade, _ left: Float, _ right: Float, slack: Int
  ) -> Bool {
    let (from, to) = (voices[begin.from].next, voices[begin.to].next)
    let (aheadFrom, aheadTo) = (Int(saved.fromFrame.count) - from, Int(saved.toFrame.count) - to)
    // The first frames of a fade are inaudible within the last ones of a ramp to silence.
    let isFaint = aheadFrom == 0 && (1...faintest).contains(aheadTo) && voices[begin.to].heardAt == 0
    guard isFaint || time < circumstances.jumpsUntil, (aheadFrom, aheadTo) != (0, 0) else { return false }
    for ahead in [aheadFrom, aheadTo] where !isFaint && !circumstances.mayJump(by: ahead) { return false }
    voices[begin.from].next += aheadFrom
    voices[begin.to].next += aheadTo
    for offset in 0...slack
    where resume(begin, at: Double(saved.place + offset), 1, offset, left, right) { return true }
    voices[begin.from].next = from
    voices[begin.to].next = to
    return false
  }

  /// Both voices of the fade restored from a checkpoint.
  private var restoredVoices: (from: Int, to: Int)? {
    guard let saved = circumstances.heldFade,
      let from = voice(of: saved.from, nearest: Int(saved.fromFrame.count), except: nil),
      let to = voice(of: saved.to, nearest: Int(saved.toFrame.count), except: from)
    else { return nil }
    return (from, to)
  }

  /// The voice of a track that began nearest to a frame.
  private func voice(of track: Int, nearest frame: Int, except other: Int?) -> Int? {
    voices.indices.filter { voices[$0].track == track && !voices[$0].isGone(at: time) && $0 != other }
      .min { abs(voices[$0].origin - frame) < abs(voices[$1].origin - frame) }
  }

  /// The most recently heard voices of both tracks of an announced fade.
  private func voices(of announced: Circumstances.AnnouncedFade) -> (from: Int, to: Int)? {
    let known = byRecency
    guard let from = known.first(where: { voices[$0].track == announced.from }),
      let to = known.first(where: { $0 != from && voices[$0].track == announced.to })
    else { return nil }
    return (from, to)
  }

  /// Explains the frame as a voice that resumes together with the start of a fade into another.
  private mutating func wakeIntoFade(_ left: Float, _ right: Float, slack: Int) -> Bool {
    for announced in circumstances.fades.reversed() {
      guard let (from, to) = voices(of: announced) else { continue }
      for offset in 0...slack {
        // The fade begins with the first frame, or with one of those that passed with zero gain.
        for delay in 0...max(0, offset) {
          for length in lengths(announced, from, to, begun: -delay) {
            var begin = FollowedFade(
              from: from, to: to, fade: Fade(length: Frames(Int64(length)), curve: announced.fade.curve),
              place: 0,
              master: 0)
            begin.announced = announced
            voices[to].next -= delay
            if resume(begin, at: Double(offset - delay), 1, offset, left, right) { return true }
            // Or the outgoing track ramps up at the same time. Written out, because the optimizer of Swift 6.3.1
            // makes both elements of a loop over `[nil, offset]` nil here.
            begin.rise = Rise(age: offset, over: circumstances.declick)
            if resume(begin, at: Double(offset - delay), 1, offset, left, right) { return true }
            voices[to].next += delay
          }
        }
      }
    }
    return false
  }

  /// Explains the frame as a fade that began at its announced place within a gap.
  private mutating func wakeInto(
    _ announced: Circumstances.AnnouncedFade, _ from: Int, _ to: Int, _ left: Float, _ right: Float,
    shifted jump: Int
  ) -> Bool {
    let (told, known) = (voices[from].told, voices[from].end)
    for end in told == known ? [told] : [told, known] {
      let place = voices[from].next + jump - (end - Int(announced.fade.length.count))
      guard place >= 0 else { continue }
      var begin = FollowedFade(from: from, to: to, fade: announced.fade, place: 0, master: 0)
      begin.announced = announced
      voices[to].next += place - jump
      if resume(begin, at: Double(place), 1, jump, left, right) { return true }
      voices[to].next -= place - jump
    }
    return false
  }

  /// Explains the frame as a fade that began within a gap and was cancelled since, so that both voices are on ramps.
  private mutating func wakeBehind(
    _ announced: Circumstances.AnnouncedFade, _ from: Int, _ to: Int, _ left: Float, _ right: Float,
    shifted jump: Int
  ) -> Bool {
    let bound = limit * 2
    let place = voices[from].next + jump - (voices[from].told - Int(announced.fade.length.count))
    guard announced.endedAt != nil, place > 0, place < Int(announced.fade.length.count), left > 0,
      Double(left / Signal.level) < 2 * bound
    else { return false }
    let keys = (key(from, jump), key(to, place))
    guard let both = gains(keys.0, keys.1, left, right) ?? alike(keys.0, keys.1, left, right), both.a > 0,
      both.b > 0, both.a < bound, both.b < bound, areAudibleAhead(keys.0, keys.1, below: bound), accepts()
    else { return false }
    take(from, frame: keys.0.frame, gain: both.a)
    take(to, frame: keys.1.frame, gain: both.b)
    beginPair(from, to)
    return true
  }

  private mutating func resume(
    _ held: FollowedFade, at place: Double, _ pace: Double, _ offset: Int, _ left: Float, _ right: Float
  ) -> Bool {
    guard place >= 0, place < held.length, !held.isFromOver else { return false }
    let shares = held.gains(at: place, after: 0)
    guard voices[held.from].next + offset >= 0, voices[held.to].next + offset >= 0,
      let master = master(
        key(held.from, offset), shares.out, key(held.to, offset), shares.into, left, right),
      accepts()
    else { return false }
    var fade = held
    fade.place = place
    fade.pace = pace
    fade.master = master
    // During a ramp of the outgoing track, the incoming one follows its curve, however steep.
    let sudden = held.rise == nil ? shares.out + shares.into : shares.out
    let isTooLoud = held.rise != nil && master > circumstances.ceiling * 1.001
    if master * sudden > limit * Double(abs(offset) + 2) || isTooLoud, !isLost {
      fail(
        .click, expected: "a ramp out of silence", found: "a fade that goes on at \(short(master)) at once")
    }
    note(.resumed, voices[held.to])
    voices[held.to].fadedInAt = time
    take(held.from, frame: voices[held.from].next + offset, gain: master * shares.out)
    take(held.to, frame: voices[held.to].next + offset, gain: master * shares.into)
    self.fade = fade
    heldFade = nil
    grip = .firm
    sound = .fade
    return true
  }

  /// Forgets all gains: the card has stopped, and it is unknown which of its last frames were heard.
  mutating func forgetGains() {
    if !doubt.isEmpty {
      settleDoubt()
      if violation != nil { goBack() }
      if violation != nil, mayBeNonsense { giveUp() }
    }
    turnings = []
    holdFade()
    holdEndedFade()
    for place in voices.indices { voices[place].gain = 0 }
    fade = nil
    sound = .silence
    silentSince = time
    ordersInSilence = 2
  }

  /// Holds the fade that is heard at its present progress.
  mutating func holdFade() {
    guard case .fade = sound, let running = fade else { return }
    heldFade = running
    heldFade?.master = 0
  }

  /// Holds a fade that has just ended, if its last frames may be repeated.
  private mutating func holdEndedFade() {
    guard case .one(let place) = sound, let edge = edges.last, edge.voice == voices[place].id,
      let ended = edge.fade, ended.to == place, !ended.isFromOver, !voices[ended.from].isGone(at: time)
    else { return }
    let since = voices[place].next - edge.frame
    guard since > 0, circumstances.mayJump(by: -since) else { return }
    heldFade = ended
    heldFade?.place += ended.pace * Double(since)
    heldFade?.master = 0
    voices[ended.from].next += since
  }
}
