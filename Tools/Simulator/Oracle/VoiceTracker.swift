// Voice tracker: determines track, frame and gain of everything in the recorded output. One thread; the most
// time-critical part of the simulator.

import PlaybackModel

/// Frame of a voice.
struct Sounded {
  let source: Signal.Source
  let frame: Int

  var mark: Float { Signal.mark(source, frame) }

  /// The frame at an offset after this one.
  func later(_ frames: Int) -> Sounded { Sounded(source: source, frame: frame + frames) }
}

/// Follows the voices through the recorded output. Extensions handle fades, pairs, silence, cues and ambiguous
/// frames.
struct VoiceTracker {
  enum Sound {
    case silence
    /// One voice; an index into `voices`.
    case one(Int)
    /// Two independent voices.
    case pair(Int, Int)
    case fade
  }

  struct Doubt {
    let left: Float
    let right: Float
    let time: UInt64
  }

  let rate: Int
  let lengths: [Int]
  var circumstances: Circumstances
  var voices: [Voice] = []
  var sound = Sound.silence
  var fade: FollowedFade?
  /// Gain history of a pair.
  var pairPath = PairPath()
  /// Fade that is held by a pause.
  var heldFade: FollowedFade?
  /// Since when the output is silent.
  var silentSince: UInt64 = 0
  /// Commands given during silence; each may have let a frame pass with zero gain.
  var ordersInSilence = 0
  /// Number of frames heard, and a hash of them.
  private(set) var frames = 0
  private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var edges: [Edge] = []
  var violation: Violation?
  var ignored: Set<Violation.Rule> = []
  /// Whether an unexplained frame may come from a decoder with corrupt data.
  var mayBeNonsense = false
  /// Whether the output is being tracked.
  var grip = Grip.firm
  /// Returns whether a track's length is unstated.
  var isUntold: (_ track: Int) -> Bool = { _ in false }
  /// Returns whether a voice may have run dry at a frame.
  var isShort: (_ voice: Int, _ frame: Int) -> Bool = { _, _ in false }
  /// Unexpected frames that are explained together once there are enough.
  var doubt: [Doubt] = []
  /// Trial in progress.
  var trial: Trial?
  /// Recent explanations that may still be revised.
  var turnings: [Turning] = []
  /// Time of the frame being processed, in nanoseconds.
  var time: UInt64 = 0
  /// Removes cues from the output.
  var ear: CueEar
  /// Error bound of each sample, before cues are removed.
  var blur: Float = 0
  private static let level = Double(Signal.level)
  /// Number of frames that confirm an explanation.
  static let confirmations = 12

  init(rate: Int, lengths: [Int]) {
    self.rate = rate
    self.lengths = lengths
    circumstances = Circumstances(rate: rate)
    ear = CueEar(rate: rate)
  }

  mutating func fail(_ rule: Violation.Rule, expected: String, found: String) {
    guard violation == nil, !ignored.contains(rule) else { return }
    violation = Violation(rule, at: time, expected: expected, found: found)
  }

  mutating func note(_ kind: Edge.Kind, _ voice: Voice, _ fade: FollowedFade? = nil) {
    if edges.count >= 64 { edges.removeFirst(32) }
    edges.append(
      Edge(kind: kind, voice: voice.id, track: voice.track, frame: voice.next, time: time, fade: fade))
  }

  // MARK: Listening

