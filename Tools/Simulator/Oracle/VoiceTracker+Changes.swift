// What the tracker does where a frame is not what the one before it announced: voices begin, end, join. One thread.

import PlaybackModel

extension VoiceTracker {
  /// Places among `voices`, those first that were heard last.
  private var byRecency: [Int] {
    voices.indices.filter { !voices[$0].isGone }.sorted { a, b in
      // Of two decoders of one track that nobody has heard yet the older one is due.
      voices[a].heardAt == voices[b].heardAt ? a < b : voices[a].heardAt > voices[b].heardAt
    }
  }

  /// How many frames may be missing, or come again, because the card had stopped.
  private var jumps: [Int] {
    guard time < circumstances.jumpsUntil else { return [] }
    return Array(1...max(1, circumstances.jump)) + (1...(8 + circumstances.step)).map { -$0 }
  }

  // MARK: Out of silence

  mutating func wakeUp(_ left: Float, _ right: Float) {
    if left < -0.001 {
      return fail(
        .releasedRing, expected: "silence or a track", found: "what lies in rings that were given back")
    }
    if circumstances.isEntryDue {
      circumstances.isEntryDue = false
      circumstances.faultUntil = max(circumstances.faultUntil, time + 400_000_000)
      // However long that was ago.
      circumstances.jumpsUntil = max(circumstances.jumpsUntil, time + 400_000_000)
    }
    guard mustExplain(left, right) else { return }
    let slack = 1 + min(ordersInSilence, 6)
    if takeUpFade(left, right, slack: slack) { return }
    for place in byRecency {
      for offset in 0...slack where wake(place, offset, left, right, slack: slack) { return }
    }
    if wakeIntoFade(left, right, slack: slack) { return }
    for jump in jumps where takeUpFade(left, right, shifted: jump, slack: 1) { return }
    for jump in jumps {
      for place in byRecency where voices[place].next + jump >= 0 {
        if wake(place, jump, left, right, slack: 8) { return }
      }
    }
    for jump in jumps where wakeIntoFade(left, right, shifted: jump) { return }
    if wakeTwo(left, right) { return }
    for jump in jumps where wakeTwo(left, right, shifted: jump) { return }
    missed(left, right, after: "silence")
  }

