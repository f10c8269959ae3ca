// Voice tracker: explains frames that do not continue the previous one, such as voices that begin, end or join. One
// thread.

import FadeFormulas
import PlaybackModel

extension VoiceTracker {
  /// Indexes into `voices`, most recently heard first.
  var byRecency: [Int] {
    var known: [(place: Int, heardAt: UInt64)] = []
    for (place, voice) in voices.enumerated() where !voice.isGone(at: time) {
      known.append((place, voice.heardAt))
    }
    // Of two unheard decoders of one track, the older one is next.
    known.sort { a, b in a.heardAt == b.heardAt ? a.place < b.place : a.heardAt > b.heardAt }
    return known.map { $0.place }
  }

  /// Jumps that a card failure allows: missing or repeated frames.
  var jumps: Jumps {
    guard time < circumstances.jumpsUntil else { return Jumps(missing: 0, again: 0) }
    return Jumps(missing: max(1, circumstances.jump), again: 8 + circumstances.step)
  }

  mutating func leaveOne(_ place: Int, _ left: Float, _ right: Float) {
    let limit = limit
    let voice = voices[place]
    if !voice.isAtEnd, let gain = gain(voice, voice.next, left, right) {
      let isSteady =
        abs(gain - voice.gain) <= limit || !voice.isSane || (voice.isBrokenLate && gain < voice.gain)
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
      guard frame >= 0, let gain = gain(voice, frame, left, right), voice.isSane, accepts() else {
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

  /// Explains the frame as a different voice alone.
  private mutating func hearsOther(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    let voice = voices[place]
    for other in byRecency where other != place {
      // Tracks that joined before the card stopped may join again after repeated frames.
      let again = -voices[other].next
      let isAgain =
        voice.isAtEnd && again < 0 && time < circumstances.jumpsUntil && circumstances.mayJump(by: again)
      let next = voices[other].next
      // Beside a cue, its supposed first frames may have matched by chance.
      let anew = isAgain ? [0] : voices[other].beginnings.filter { $0 != next }
      for frame in [next, next + 1] + anew {
        guard frame < voices[other].end, let gain = gain(voices[other], frame, left, right), accepts()
        else {
          continue
        }
        let isWholeStart =
          frame == 0
          && (voices[other].heardAt == 0
            || anew.contains(0)
              && (!isAgain || abs(gain - voice.gain) <= limit))
        if !voice.isFinished, voice.gain > limit, voice.isSane {
          fail(
            .cut, expected: "frame \(voice.next) of track \(voice.track), or a ramp",
            found: "frame \(frame) of track \(voices[other].track) instead, cut at gain \(short(voice.gain))")
        } else if !(isWholeStart && (voice.isAtEnd || !voice.isSane)), gain > limit, voices[other].isSane {
          // A voice with corrupt data may be cut off, and the next one may begin without a ramp.
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

  /// Explains the frame as an announced fade, whose first frames may have been too quiet to recognize.
  private mutating func beginFade(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    for announced in circumstances.fades.reversed() where announced.from == voices[place].track {
      for other in byRecency where other != place && voices[other].track == announced.to {
        let due = voices[other].next
        for frame in voices[other].beginnings {
          voices[other].next = frame
          if begin(announced, from: place, to: other, left, right) { return true }
        }
        voices[other].next = due
      }
    }
    return false
  }

  private mutating func begin(
    _ announced: Circumstances.AnnouncedFade, from place: Int, to other: Int, _ left: Float, _ right: Float
  ) -> Bool {
    let voice = voices[place]
    // Beside something loud, the incoming track takes longer to become recognizable; but a fade cannot begin before
    // its outgoing track does.
    let rampAge = voice.next - voice.entrance.rampStart
    let latest = max(1, min(ear.isIdle ? 80 : 400, rampAge + 8 + framesInNoise))
    // Try the announced start first.
    let due = voice.next - (voice.told - Int(announced.fade.length.count))
    let places = ([due] + (1...latest).filter { $0 != due }).filter { $0 > 0 && $0 <= latest }
    let ends = FadeEnds(voices[place], voices[other], untold: isUntold)
    var found: (beginning: FollowedFade.Beginning, master: Double, rise: Rise?, rest: ArraySlice<Int>)?
    for rise in rises(of: voice, rampAge) where found == nil {
      for (number, index) in places.enumerated() {
        guard
          let first = beginnings(of: announced, place, other, ends, at: index, rise, left, right).first
        else { continue }
        if accepts() { found = (first.beginning, first.master, rise, places[number...]) }
        break
      }
    }
    guard let (beginning, master, rise, rest) = found else { return false }
    let alternatives = rest.flatMap {
      beginnings(of: announced, place, other, ends, at: $0, rise, left, right).map { $0.beginning }
    }
    let index = beginning.index
    var fade = FollowedFade(
      from: place, to: other,
      fade: Fade(length: Frames(Int64(beginning.length)), curve: announced.fade.curve),
      place: Double(index), master: master)
    fade.rise = rise
    let shares = fade.gains(at: Double(index), after: 0)
    fade.alternatives = Array(alternatives.dropFirst())
    fade.announced = announced
    note(.fadeBegan, voices[other])
    voices[other].fadedInAt = time
    take(place, frame: voice.next, gain: master * shares.out)
    take(other, frame: voices[other].next + index, gain: master * shares.into)
    self.fade = fade
    sound = .fade
    return true
  }

  /// Ramps that the outgoing track may be on as a fade begins: fade-in, recovery from a cancelled fade, or fade-out
  /// of a truncated track; nil for none.
  private func rises(of voice: Voice, _ rampAge: Int) -> [Rise?] {
    if rampAge < circumstances.declick { return [nil, Rise(age: rampAge, over: circumstances.declick)] }
    let rest = voice.end - voice.next
    if voice.end < lengths[voice.track], rest <= circumstances.declick {
      return [
        nil,
        Rise(level: Double(rest) / Double(circumstances.declick), slope: -1 / Double(circumstances.declick)),
      ]
    }
    let volume = circumstances.volume
    guard voice.entrance.slope > 1e-6 * volume, voice.gain < volume * (1 - 1e-6) else { return [nil] }
    return [
      nil, Rise(level: (voice.gain + voice.entrance.slope) / volume, slope: voice.entrance.slope / volume),
    ]
  }

  /// Possible lengths of a fade that is at `index` of its curve in this frame, with the outgoing track optionally on
  /// a ramp of its own.
  private func beginnings(
    of announced: Circumstances.AnnouncedFade, _ place: Int, _ other: Int, _ ends: FadeEnds, at index: Int,
    _ rise: Rise?, _ left: Float, _ right: Float
  ) -> [(beginning: FollowedFade.Beginning, master: Double)] {
    guard rise?.isToCome == true || mayBeMixed(key(place).mark, key(other, index).mark, left, right) else {
      return []
    }
    let gain = voices[place].gain
    var fits: [(beginning: FollowedFade.Beginning, master: Double)] = []
    for length in ends.lengths(of: announced, begun: index) where index < length {
      var fade = FollowedFade(
        from: place, to: other, fade: Fade(length: Frames(Int64(length)), curve: announced.fade.curve),
        place: 0, master: gain)
      fade.rise = rise
      let shares = fade.gains(at: Double(index), after: 0)
      let levels: [Double] = rise.map { [$0.level(after: 0), shares.out] } ?? [1]
      guard let master = master(key(place), shares.out, key(other, index), shares.into, left, right),
        levels.contains(where: { abs(master * $0 - gain) <= limit })
      else { continue }
      fits.append((FollowedFade.Beginning(index: index, length: length), master))
    }
    return fits
  }

  /// Whether a frame is between the marks of two voices, as any mix of them is.
  private func mayBeMixed(_ markA: Float, _ markB: Float, _ left: Float, _ right: Float) -> Bool {
    let error = 2e-6 * left + 2 * error
    return right >= left * min(markA, markB) - error && right <= left * max(markA, markB) + error
  }

  /// Possible lengths of a fade that has reached an index. A late fade is limited to what is left of either track, as
  /// far as the ends are known.
  func lengths(
    _ announced: Circumstances.AnnouncedFade, _ from: Int, _ to: Int, begun index: Int
  ) -> [Int] {
    FadeEnds(voices[from], voices[to], untold: isUntold).lengths(of: announced, begun: index)
  }

  /// Checks that a fade began on the announced frame of its outgoing voice.
  mutating func checkStart(
    of announced: Circumstances.AnnouncedFade, length: Int, at frame: Int, _ voice: Voice
  ) {
    guard !announced.isManual, let armed = announced.armedAt,
      time > armed + circumstances.reaction + 100_000_000,
      announced.endedAt == nil, voice.isSane
    else { return }
    let known = voice.endKnownAt(rate: rate)
    let replaced = known.map { $0 + circumstances.reactionFrames } ?? .max
    let starts = [voice.told - length, voice.told - Int(announced.fade.length.count)]
    if starts.contains(frame), frame < replaced { return }
    // Once the end of a truncated file is known, a late fade begins immediately.
    if let known, frame == voice.end - length || (known..<replaced).contains(frame) { return }
    // A fade may begin at the place for the track's full length before the player can move it.
    if let breakOff = voice.breakOff, frame < breakOff.toldAt + circumstances.reactionFrames { return }
    // Skipping to the waiting track begins the fade immediately.
    if circumstances.isDisturbed(at: time) { return }
    fail(.fadeStart, expected: "a fade that begins at frame \(voice.told - length)", found: "frame \(frame)")
  }

  /// Explains the frame as a second voice that begins over the present one.
  private mutating func overlap(_ place: Int, _ left: Float, _ right: Float) -> Bool {
    guard !voices[place].isAtEnd else { return false }
    for other in byRecency where other != place {
      // A voice that ran dry may return at any time; any other start needs a command or a fade.
      let isBack = voices[other].heardAt > 0 && !voices[other].isAtEnd
      guard isBack || circumstances.isDisturbed(at: time) || mayFadeIn(other, over: place) else { continue }
      // The last frames before the gap may have had zero gain and been counted as heard.
      for offset in isBack ? [0, 1, 2, -1, -2, -3] : Array(0...(2 + unheardFrames(of: other, over: place)))
      where voices[other].next + offset < voices[other].end {
        let isWholeStart = voices[other].next + offset == 0 && voices[other].heardAt == 0
        // If the marks are too similar to separate the gains, assume the present voice keeps its gain; one falls by
        // as much as the other rises. For slightly similar marks, accept a ramp that would otherwise be taken for
        // another frame.
        let rest = Double(left) / Double(Signal.level) - voices[place].gain
        let told = gains(key(place), key(other, offset), left, right, apart: 0.002)
        let areAlike = told == nil && rest > -1e-6 && mayBeEither(key(place), key(other, offset), left, right)
        let both = told ?? PairGains(a: voices[place].gain, b: max(0, rest), error: limit)
        guard both.b > 0 || areAlike, both.b <= (isWholeStart ? 1.001 + both.error : limit * 2),
          both.isPossible,
          abs(both.a - voices[place].gain) <= limit, accepts()
        else { continue }
        note(.overlapped, voices[other])
        let (frame, isUnheard) = (voices[other].next + offset, voices[other].heardAt == 0)
        take(place, frame: voices[place].next, gain: both.a)
        take(other, frame: frame, gain: both.b)
        beginPair(place, other)
        if both.b < quiet {
          (pairPath.quietFrames, pairPath.quietFrom, pairPath.isUnheard) = (1, frame, isUnheard)
        }
        return true
      }
    }
    return false
  }

  /// Number of frames of an announced fade that are too quiet to recognize; a command may end the fade after those.
  private func unheardFrames(of other: Int, over place: Int) -> Int {
    guard voices[other].heardAt == 0 else { return 0 }
    let fades = circumstances.fades.filter { $0.from == voices[place].track && $0.to == voices[other].track }
    let bound = Int(ExcuseWindow.faintFade.bound) * rate / 1_000_000_000
    return fades.reduce(0) { most, announced in
      let length = Double(announced.fade.length.count)
      let unheard = (1...bound).prefix {
        announced.fade.curve.expectedGains(at: Double($0) / length).incoming <= 1e-5
      }
      return max(most, unheard.count)
    }
  }

  /// Whether a fade may begin while its outgoing track runs dry and is on a ramp of its own.
  private func mayFadeIn(_ other: Int, over place: Int) -> Bool {
    isShort(voices[place].id, voices[place].next)
      && circumstances.fades.contains { $0.from == voices[place].track && $0.to == voices[other].track }
  }

  /// Reports a frame without any explanation.
  mutating func missed(_ left: Float, _ right: Float, after: String) {
    mayBeNonsense =
      isLost || circumstances.mayBeStrange(at: time) || voices.contains { !$0.isSane && $0.heardAt > 0 }
    // The text is not needed for corrupt data or a silent trial.
    if mayBeNonsense || trial?.isTold == false { return fail(.unexplained, expected: "", found: "") }
    var rule = Violation.Rule.unexplained
    if left > 0, case .one(let place) = sound,
      let found = identify(right / left).first
    {
      if found.voice.track != voices[place].track {
        rule = .wrongTrack
      } else {
        rule = found.frame > voices[place].next ? .lostFrames : .repeatedFrames
      }
    }
    fail(rule, expected: "what follows \(after)", found: describe(left, right))
  }

  /// Stops tracking until silence, because a decoder with corrupt data may produce noise.
  mutating func giveUp() {
    (violation, mayBeNonsense, turnings) = (nil, false, [])
    for place in voices.indices { voices[place].gain = 0 }
    fade = nil
    sound = .silence
    grip = .lost
  }
}