  /// Processes frames of the output.
  /// - Parameters:
  ///   - samples: Interleaved stereo.
  ///   - count: Number of frames.
  ///   - start: When the first frame was heard, in nanoseconds.
  mutating func hear(_ samples: UnsafePointer<Float>, count: Int, at start: UInt64) {
    guard violation == nil else { return }
    var i = 0
    let perFrame = 1e9 / Double(rate)
    while i < count, violation == nil {
      time = start + UInt64(Double(i) * perFrame)
      let first = i
      if doubt.isEmpty {
        i += hearNext(samples + 2 * i, count - i)
        remember(samples + 2 * first, i - first, at: start + UInt64(Double(first) * perFrame))
      } else {
        remember(samples + 2 * i, 1, at: time)
        doubt.append(Doubt(left: samples[2 * i], right: samples[2 * i + 1], time: time))
        if doubt.count >= Self.confirmations || samples[2 * i] == 0 { settleDoubt() }
        i += 1
      }
      if violation != nil { goBack() }
      if violation != nil, mayBeNonsense { giveUp() }
    }
    frames += count
    var k = 0
    while k < count {
      digest = (digest ^ UInt64(samples[2 * k + 1].bitPattern)) &* 0x100_0000_01B3
      k += 8
    }
  }

  /// Copies the frame count and hash, which do not depend on explanations.
  mutating func keepCount(of other: VoiceTracker) { (frames, digest) = (other.frames, other.digest) }

  /// Processes frames that continue the present sound.
  /// - Returns: Number of frames processed.
  private mutating func hearNext(_ samples: UnsafePointer<Float>, _ count: Int) -> Int {
    switch sound {
    case .silence where ear.isIdle:
      var i = 0
      while i < count, samples[2 * i] == 0, samples[2 * i + 1] == 0 { i += 1 }
      digest = (digest ^ UInt64(i)) &* 0x100_0000_01B3
      if i > 0 { fallQuiet() }
      guard i < count else { return i }
      time += UInt64(Double(i) * 1e9 / Double(rate))
      hearFrame(samples[2 * i], samples[2 * i + 1])
      return i + 1
    case .one(let place) where ear.isIdle: return hearOne(place, samples, count)
    default:
      hearFrame(samples[0], samples[1])
      return 1
    }
  }

  /// Follows one voice as long as it continues undisturbed. Hot loop.
  /// - Returns: Number of frames processed.
  private mutating func hearOne(_ place: Int, _ samples: UnsafePointer<Float>, _ count: Int) -> Int {
    var voice = voices[place]
    var taken = 0
    let limit = Float(circumstances.stepLimit(at: time) * Self.level)
    let error = error
    var last = Float(voice.gain * Self.level)
    let source = voice.source
    let available = voice.isGone(at: time) ? 0 : min(count, voice.end - voice.next)
    while taken < available {
      let left = samples[2 * taken]
      let right = samples[2 * taken + 1]
      let mark = Signal.mark(source, voice.next + taken)
      guard left > 0, abs(right - left * mark) <= 6e-7 * left + error, abs(left - last) <= limit else {
        break
      }
      last = left
      taken += 1
    }
    if taken > 3 {
      voice.entrance.slope = Double(last - samples[0]) / Double(taken - 1) / Self.level
    }
    if taken > 0 {
      voice.gain = Double(last) / Self.level
      voice.next += taken
      voice.heardAt = time + UInt64(Double(taken) * 1e9 / Double(rate))
      voices[place] = voice
      return taken
    }
    hearFrame(samples[0], samples[1])
    return 1
  }

  /// Processes one frame without cues.
  mutating func hearMusic(_ left: Float, _ right: Float) {
    if left == 0, right == 0 { return fallSilent() }
    if left < -0.001, circumstances.mayBeStrange(at: time) { return giveUp() }
    if left < -0.001 {
      return fail(
        .releasedRing, expected: "sound of a track", found: "what lies in rings that were given back")
    }
    switch sound {
    case .silence: wakeUp(left, right)
    case .one(let place): leaveOne(place, left, right)
    case .pair(let a, let b): followPair(a, b, left, right)
    case .fade: followFade(left, right)
    }
  }

  // MARK: One frame

  /// The gain at which a voice's frame would produce these samples; nil if it cannot.
  func gain(_ voice: Voice, _ frame: Int, _ left: Float, _ right: Float) -> Double? {
    guard left > 0 else { return nil }
    let mark = Signal.mark(voice.source, frame)
    return abs(right - left * mark) <= 6e-7 * left + error ? Double(left) / Self.level : nil
  }

