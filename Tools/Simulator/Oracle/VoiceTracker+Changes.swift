// What the tracker does where a frame is not what the one before it announced: voices begin, end, join. One thread.

import PlaybackModel

extension VoiceTracker {
  /// Places among `voices`, those first that were heard last.
  private var byRecency: [Int] {
    voices.indices.filter { !voices[$0].isGone }.sorted { a, b in
      voices[a].heardAt == voices[b].heardAt ? a < b : voices[a].heardAt > voices[b].heardAt
    }
  }

  /// How many frames may be missing, or come again, because the card had stopped.
  private var jumps: [Int] {
    guard time < circumstances.jumpsUntil else { return [] }
    return Array(1...max(1, circumstances.jump)) + (1...8).map { -$0 }
  }

  // MARK: Out of silence

  mutating func wakeUp(_ left: Float, _ right: Float) {
    if left < -0.001 {
      return fail(
        .releasedRing, expected: "silence or a track", found: "what lies in rings that were given back")
    }
    let slack = 1 + min(ordersInSilence, 6)
    if takeUpFade(left, right, slack: slack) { return }
    for place in byRecency {
      for offset in 0...slack where wake(place, offset, left, right, slack: slack) { return }
    }
    for jump in jumps where takeUpFade(left, right, shifted: jump, slack: 1) { return }
    for jump in jumps where wakeIntoDueFade(left, right, shifted: jump) { return }
    for jump in jumps {
      for place in byRecency where voices[place].next + jump >= 0 {
        if wake(place, jump, left, right, slack: 8) { return }
      }
    }
    if wakeIntoFade(left, right, slack: slack) { return }
    let known = byRecency
    for a in known {
      for b in known where b > a {
        for (offsetA, offsetB) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
          guard let both = gains(key(a, offsetA), key(b, offsetB), left, right) else { continue }
          let bound = limit * 2
          guard both.a > 0, both.b > 0, both.a < bound, both.b < bound else { continue }
          take(a, frame: voices[a].next + offsetA, gain: both.a)
          take(b, frame: voices[b].next + offsetB, gain: both.b)
          sound = .pair(a, b)
          return
        }
      }
    }
    missed(left, right, after: "silence")
  }

  /// Whether one voice begins or goes on here.
  private mutating func wake(
    _ place: Int, _ offset: Int, _ left: Float, _ right: Float, slack: Int
  ) -> Bool {
    let frame = voices[place].next + offset
    guard frame < voices[place].end, let gain = gain(voices[place].track, frame, left, right) else {
      return false
    }
    let isWholeStart = frame == 0 && voices[place].heardAt == 0
    if !isWholeStart, gain > limit * Double(slack + 1), voices[place].isSane {
      fail(
        .click, expected: "a ramp out of silence",
        found: "track \(voices[place].track) at frame \(frame) with gain \(short(gain)) at once")
    }
    note(voices[place].heardAt == 0 ? .began : .resumed, voices[place])
    take(place, frame: frame, gain: gain)
    sound = .one(place)
    heldFade = nil
    return true
  }

  /// Whether a fade that was held, or comes back from a checkpoint, goes on here.
  private mutating func takeUpFade(_ left: Float, _ right: Float, shifted: Int = 0, slack: Int) -> Bool {
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
    guard let saved = circumstances.heldFade,
      let from = voices.lastIndex(where: { $0.track == saved.from && !$0.isGone }),
      let to = voices.lastIndex(where: { $0.track == saved.to && !$0.isGone }), from != to
    else { return false }
    let begin = FollowedFade(
      from: from, to: to, fade: saved.fade, place: Double(saved.place) - 1, master: 0)
    for offset in 0...slack {
      if resume(begin, at: Double(saved.place + offset + shifted), 1, offset + shifted, left, right) {
        return true
      }
      guard time < circumstances.quickFinishUntil else { continue }
      let pace = max(1, (begin.length - Double(saved.place)) / Double(rate))
      let place = Double(saved.place) + pace * Double(offset + shifted)
      if resume(begin, at: place, pace, offset + shifted, left, right) { return true }
    }
    return false
  }

  /// Whether a voice goes on, and a fade into another one begins with it.
  private mutating func wakeIntoFade(_ left: Float, _ right: Float, slack: Int) -> Bool {
    for announced in circumstances.fades.reversed() {
      guard let from = byRecency.first(where: { voices[$0].track == announced.from }),
        let to = byRecency.first(where: { $0 != from && voices[$0].track == announced.to })
      else { continue }
      let begin = FollowedFade(from: from, to: to, fade: announced.fade, place: 0, master: 0)
      for offset in 0...slack {
        // It begins with the first frame, or with one of those that passed at no gain.
        for delay in 0...max(0, offset) {
          let place = Double(offset - delay)
          voices[to].next -= delay
          if resume(begin, at: place, 1, offset, left, right) { return true }
          voices[to].next += delay
        }
      }
    }
    return false
  }

  /// As `wakeIntoFade`, for a fade that was armed and fell due while the card stood.
  private mutating func wakeIntoDueFade(_ left: Float, _ right: Float, shifted: Int) -> Bool {
    for announced in circumstances.fades.reversed() {
      guard let from = byRecency.first(where: { voices[$0].track == announced.from }),
        let to = byRecency.first(where: {
          $0 != from && voices[$0].track == announced.to && voices[$0].heardAt == 0
        })
      else { continue }
      let place = voices[from].next + shifted - (voices[from].end - Int(announced.fade.length.count))
      guard place >= 0 else { continue }
      let begin = FollowedFade(from: from, to: to, fade: announced.fade, place: 0, master: 0)
      voices[to].next += place - shifted
      if resume(begin, at: Double(place), 1, shifted, left, right) { return true }
      voices[to].next -= place - shifted
    }
    return false
  }

  private mutating func resume(
    _ held: FollowedFade, at place: Double, _ pace: Double, _ offset: Int, _ left: Float, _ right: Float
  ) -> Bool {
    guard place >= 0, place < held.length, !held.isFromOver else { return false }
    let shares = held.gains(at: place)
    guard voices[held.from].next + offset >= 0, voices[held.to].next + offset >= 0,
      let master = master(
        key(held.from, offset), shares.out, key(held.to, offset), shares.into, left, right)
    else { return false }
    var fade = held
    fade.place = place
    fade.pace = pace
    fade.master = master
    if master > limit * Double(abs(offset) + 2) {
      fail(
        .click, expected: "a ramp out of silence", found: "a fade that goes on at \(short(master)) at once")
    }
    note(.resumed, voices[held.to])
    take(held.from, frame: voices[held.from].next + offset, gain: master * shares.out)
    take(held.to, frame: voices[held.to].next + offset, gain: master * shares.into)
    self.fade = fade
    heldFade = nil
    sound = .fade
    return true
  }

  // MARK: From one voice

  mutating func leaveOne(_ place: Int, _ left: Float, _ right: Float) {
    let limit = limit
    let voice = voices[place]
    if !voice.isAtEnd, let gain = gain(voice.track, voice.next, left, right) {
      if abs(gain - voice.gain) > limit, voice.isSane {
        fail(
          .click, expected: "a gain within \(short(limit)) of \(short(voice.gain))",
          found: "track \(voice.track) at frame \(voice.next) with gain \(short(gain))")
      }
      take(place, frame: voice.next, gain: gain)
      return
    }
    if beginFade(place, left, right) { return }
    if hearsOther(place, left, right) { return }
    for jump in [1, -1, 2, -2, 3, -3] + Array(4...64) + (4...64).map({ -$0 }) {
      let frame = voice.next + jump
      guard frame >= 0, let gain = gain(voice.track, frame, left, right), voice.isSane else { continue }
      if jump > 0, time < circumstances.jumpsUntil, jump <= circumstances.jump {
        return take(place, frame: frame, gain: gain)
      }
      return fail(
        jump > 0 ? .lostFrames : .repeatedFrames, expected: "frame \(voice.next) of track \(voice.track)",
        found: "frame \(frame), gain \(short(gain))")
    }
    guard !isSettlingDoubt, !voice.isAtEnd else {
      return missed(
        left, right, after: "frame \(voice.next - 1) of track \(voice.track) at gain \(short(voice.gain))")
    }
    doubt.append(Doubt(left: left, right: right, time: time))
  }

  /// Whether another voice alone is heard instead.
  private mutating func hearsOther(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    let voice = voices[place]
    for other in byRecency where other != place {
      for offset in 0...1 {
        let frame = voices[other].next + offset
        guard frame < voices[other].end, let gain = gain(voices[other].track, frame, left, right) else {
          continue
        }
        let isWholeStart = frame == 0 && voices[other].heardAt == 0
        if !voice.isAtEnd, voice.gain > limit, voice.isSane {
          fail(
            .cut, expected: "frame \(voice.next) of track \(voice.track), or a ramp",
            found: "frame \(frame) of track \(voices[other].track) instead, cut at gain \(short(voice.gain))")
        } else if !(isWholeStart && voice.isAtEnd), gain > limit, voices[other].isSane {
          fail(
            .click, expected: "a ramp into track \(voices[other].track)",
            found: "its frame \(frame) with gain \(short(gain)) at once")
        }
        note(.ended, voice)
        note(voice.isAtEnd && isWholeStart ? .joined : .began, voices[other])
        voices[place].gain = 0
        take(other, frame: frame, gain: gain)
        sound = .one(other)
        return true
      }
    }
    return false
  }

  /// Whether a fade that was announced has begun. Its first frames may have been too quiet to tell.
  private mutating func beginFade(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    let voice = voices[place]
    for announced in circumstances.fades.reversed() where announced.from == voice.track {
      for other in byRecency where other != place && voices[other].track == announced.to {
        var fade = FollowedFade(from: place, to: other, fade: announced.fade, place: 0, master: voice.gain)
        // Where it should begin comes first.
        let due = voice.next - (voice.end - Int(announced.fade.length.count))
        let places = [due] + (1...80).filter { $0 != due }
        var fits: [(index: Int, master: Double)] = []
        for index in places where index > 0 && index <= 80 && index < Int(fade.length) {
          let shares = fade.gains(at: Double(index))
          guard let master = master(key(place), shares.out, key(other, index), shares.into, left, right),
            abs(master - voice.gain) <= limit
          else { continue }
          fits.append((index, master))
        }
        guard let (index, master) = fits.first else { continue }
        let shares = fade.gains(at: Double(index))
        fade.place = Double(index)
        fade.master = master
        fade.alternatives = fits.dropFirst().map { $0.index }
        fade.announced = announced
        note(.fadeBegan, voices[other])
        take(place, frame: voice.next, gain: master * shares.out)
        take(other, frame: voices[other].next + index, gain: master * shares.into)
        self.fade = fade
        sound = .fade
        return true
      }
    }
    return false
  }

  /// Whether a fade that began at a frame of its outgoing voice was announced so.
  mutating func checkStart(of announced: Circumstances.AnnouncedFade, at frame: Int, _ voice: Voice) {
    let length = Int(announced.fade.length.count)
    if frame + length > voice.end, voice.isSane {
      fail(
        .fadeStart, expected: "a fade no longer than what is left, \(voice.end - frame) frames",
        found: "one of \(length) frames")
    }
    guard let armed = announced.armedAt, time > armed + circumstances.reaction + 100_000_000,
      announced.endedAt == nil, voice.isSane, frame != voice.end - length
    else { return }
    // Skipping to the track that waits begins the fade at once.
    if circumstances.isDisturbed(at: time) { return }
    fail(.fadeStart, expected: "a fade that begins at frame \(voice.end - length)", found: "frame \(frame)")
  }

  /// Finds out which voice has begun over the one that goes on: two gains explain any frame, but only the right
  /// two explain a few.
  mutating func settleOverlap(_ place: Int) {
    let frames = doubt
    doubt = []
    for other in byRecency where other != place {
      // What starved before may be back at any time; all else was ordered.
      let isBack = voices[other].heardAt > 0 && !voices[other].isAtEnd
      guard isBack || circumstances.isDisturbed(at: frames[0].time) else { continue }
      for offset in 0...2 where voices[other].next + offset < voices[other].end {
        var copy = self
        copy.isSettlingDoubt = true
        guard copy.overlap(place, other, offset, frames) else { continue }
        copy.isSettlingDoubt = false
        self = copy
        return
      }
    }
    isSettlingDoubt = true
    for frame in frames where violation == nil {
      time = frame.time
      hearFrame(frame.left, frame.right)
    }
    isSettlingDoubt = false
  }

  private mutating func overlap(_ place: Int, _ other: Int, _ offset: Int, _ frames: [Doubt]) -> Bool {
    time = frames[0].time
    let isWholeStart = voices[other].next + offset == 0 && voices[other].heardAt == 0
    let sum = Double(frames[0].left) / Double(Signal.level)
    let both =
      gains(key(place), key(other, offset), frames[0].left, frames[0].right)
      ?? (voices[place].gain, sum - voices[place].gain)
    guard both.b > -1e-3, both.b <= (isWholeStart ? 1.001 : limit * 2),
      abs(both.a - voices[place].gain) <= limit,
      both.a > -1e-4
    else { return false }
    note(.overlapped, voices[other])
    take(place, frame: voices[place].next, gain: both.a)
    take(other, frame: voices[other].next + offset, gain: both.b)
    sound = .pair(place, other)
    for frame in frames.dropFirst() where violation == nil {
      time = frame.time
      hearFrame(frame.left, frame.right)
    }
    return violation == nil
  }

  // MARK: Two voices

  mutating func followPair(_ a: Int, _ b: Int, _ left: Float, _ right: Float) {
    // Where their marks are alike, two voices sound like one.
    let areAlike = gains(key(a), key(b), left, right) == nil
    for (one, other) in [(a, b), (b, a)] where !voices[one].isAtEnd && !(areAlike && !voices[other].isAtEnd) {
      guard let gain = gain(voices[one].track, voices[one].next, left, right) else { continue }
      let was = voices[other].gain
      if was > limit * 3, !voices[other].isAtEnd, voices[other].isSane {
        fail(
          .cut, expected: "a ramp of track \(voices[other].track) to silence",
          found: "cut at frame \(voices[other].next) with gain \(short(was))")
      }
      note(.alone, voices[one])
      voices[other].gain = 0
      take(one, frame: voices[one].next, gain: gain)
      sound = .one(one)
      return
    }
    guard !voices[a].isAtEnd, !voices[b].isAtEnd else {
      return missed(left, right, after: "two tracks of which one has ended")
    }
    guard let both = gains(key(a), key(b), left, right) else {
      // Marks too much alike to tell the gains: the next frame will do.
      take(a, frame: voices[a].next, gain: voices[a].gain)
      take(b, frame: voices[b].next, gain: voices[b].gain)
      return
    }
    // A frame or two before may not have told the gains.
    let bound = limit * 3
    guard both.a > -1e-3, both.b > -1e-3, abs(both.a - voices[a].gain) <= bound,
      abs(both.b - voices[b].gain) <= bound
    else {
      return missed(
        left, right,
        after:
          "tracks \(voices[a].track) and \(voices[b].track) at gains \(short(voices[a].gain)) and \(short(voices[b].gain))"
      )
    }
    take(a, frame: voices[a].next, gain: both.a)
    take(b, frame: voices[b].next, gain: both.b)
  }

  /// Nothing fits.
  mutating func missed(_ left: Float, _ right: Float, after: String) {
    for place in voices.indices where !voices[place].isSane {
      if voices[place].heardAt > 0 { return giveUp() }
    }
    let known = lengths.enumerated().map { (number: $0.offset, length: $0.element) }
    var rule = Violation.Rule.unexplained
    if left > 0, case .one(let place) = sound,
      let found = Signal.identify([right / left], tracks: known)
    {
      if found.track != voices[place].track {
        rule = .wrongTrack
      } else {
        rule = found.frame > voices[place].next ? .lostFrames : .repeatedFrames
      }
    }
    fail(rule, expected: "what follows \(after)", found: describe(left, right))
  }

  /// A decoder that writes nonsense may make noise; what is heard then is not judged until silence.
  private mutating func giveUp() {
    for place in voices.indices { voices[place].gain = 0 }
    fade = nil
    sound = .silence
  }
}
