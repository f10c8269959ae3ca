// Takes what is heard apart: which track, which frame, how loud, for every frame. One thread; the hot part of the
// simulator.

import PlaybackModel

/// One frame of one voice.
struct Sounded {
  let source: Signal.Source
  let frame: Int

  var mark: Float { Signal.mark(source, frame) }

  /// The one so many frames after it.
  func later(_ frames: Int) -> Sounded { Sounded(source: source, frame: frame + frames) }
}

/// Follows the voices through the sound.
struct VoiceTracker {
  enum Sound {
    case silence
    /// One voice, by its place among `voices`.
    case one(Int)
    /// Two that have nothing to do with each other.
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
  /// How the gains of a pair have moved.
  var pairPath = PairPath()
  /// A fade that is held: the gate is closed, or was.
  var heldFade: FollowedFade?
  /// Since when it has been silent.
  var silentSince: UInt64 = 0
  /// Orders that were given since: each may have let a frame pass at no gain.
  var ordersInSilence = 0
  /// Frames heard so far, and a digest of them.
  private(set) var frames = 0
  private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var edges: [Edge] = []
  var violation: Violation?
  var ignored: Set<Violation.Rule> = []
  /// Whether what could not be explained may be the noise of a decoder that cannot be believed.
  var mayBeNonsense = false
  /// Whether what is heard is followed.
  var grip = Grip.firm
  /// Whether a track's length is not told.
  var isUntold: (_ track: Int) -> Bool = { _ in false }
  /// Whether a voice may have run dry.
  var isShort: (_ voice: Int, _ frame: Int) -> Bool = { _, _ in false }
  /// Frames from one on that is not what the one before it announced; a few more are heard before they are judged.
  var doubt: [Doubt] = []
  /// The explanation that is being tried for them.
  var trial: Trial?
  /// Where explanations were settled on that may still turn out to be wrong.
  var turnings: [Turning] = []
  /// The time of the frame that is being looked at.
  var time: UInt64 = 0
  /// Takes the box's own sounds out of what is heard.
  var ear: CueEar
  /// By how much each sample may be wrong before any cue is taken out.
  var blur: Float = 0
  private static let level = Double(Signal.level)
  /// So many frames tell what one of them alone does not.
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

  /// Frames were heard, the first of them at `start`.
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

  /// Frames are counted once, whatever they are taken for.
  mutating func keepCount(of other: VoiceTracker) { (frames, digest) = (other.frames, other.digest) }

  /// Hears some frames that nothing has to be found out about. Answers how many they are.
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

  /// Follows one voice as long as it goes on undisturbed. Answers how many frames it took.
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

  /// Hears one frame, of which no cue is a part.
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

  /// The gain at which a frame of a voice would sound like this; nil if it cannot.
  func gain(_ voice: Voice, _ frame: Int, _ left: Float, _ right: Float) -> Double? {
    guard left > 0 else { return nil }
    let mark = Signal.mark(voice.source, frame)
    return abs(right - left * mark) <= 6e-7 * left + error ? Double(left) / Self.level : nil
  }

  /// The gain of the whole at which two voices sound like this with given shares.
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

  /// The gains of two voices that together sound like this, and how exactly that can be told; nil where their marks are
  /// too much alike, no further `apart` than that.
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

  /// Takes a frame of a voice as heard.
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

  /// The frame of a voice that is due, or one so many frames after it.
  func key(_ place: Int, _ offset: Int = 0) -> Sounded {
    Sounded(source: voices[place].source, frame: voices[place].next + offset)
  }

  var limit: Double { circumstances.stepLimit(at: time) }

  /// Frames of a ramp that are lost in what rounding leaves beside a sound of the box's own.
  var framesInNoise: Int { ear.isIdle ? 0 : rate / 100 }

  /// For how many frames a fade may have begun, and be too quiet to be told from none: longer beside something loud.
  var faintest: Int {
    ear.isIdle && (ear.heard.last.map { $0.time + 2_000_000_000 < silentSince } ?? true) ? 80 : 400
  }

  // MARK: Silence

  private mutating func fallSilent() {
    let limit = limit
    // A fade may end on the frame on which its incoming track does.
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

  /// The loudest gain at present.
  var loudness: Double { sounding.reduce(0) { max($0, voices[$1].gain) } }
}
