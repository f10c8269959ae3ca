// Cues and announcements that play over the music, and the ducking of the music below them. Part of the mixer's
// restorable state. Audio thread: no locks, no allocation.

import PlaybackModel

/// A cue with its gain and its position on the timeline.
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

  /// The frame after its last one.
  var end: Int64 {
    @_noLocks @_noAllocation get { start + length }
  }
}

/// The playing cue, the waiting cues and the announcement deck. Only one of them is audible at a time.
struct Announcer: Sendable {
  /// Gain of the music during a cue: -12 dB.
  static var duckedGain: Float {
    @_noLocks @_noAllocation get { 0.25118864 }
  }
  private static var duckingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.05) }
  }
  private static var returnTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.2) }
  }
  /// Maximum number of waiting cues; further ones are dropped.
  private static var room: Int {
    @_noLocks @_noAllocation get { 2 }
  }

  /// The playing cue.
  private(set) var running: CueRun?
  private var waiting = InlineArray<2, CueRun?>(repeating: nil)
  private var waitingCount = 0
  /// The third deck, for announcements. It bypasses volume and gate.
  var deck = DeckState()
  /// Id of the announcement on the deck.
  private(set) var id: UInt32 = 0
  /// Gain of the announcement.
  var gain = Ramp.constant(1)
  /// Gain of the music during the announcement.
  private var announcementDuck: Float = 1
  /// Present gain of the music.
  private(set) var duck = Ramp.constant(1)

  @_noLocks @_noAllocation init() {}

  /// Whether no cue or announcement is playing or waiting.
  var isIdle: Bool {
    @_noLocks @_noAllocation get { running == nil && deck.ring == nil }
  }

  /// Whether the announcement has started and not ended; it may be starved.
  var hasBegun: Bool {
    @_noLocks @_noAllocation get {
      switch deck.activity {
      case .running, .stopping, .starved: true
      case .empty, .cued, .ended: false
      }
    }
  }

  /// Starts a cue, or queues it behind the playing one. A cue that is already playing or waiting is not queued again.
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

  /// Cues an announcement on the deck.
  @_noLocks @_noAllocation
  mutating func take(_ id: UInt32, _ deck: DeckState, gain: Gain, duck: Gain) {
    self.id = id
    self.deck = deck
    self.gain = .constant(gain.factor)
    announcementDuck = min(1, max(0, duck.factor))
  }

  /// Starts the cued announcement at a frame.
  @_noLocks @_noAllocation
  mutating func begin(at frame: Int64, rate: SampleRate) {
    deck.activity = .running
    deck.level = .constant(1)
    deck.judgedFrame = frame
    deck.startFrame = frame
    turnDuck(to: announcementDuck, over: rate.frames(Self.duckingTime), at: frame)
  }

  /// Removes the playing cue if it ended before `frame`.
  @_noLocks @_noAllocation
  mutating func passCue(_ frame: Int64) {
    if let over = running, frame >= over.end { running = nil }
  }

  /// Starts the next waiting cue; without one, ramps the music back to full level.
  ///
  /// - Returns: Whether a cue has started.
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

  /// Completes the ducking ramp at once, while the music is inaudible.
  @_noLocks @_noAllocation
  mutating func endDuckRamp() { duck = .constant(duck.to) }

  @_noLocks @_noAllocation
  private mutating func turnDuck(to gain: Float, over time: Frames, at frame: Int64) {
    guard duck.to != gain else { return }
    duck = Ramp(from: duck.value(at: frame), to: gain, start: frame, length: time.count)
  }
}
