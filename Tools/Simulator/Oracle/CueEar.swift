// Removes cues and announcements from the recorded output, so that the music can be checked alone. A value; one
// thread.

/// Follows a cue from its first frame to its last, and undoes the ducking of the music.
struct CueEar {
  /// Cue whose beginning was heard.
  struct Heard {
    let cue: Int
    let gain: Float
    let time: UInt64
  }

  private struct Sounding {
    let cue: Int
    let gain: Float
    /// Next frame of the cue.
    var frame: Int
    /// Ramp at its end, if it is stopped early.
    var ending: CueTurn.Ending?

    var isOver: Bool {
      if let ending { return ending.age >= ending.length }
      return frame >= CueSignal.length(cue)
    }

    var sample: Float {
      guard frame < CueSignal.length(cue) else { return 0 }
      let level = ending.map { 1 - Float(max($0.age, 0)) / Float($0.length) } ?? 1
      return CueSignal.sample(cue, frame) * gain * level
    }
  }

  private let rate: Int
  /// Progress of the output's fade-in after the card had stopped, if a cue began on it.
  private var entry: Int?
  private var sounding: Sounding?
  /// Ducking ramp: from one gain to another over a length in frames, and the frames passed.
  private var room: (from: Float, to: Float, length: Int, age: Int) = (1, 1, 0, 0)
  /// All cues whose beginning was heard.
  private(set) var heard: [Heard] = []
  /// Error bound of the right sample of the last stripped frame, relative to the left one.
  private(set) var error: Float = 0

  init(rate: Int) { self.rate = rate }

  /// Whether no cue sounds and no ducking is in effect.
  var isIdle: Bool { sounding == nil && room.to == 1 && room.age >= room.length }

  private var gain: Float {
    if room.age >= room.length { return room.to }
    return room.from + (room.to - room.from) * (Float(room.age) / Float(room.length))
  }

  private mutating func turn(to gain: Float, over length: Int) { room = (self.gain, gain, length, 0) }

  /// The cue that currently sounds.
  var current: Int? { sounding.flatMap { $0.isOver ? nil : $0.cue } }

  /// Length of the output's fade-in, in frames.
  private var entryLength: Int { rate * 8 / 1000 }

  /// Begins or stops a cue with the next frame.
  /// - Returns: False if that is impossible, because only one cue sounds at a time.
  mutating func take(_ turn: CueTurn, at time: UInt64) -> Bool {
    switch turn.kind {
    case .begins(let cue, let gain, let frame, let entry, let isRoomMade):
      guard sounding?.isOver != false else { return false }
      // The next of several cues begins where the previous one ends, with the ducking unchanged.
      if room.to != CueSignal.duck(cue) {
        self.turn(to: CueSignal.duck(cue), over: isRoomMade ? 0 : rate / 20)
        room.age = frame
      }
      sounding = Sounding(cue: cue, gain: gain, frame: frame, ending: turn.ending)
      self.entry = entry
      heard.append(Heard(cue: cue, gain: gain, time: time))
    case .stops:
      guard sounding?.isOver == false, sounding?.ending == nil else { return false }
      sounding?.ending = turn.ending
    }
    return true
  }

  /// The right sample of a turn's first frame, without music.
  func first(of turn: CueTurn) -> Float {
    var copy = self
    guard copy.take(turn, at: 0), let sounding = copy.sounding else { return 0 }
    return sounding.sample * copy.entryGain
  }

  private var entryGain: Float { entry.map { min(1, Float($0) / Float(entryLength)) } ?? 1 }

  /// Returns a frame without the cue and its ducking.
  /// - Parameter blur: Error bound of each input sample.
  mutating func strip(_ left: Float, _ right: Float, blur: Float) -> (left: Float, right: Float) {
    if sounding?.isOver == true {
      sounding = nil
      turn(to: 1, over: rate / 5)
    }
    var error: Float = 0
    var music = right
    if let cue = sounding {
      let own = cue.sample * entryGain
      music -= own
      error = 4e-7 * abs(own) + 1.2e-7 * abs(right)
      sounding?.frame += 1
      sounding?.ending?.age += 1
      entry = entry.flatMap { $0 + 1 < entryLength ? $0 + 1 : nil }
    }
    let gain = gain
    room.age += 1
    let isSilent = abs(left) <= blur && abs(music) <= error + blur
    self.error = (error + (1 + Signal.maxMark) * blur) / gain
    return isSilent ? (0, 0) : (left / gain, music / gain)
  }

  /// Forgets the cue: after a card failure or a reboot its position is unknown.
  mutating func forget() {
    sounding = nil
    entry = nil
    room = (1, 1, 0, 0)
  }
}