  /// Whether two voices begin or go on here, of which one is on its way out.
  private mutating func wakeTwo(_ left: Float, _ right: Float, shifted jump: Int = 0) -> Bool {
    let known = byRecency
    for a in known {
      for b in known where b != a {
        for (offsetA, offsetB) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
          // One that was not heard before does not go on somewhere else.
          let keys = (
            key(a, offsetA + (voices[a].heardAt > 0 ? jump : 0)),
            key(b, offsetB + (voices[b].heardAt > 0 ? jump : 0))
          )
          guard keys.0.frame >= 0, keys.1.frame >= 0, let both = gains(keys.0, keys.1, left, right) else {
            continue
          }
          let bound = limit * 2
          guard both.a > 0, both.b > 0, both.a < bound, both.b < bound, accepts() else { continue }
          take(a, frame: keys.0.frame, gain: both.a)
          take(b, frame: keys.1.frame, gain: both.b)
          sound = .pair(a, b)
          return true
        }
      }
    }
    return false
  }

  /// Whether one voice begins or goes on here.
  private mutating func wake(
    _ place: Int, _ offset: Int, _ left: Float, _ right: Float, slack: Int
  ) -> Bool {
    let frame = voices[place].next + offset
    guard frame < voices[place].end, let gain = gain(voices[place].track, frame, left, right), accepts()
    else {
      return false
    }
    let isWholeStart = frame == 0 && voices[place].heardAt == 0
    if !isWholeStart, gain > limit * Double(slack + 1), voices[place].isSane {
      fail(
        .click, expected: "a ramp out of silence",
        found: "track \(voices[place].track) at frame \(frame) with gain \(short(gain)) at once")
    }
    note(voices[place].heardAt == 0 ? .began : .resumed, voices[place])
    let steps = gain / max(circumstances.volume, 1e-9) * Double(circumstances.declick)
    voices[place].rampStart = frame - Int(min(max(steps.rounded(), 1), 8))
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
      let from = voice(of: saved.from, nearest: Int(saved.fromFrame.count), except: nil),
      let to = voice(of: saved.to, nearest: Int(saved.toFrame.count), except: from)
    else { return false }
    let begin = FollowedFade(
      from: from, to: to, fade: saved.fade, place: Double(saved.place) - 1, master: 0)
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

  /// The voice of a track that was begun nearest to a frame.
  private func voice(of track: Int, nearest frame: Int, except other: Int?) -> Int? {
    voices.indices.filter { voices[$0].track == track && !voices[$0].isGone && $0 != other }
      .min { abs(voices[$0].origin - frame) < abs(voices[$1].origin - frame) }
  }

  /// Whether a voice goes on, and a fade into another one begins with it.
  private mutating func wakeIntoFade(_ left: Float, _ right: Float, slack: Int) -> Bool {
    for announced in circumstances.fades.reversed() {
      guard let from = byRecency.first(where: { voices[$0].track == announced.from }),
        let to = byRecency.first(where: { $0 != from && voices[$0].track == announced.to })
      else { continue }
      for offset in 0...slack {
        // It begins with the first frame, or with one of those that passed at no gain.
        for delay in 0...max(0, offset) {
          for length in lengths(announced, from, to, begun: -delay) {
            var begin = FollowedFade(
              from: from, to: to, fade: Fade(length: Frames(Int64(length)), curve: announced.fade.curve),
              place: 0,
              master: 0)
            begin.announced = announced
            voices[to].next -= delay
            if resume(begin, at: Double(offset - delay), 1, offset, left, right) { return true }
            // Or its outgoing track comes over a ramp of its own. Written out: the optimiser of Swift 6.3.1 makes both
            // elements of a loop over `[nil, offset]` nil here.
            begin.rampAge = offset
            if resume(begin, at: Double(offset - delay), 1, offset, left, right) { return true }
            voices[to].next += delay
          }
        }
      }
    }
    return false
  }

  /// The same after a gap: a fade into what follows has begun where it was to begin.
  private mutating func wakeIntoFade(_ left: Float, _ right: Float, shifted jump: Int) -> Bool {
    for announced in circumstances.fades.reversed() where !announced.isManual {
      guard let from = byRecency.first(where: { voices[$0].track == announced.from }),
        let to = byRecency.first(where: { $0 != from && voices[$0].track == announced.to }),
        voices[to].heardAt == 0
      else { continue }
      for end in Set([voices[from].told, voices[from].end]) {
        let place = voices[from].next + jump - (end - Int(announced.fade.length.count))
        guard place >= 0 else { continue }
        var begin = FollowedFade(from: from, to: to, fade: announced.fade, place: 0, master: 0)
        begin.announced = announced
        voices[to].next += place - jump
        if resume(begin, at: Double(place), 1, jump, left, right) { return true }
        voices[to].next -= place - jump
      }
    }
    return false
  }

  private mutating func resume(
    _ held: FollowedFade, at place: Double, _ pace: Double, _ offset: Int, _ left: Float, _ right: Float
  ) -> Bool {
    guard place >= 0, place < held.length, !held.isFromOver else { return false }
    let shares = held.gains(at: place, after: 0, ramp: circumstances.declick)
    guard voices[held.from].next + offset >= 0, voices[held.to].next + offset >= 0,
      let master = master(
        key(held.from, offset), shares.out, key(held.to, offset), shares.into, left, right),
      accepts()
    else { return false }
    var fade = held
    fade.place = place
    fade.pace = pace
    fade.master = master
    if master * (shares.out + shares.into) > limit * Double(abs(offset) + 2) {
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
      let isSteady = abs(gain - voice.gain) <= limit || !voice.isSane
      if isSteady { return take(place, frame: voice.next, gain: gain) }
      guard mustExplain(left, right) else { return }
      if accepts() {
        return fail(
          .click, expected: "a gain within \(short(limit)) of \(short(voice.gain))",
          found: "track \(voice.track) at frame \(voice.next) with gain \(short(gain))")
      }
    }
    guard mustExplain(left, right) else { return }
    if beginFade(place, left, right) || hearsOther(place, left, right) || overlap(place, left, right) {
      return
    }
    for jump in [1, -1, 2, -2, 3, -3] + Array(4...64) + (4...64).map({ -$0 }) {
      let frame = voice.next + jump
      guard frame >= 0, let gain = gain(voice.track, frame, left, right), voice.isSane, accepts() else {
        continue
      }
      if jump > 0, time < circumstances.jumpsUntil, jump <= circumstances.jump {
        return take(place, frame: frame, gain: gain)
      }
      return fail(
        jump > 0 ? .lostFrames : .repeatedFrames, expected: "frame \(voice.next) of track \(voice.track)",
        found: "frame \(frame), gain \(short(gain))")
    }
    missed(left, right, after: "frame \(voice.next - 1) of track \(voice.track) at gain \(short(voice.gain))")
  }

  /// Whether another voice alone is heard instead.
  private mutating func hearsOther(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    let voice = voices[place]
    for other in byRecency where other != place {
      for offset in 0...1 {
        let frame = voices[other].next + offset
        guard frame < voices[other].end, let gain = gain(voices[other].track, frame, left, right), accepts()
        else {
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
        // Where it should begin comes first.
        let due = voice.next - (voice.told - Int(announced.fade.length.count))
        let places = [due] + (1...80).filter { $0 != due }
        var fits: [(beginning: FollowedFade.Beginning, master: Double, rampAge: Int?)] = []
        let rampAge = voice.next - voice.rampStart
        let ages: [Int?] = rampAge < circumstances.declick ? [nil, rampAge] : [nil]
        for index in places where index > 0 && index <= 80 {
          for length in lengths(announced, place, other, begun: index) where index < length {
            var fade = FollowedFade(
              from: place, to: other, fade: Fade(length: Frames(Int64(length)), curve: announced.fade.curve),
              place: 0, master: voice.gain)
            for age in ages {
              fade.rampAge = age
              let shares = fade.gains(at: Double(index), after: 0, ramp: circumstances.declick)
              guard let master = master(key(place), shares.out, key(other, index), shares.into, left, right),
                abs(master * (age == nil ? 1 : shares.out) - voice.gain) <= limit
              else { continue }
              fits.append((FollowedFade.Beginning(index: index, length: length), master, age))
            }
          }
        }
        guard
          let first = ages.lazy.compactMap({ age in fits.first { $0.rampAge == age } }).first(where: { _ in
            accepts()
          })
        else { continue }
        let (beginning, master, age) = first
        let index = beginning.index
        var fade = FollowedFade(
          from: place, to: other,
          fade: Fade(length: Frames(Int64(beginning.length)), curve: announced.fade.curve),
          place: Double(index), master: master)
        fade.rampAge = age
        let shares = fade.gains(at: Double(index), after: 0, ramp: circumstances.declick)
        fade.alternatives = fits.filter { $0.rampAge == age }.dropFirst().map { $0.beginning }
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

  /// How long a fade may be that has come to an index: one that begins late is no longer than what is left of either track,
  /// as far as their ends were told, or are known by then.
  private func lengths(
    _ announced: Circumstances.AnnouncedFade, _ from: Int, _ to: Int, begun index: Int
  ) -> [Int] {
    let whole = Int(announced.fade.length.count)
    var lengths: [Int] = []
    for fromEnd in [voices[from].told, voices[from].end] {
      for toEnd in [voices[to].told, voices[to].end] {
        let length = min(whole, fromEnd - voices[from].next + index, toEnd - voices[to].next)
        if length > 0, !lengths.contains(length) { lengths.append(length) }
      }
    }
    if !lengths.contains(whole) { lengths.append(whole) }
    return lengths
  }

  /// Whether a fade that began at a frame of its outgoing voice was announced so.
  mutating func checkStart(
    of announced: Circumstances.AnnouncedFade, length: Int, at frame: Int, _ voice: Voice
  ) {
    guard !announced.isManual, let armed = announced.armedAt,
      time > armed + circumstances.reaction + 100_000_000,
      announced.endedAt == nil, voice.isSane, frame != voice.told - length,
      frame != voice.told - Int(announced.fade.length.count)
    else { return }
    // Skipping to the track that waits begins the fade at once.
    if circumstances.isDisturbed(at: time) { return }
    fail(.fadeStart, expected: "a fade that begins at frame \(voice.told - length)", found: "frame \(frame)")
  }

  /// Whether another voice begins over the one that goes on.
  private mutating func overlap(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    guard !voices[place].isAtEnd else { return false }
    for other in byRecency where other != place {
      // What starved before may be back at any time; all else was ordered.
      let isBack = voices[other].heardAt > 0 && !voices[other].isAtEnd
      guard isBack || circumstances.isDisturbed(at: time) else { continue }
      for offset in 0...2 where voices[other].next + offset < voices[other].end {
        let isWholeStart = voices[other].next + offset == 0 && voices[other].heardAt == 0
        // Where the marks are too much alike, the one that goes on is taken at its gain.
        let rest = Double(left) / Double(Signal.level) - voices[place].gain
        let both = gains(key(place), key(other, offset), left, right) ?? (a: voices[place].gain, b: rest)
        guard both.b > 0, both.b <= (isWholeStart ? 1.001 : limit * 2),
          abs(both.a - voices[place].gain) <= limit, both.a > -1e-4, accepts()
        else { continue }
        note(.overlapped, voices[other])
        take(place, frame: voices[place].next, gain: both.a)
        take(other, frame: voices[other].next + offset, gain: both.b)
        sound = .pair(place, other)
        return true
      }
    }
    return false
  }

  // MARK: Two voices

  mutating func followPair(_ a: Int, _ b: Int, _ left: Float, _ right: Float) {
    // Where their marks are alike, two voices sound like one.
    let areAlike = gains(key(a), key(b), left, right) == nil
    for (one, other) in [(a, b), (b, a)] where !voices[one].isAtEnd && !(areAlike && !voices[other].isAtEnd) {
      guard let gain = gain(voices[one].track, voices[one].next, left, right) else { continue }
      guard mustExplain(left, right) else { return }
      guard accepts() else { continue }
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
      guard mustExplain(left, right) else { return }
      return missed(left, right, after: "two tracks of which one has ended")
    }
    guard let both = gains(key(a), key(b), left, right) else {
      // Marks too much alike to tell the gains: both go with the sum, and the next frame will tell.
      let sum = voices[a].gain + voices[b].gain
      let share = sum > 0 ? Double(left) / Double(Signal.level) / sum : 1
      take(a, frame: voices[a].next, gain: voices[a].gain * share)
      take(b, frame: voices[b].next, gain: voices[b].gain * share)
      return
    }
    // A frame or two before may not have told the gains.
    let bound = limit * 3
    guard both.a > -1e-3, both.b > -1e-3, abs(both.a - voices[a].gain) <= bound,
      abs(both.b - voices[b].gain) <= bound
    else {
      guard mustExplain(left, right) else { return }
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
