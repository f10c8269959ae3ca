// Takes the box's own sounds and its announcements out of what is heard. A value; one thread.

/// Follows a cue from its first frame to its last, and the room that music makes for it: behind the ear the music is as if
/// there were no cue, and is judged as if there were none.
struct CueEar {
  /// A cue that was heard.
  struct Heard {
    let cue: Int
    let gain: Float
    let time: UInt64
  }

  private struct Sounding {
    let cue: Int
    let gain: Float
    /// The frame that is heard next.
    var frame: Int
    /// Of one that is stopped, or will be.
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
  /// How far the output's own ramp is, with which it begins anew after the card had stopped, while a sound is on it.
  private var entry: Int?
  private var sounding: Sounding?
  /// The room that is made: from a gain to a gain, over so many frames, of which some have passed.
  private var room: (from: Float, to: Float, length: Int, age: Int) = (1, 1, 0, 0)
  /// All cues whose beginning was heard.
  private(set) var heard: [Heard] = []
  /// By how much the right sample of the last frame may be wrong without its cue, and without the room, judged by the left one.
  private(set) var error: Float = 0

  init(rate: Int) { self.rate = rate }

  /// Whether nothing is to be taken out.
  var isIdle: Bool { sounding == nil && room.to == 1 && room.age >= room.length }

  private var gain: Float {
    if room.age >= room.length { return room.to }
    return room.from + (room.to - room.from) * (Float(room.age) / Float(room.length))
  }

  private mutating func turn(to gain: Float, over length: Int) { room = (self.gain, gain, length, 0) }

  /// The sound of which something is heard now.
  var current: Int? { sounding.flatMap { $0.isOver ? nil : $0.cue } }

  /// How many frames the output's own ramp has.
  private var entryLength: Int { rate * 8 / 1000 }

  /// Takes it that a cue begins, or that one is stopped, with the next frame. Answers whether it may: one sounds at a time.
  mutating func take(_ turn: CueTurn, at time: UInt64) -> Bool {
    switch turn.kind {
    case .begins(let cue, let gain, let frame, let entry, let isRoomMade):
      guard sounding?.isOver != false else { return false }
      // The next of several begins where the one before it ends.
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

  /// What the first frame of a turn has on the right where there is no music.
  func first(of turn: CueTurn) -> Float {
    var copy = self
    guard copy.take(turn, at: 0), let sounding = copy.sounding else { return 0 }
    return sounding.sample * copy.entryGain
  }

  private var entryGain: Float { entry.map { min(1, Float($0) / Float(entryLength)) } ?? 1 }

  /// What of a frame is music, where each sample may be wrong by `blur`.
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

  /// Nobody knows how far it is: the card has stopped, or another box is on.
  mutating func forget() {
    sounding = nil
    entry = nil
    room = (1, 1, 0, 0)
  }
}
