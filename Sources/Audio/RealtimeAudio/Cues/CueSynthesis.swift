// Synthesis of the built-in cues. Each sample is a pure function of its frame number, so that rendering again after a
// rewind gives the same result. Audio thread: no locks, no allocation.

import PlaybackModel

/// One note of a cue.
struct CueNote: Sendable {
  /// Seconds from the start of the cue.
  let start: Double
  /// Duration in seconds.
  let length: Double
  let hertz: Double
  let left: Float
  let right: Float
  /// Whether the level is constant; otherwise it decays like a struck string.
  let isSteady: Bool

  @_noLocks @_noAllocation
  init(_ hertz: Double, at start: Double, for length: Double, level: Float = 0.5) {
    self.start = start
    self.length = length
    self.hertz = hertz
    left = level
    right = level
    isSteady = false
  }

  @_noLocks @_noAllocation
  init(steady hertz: Double, at start: Double, for length: Double, left: Float, right: Float) {
    self.start = start
    self.length = length
    self.hertz = hertz
    self.left = left
    self.right = right
    isSteady = true
  }

  /// The sample at level 1.
  ///
  /// - Parameter time: Seconds from the start of the note.
  @_noLocks @_noAllocation
  func value(at time: Double) -> Float {
    let edge = 0.01
    var envelope = Self.smooth(time / edge) * Self.smooth((length - time) / edge)
    if !isSteady {
      let rest = 1 - time / length
      envelope *= rest * rest
    }
    let turns = hertz * time
    var sound = Self.sine(turns)
    // A little of the octave above, because small speakers reproduce low fundamentals poorly.
    if !isSteady { sound = 0.8 * sound + 0.2 * Self.sine(2 * turns) }
    return Float(envelope * sound)
  }

  /// Smoothstep: 0 for x <= 0, 1 for x >= 1, and a smooth curve between them.
  @_noLocks @_noAllocation
  private static func smooth(_ x: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    return x * x * (3 - 2 * x)
  }

  /// Sine of a non-negative number of turns, from the Taylor series on a quarter turn; accurate to 24 bits.
  @_noLocks @_noAllocation
  private static func sine(_ turns: Double) -> Double {
    var x = turns - Double(Int64(turns))
    if x > 0.75 { x -= 1 } else if x > 0.25 { x = 0.5 - x }
    let a = x * 2 * Double.pi
    let b = a * a
    return a
      * (1 - b / 6 * (1 - b / 20 * (1 - b / 42 * (1 - b / 72 * (1 - b / 110 * (1 - b / 156))))))
  }
}

extension CueName {
  /// The cue's n-th note, or nil beyond the last. Errors have falling notes, each category its own; confirmations have
  /// rising notes.
  @_noLocks @_noAllocation
  func note(_ n: Int) -> CueNote? {
    switch (self, n) {
    case (.ready, 0): CueNote(523.25, at: 0, for: 0.3)
    case (.ready, 1): CueNote(783.99, at: 0.12, for: 0.48)
    case (.errorFile, 0): CueNote(440, at: 0, for: 0.25)
    case (.errorFile, 1): CueNote(329.63, at: 0.16, for: 0.44)
    case (.errorNetwork, 0): CueNote(587.33, at: 0, for: 0.15)
    case (.errorNetwork, 1): CueNote(587.33, at: 0.16, for: 0.15)
    case (.errorNetwork, 2): CueNote(392, at: 0.32, for: 0.38)
    case (.errorOutput, 0): CueNote(293.66, at: 0, for: 0.3)
    case (.errorOutput, 1): CueNote(293.66, at: 0.3, for: 0.4)
    case (.errorStorage, 0): CueNote(523.25, at: 0, for: 0.2)
    case (.errorStorage, 1): CueNote(415.3, at: 0.14, for: 0.2)
    case (.errorStorage, 2): CueNote(329.63, at: 0.28, for: 0.42)
    case (.errorInternal, 0): CueNote(233.08, at: 0, for: 0.6, level: 0.35)
    case (.errorInternal, 1): CueNote(329.63, at: 0, for: 0.6, level: 0.35)
    case (.volumeLimit, 0): CueNote(880, at: 0, for: 0.14)
    case (.sleepTimer, 0): CueNote(659.26, at: 0, for: 0.35)
    case (.sleepTimer, 1): CueNote(523.25, at: 0.2, for: 0.35)
    case (.sleepTimer, 2): CueNote(392, at: 0.4, for: 0.6)
    case (.storage, 0): CueNote(392, at: 0, for: 0.2)
    case (.storage, 1): CueNote(523.25, at: 0.12, for: 0.2)
    case (.storage, 2): CueNote(659.26, at: 0.24, for: 0.4)
    case (.storageWait, 0): CueNote(392, at: 0, for: 0.2)
    case (.storageWait, 1): CueNote(392, at: 0.3, for: 0.2)
    case (.storageWait, 2): CueNote(392, at: 0.6, for: 0.4)
    case (.alarm, 0): CueNote(659.26, at: 0, for: 0.3)
    case (.alarm, 1): CueNote(880, at: 0.18, for: 0.3)
    case (.alarm, 2): CueNote(659.26, at: 0.36, for: 0.3)
    case (.alarm, 3): CueNote(880, at: 0.54, for: 0.6)
    case (.tagUnknown, 0): CueNote(440, at: 0, for: 0.2)
    case (.tagUnknown, 1): CueNote(369.99, at: 0.16, for: 0.4)
    case (.tagLearnt, 0): CueNote(523.25, at: 0, for: 0.2)
    case (.tagLearnt, 1): CueNote(783.99, at: 0.14, for: 0.5)
    case (.limit, 0): CueNote(523.25, at: 0, for: 0.3)
    case (.limit, 1): CueNote(440, at: 0.22, for: 0.3)
    case (.limit, 2): CueNote(349.23, at: 0.44, for: 0.7)
    case (.notSaved, 0): CueNote(698.46, at: 0, for: 0.15)
    case (.notSaved, 1): CueNote(554.37, at: 0.14, for: 0.15)
    case (.notSaved, 2): CueNote(698.46, at: 0.28, for: 0.15)
    case (.notSaved, 3): CueNote(349.23, at: 0.42, for: 0.6)
    case (.configuration, 0): CueNote(523.25, at: 0, for: 0.2)
    case (.configuration, 1): CueNote(783.99, at: 0.14, for: 0.2)
    case (.configuration, 2): CueNote(739.99, at: 0.32, for: 0.2)
    case (.configuration, 3): CueNote(587.33, at: 0.46, for: 0.5)
    case (.testTone, 0): CueNote(steady: 440, at: 0, for: 1, left: 0.5, right: 0)
    case (.testTone, 1): CueNote(steady: 440, at: 1, for: 1, left: 0, right: 0.5)
    default: nil
    }
  }

  /// Length of the cue.
  var length: Seconds {
    @_noLocks @_noAllocation get {
      var end = 0.0
      var n = 0
      while let note = note(n) {
        end = max(end, note.start + note.length)
        n += 1
      }
      return Seconds(end)
    }
  }
}
