// What sounds over the music: the box's own cues, one after another, and the announcement on the third deck; and how far
// what is played makes room for them. Part of the mixer's restorable state; audio thread; may not lock or allocate.

import PlaybackModel

/// A cue with its loudness, and where it lies on the timeline.
struct CueRun: Sendable {
  let sound: CueSound
  let gain: Float
  let start: Int64
  let length: Int64

  @_noLocks @_noAllocation
  init(_ sound: CueSound, gain: Float, start: Int64, length: Int64) {
    self.sound = sound
    self.gain = gain
    self.start = start
    self.length = length
  }

  /// The first frame that it does not sound on any more.
  var end: Int64 {
    @_noLocks @_noAllocation get { start + length }
  }
}

/// What becomes of the cues and the announcement that were asked for. One sounds at a time.
struct Announcer: Sendable {
  /// How much quieter what is played gets for a cue: -12 dB.
  static var duckedGain: Float {
    @_noLocks @_noAllocation get { 0.25118864 }
  }
  private static var duckingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.05) }
  }
  private static var returnTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.2) }
  }
  /// Cues that may wait. Whoever asks for more than that says too much.
  private static var room: Int {
    @_noLocks @_noAllocation get { 2 }
  }

  /// The cue that sounds.
  private(set) var running: CueRun?
  private var waiting = InlineArray<2, CueRun?>(repeating: nil)
  private var waitingCount = 0
  /// The third deck: its ring is read past volume and gate.
  var deck = DeckState()
  /// The number of the announcement on the deck.
  private(set) var id: UInt32 = 0
  /// How loud the announcement is.
  var gain = Ramp.constant(1)
  /// The gain of what is played beside the announcement.
  private var announcementDuck: Float = 1
  /// The gain of what is played.
  private(set) var duck = Ramp.constant(1)

  @_noLocks @_noAllocation init() {}

  /// Whether nothing sounds and nothing waits.
  var isIdle: Bool {
    @_noLocks @_noAllocation get { running == nil && deck.ring == nil }
  }

  /// Whether the announcement has begun and is not over; it may have run dry.
  var hasBegun: Bool {
    @_noLocks @_noAllocation get {
      switch deck.activity {
      case .running, .stopping, .starved: true
      case .empty, .cued, .ended: false
      }
    }
  }

  /// Starts a cue, or lets it wait for what sounds. One that sounds or waits already is not said twice.
  @_noLocks @_noAllocation
  mutating func play(_ sound: CueSound, gain: Gain, at frame: Int64, rate: SampleRate) {
    let run = CueRun(sound, gain: gain.factor, start: frame, length: sound.length(rate).count)
    if isIdle { return start(run, at: frame, rate: rate) }
    if let running, running.sound.isSame(as: sound) { return }
    guard waitingCount < Self.room else { return }
    var i = 0
    while i < waitingCount {
      if let other = waiting[i], other.sound.isSame(as: sound) { return }
      i += 1
    }
    waiting[waitingCount] = run
    waitingCount += 1
  }

  /// Puts an announcement on the deck, where it waits.
  @_noLocks @_noAllocation
  mutating func take(_ id: UInt32, _ deck: DeckState, gain: Gain, duck: Gain) {
    self.id = id
    self.deck = deck
    self.gain = .constant(gain.factor)
    announcementDuck = min(1, max(0, duck.factor))
  }

  /// Lets the announcement sound from a frame on.
  @_noLocks @_noAllocation
  mutating func begin(at frame: Int64, rate: SampleRate) {
    deck.activity = .running
    deck.level = .constant(1)
    deck.judgedFrame = frame
    deck.startFrame = frame
    turnDuck(to: announcementDuck, over: rate.frames(Self.duckingTime), at: frame)
  }

  /// Ends the cue whose last frame was before `frame`.
  @_noLocks @_noAllocation
  mutating func passCue(_ frame: Int64) {
    if let over = running, frame >= over.end { running = nil }
  }

  /// Nothing sounds: the next cue begins, or what is played gets its room back. Whether one has begun.
  @_noLocks @_noAllocation
  mutating func startNext(at frame: Int64, rate: SampleRate) -> Bool {
    guard waitingCount > 0, let next = waiting[0] else {
      turnDuck(to: 1, over: rate.frames(Self.returnTime), at: frame)
      return false
    }
    waiting[0] = waiting[1]
    waiting[1] = nil
    waitingCount -= 1
    start(CueRun(next.sound, gain: next.gain, start: frame, length: next.length), at: frame, rate: rate)
    return true
  }

  @_noLocks @_noAllocation
  private mutating func start(_ run: CueRun, at frame: Int64, rate: SampleRate) {
    running = run
    turnDuck(to: Self.duckedGain, over: rate.frames(Self.duckingTime), at: frame)
  }

  /// What is played, of which nothing is heard now, is as loud at once as it is to be.
  @_noLocks @_noAllocation
  mutating func endDuckRamp() { duck = .constant(duck.to) }

  @_noLocks @_noAllocation
  private mutating func turnDuck(to gain: Float, over time: Frames, at frame: Int64) {
    guard duck.to != gain else { return }
    duck = Ramp(from: duck.value(at: frame), to: gain, start: frame, length: time.count)
  }
}
