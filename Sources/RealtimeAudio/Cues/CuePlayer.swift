// The cue that sounds, those that wait for it to end, and how far what is played makes room for them. Part of
// the mixer's restorable state; audio thread; may not lock or allocate.

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

/// What becomes of the cues that were asked for.
struct CuePlayer: Sendable {
  /// How much quieter what is played gets: -12 dB.
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

  private(set) var running: CueRun?
  private var waiting = InlineArray<2, CueRun?>(repeating: nil)
  private var waitingCount = 0
  /// The gain of what is played.
  private(set) var duck = Ramp.constant(1)

  @_noLocks @_noAllocation init() {}

  var isIdle: Bool {
    @_noLocks @_noAllocation get { running == nil }
  }

  /// Starts a cue, or lets it wait for those before it. One that sounds or waits already is not said twice.
  @_noLocks @_noAllocation
  mutating func play(_ sound: CueSound, gain: Gain, at frame: Int64, rate: SampleRate) {
    let length = sound.length(rate).count
    guard let running else {
      self.running = CueRun(sound, gain: gain.factor, start: frame, length: length)
      turnDuck(to: Self.duckedGain, over: rate.frames(Self.duckingTime), at: frame)
      return
    }
    guard !running.sound.isSame(as: sound), waitingCount < Self.room else { return }
    var i = 0
    while i < waitingCount {
      if let other = waiting[i], other.sound.isSame(as: sound) { return }
      i += 1
    }
    waiting[waitingCount] = CueRun(sound, gain: gain.factor, start: 0, length: length)
    waitingCount += 1
  }

  /// Ends the cue whose last frame was before `frame`; the next begins there.
  @_noLocks @_noAllocation
  mutating func pass(_ frame: Int64, rate: SampleRate) {
    guard let over = running, frame >= over.end else { return }
    guard waitingCount > 0, let next = waiting[0] else {
      running = nil
      return turnDuck(to: 1, over: rate.frames(Self.returnTime), at: frame)
    }
    running = CueRun(next.sound, gain: next.gain, start: frame, length: next.length)
    waiting[0] = waiting[1]
    waitingCount -= 1
  }

  @_noLocks @_noAllocation
  private mutating func turnDuck(to gain: Float, over time: Frames, at frame: Int64) {
    duck = Ramp(from: duck.value(at: frame), to: gain, start: frame, length: time.count)
  }
}