  /// The overall gain at which two voices in given shares would produce these samples; nil if they cannot.
  func master(
    _ a: Sounded, _ shareA: Double, _ b: Sounded, _ shareB: Double,
    _ left: Float, _ right: Float
  ) -> Double? {
    let sum = shareA + shareB
    guard sum > 0, left > 0 else { return nil }
    let master = Double(left) / (Self.level * sum)
    let marks =
      shareA * Double(a.mark) + shareB * Double(b.mark)
    let error = 1.5e-6 * Double(left) + Double(error)
    return abs(Double(right) - Self.level * master * marks) <= error ? master : nil
  }

  /// The gains at which two voices would produce these samples; nil if their marks differ by less than `apart`.
  func gains(
    _ a: Sounded, _ b: Sounded, _ left: Float, _ right: Float, apart: Double = 0.02
  ) -> PairGains? {
    let (markA, markB) = (Double(a.mark), Double(b.mark))
    guard abs(markA - markB) > apart else { return nil }
    let sum = Double(left) / Self.level
    let weighted = Double(right) / Self.level
    let gainA = (weighted - sum * markB) / (markA - markB)
    let error = 2e-6 * abs(sum) + Double(error) / Self.level
    return PairGains(a: gainA, b: sum - gainA, error: error / abs(markA - markB))
  }

  /// Records a frame of a voice as heard.
  mutating func take(_ place: Int, frame: Int, gain: Double) {
    voices[place].next = frame + 1
    voices[place].gain = gain
    if voices[place].heardAt == 0 { voices[place].beganAt = time }
    if gain * Self.level > 50 * Double(error) { voices[place].entrance.isSure = true }
    voices[place].heardAt = time
    if voices[place].isGone(at: time) {
      fail(
        .releasedRing, expected: "nothing of a decoder that is gone",
        found: "frame \(frame) of track \(voices[place].track)")
    }
  }

  /// The next frame of a voice, or the one at an offset after it.
  func key(_ place: Int, _ offset: Int = 0) -> Sounded {
    Sounded(source: voices[place].source, frame: voices[place].next + offset)
  }

  var limit: Double { circumstances.stepLimit(at: time) }

  /// Frames of a ramp that rounding may hide while a cue sounds.
  var framesInNoise: Int { ear.isIdle ? 0 : rate / 100 }

  /// Frames after which a fade must be recognizable; more beside something loud.
  var faintest: Int {
    ear.isIdle && (ear.heard.last.map { $0.time + 2_000_000_000 < silentSince } ?? true) ? 80 : 400
  }

  // MARK: Silence

  private mutating func fallSilent() {
    let limit = limit
    // A fade may end on the same frame as its incoming track.
    let isComplete = fade.map { $0.place + $0.pace >= $0.length - 1e-6 && voices[$0.to].isAtEnd } ?? false
    for place in sounding where !voices[place].isFinished && voices[place].isSane && !isComplete {
      let gain = voices[place].gain
      if gain > limit {
        fail(
          .cut, expected: "a ramp to silence",
          found: "track \(voices[place].track) cut at frame \(voices[place].next) with gain \(short(gain))")
      }
    }
    holdFade()
    for place in sounding { note(voices[place].isAtEnd ? .ended : .silenced, voices[place]) }
    for place in voices.indices { voices[place].gain = 0 }
    fade = nil
    sound = .silence
    silentSince = time
    fallQuiet()
    ordersInSilence = 0
  }

  /// The voices that sound.
  var sounding: [Int] {
    switch sound {
    case .silence: []
    case .one(let place): [place]
    case .pair(let a, let b): [a, b]
    case .fade: fade.map { [$0.from, $0.to] } ?? []
    }
  }

  /// The highest gain at present.
  var loudness: Double { sounding.reduce(0) { max($0, voices[$1].gain) } }
}
