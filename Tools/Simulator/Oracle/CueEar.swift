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
    var frame = 0

    var isOver: Bool { frame >= CueSignal.length(cue) }
  }

  private let rate: Int
  private var sounding: Sounding?
  /// The room that is made: from a gain to a gain, over so many frames, of which some have passed.
  private var room: (from: Float, to: Float, length: Int, age: Int) = (1, 1, 0, 0)
  /// All cues whose beginning was heard.
  private(set) var heard: [Heard] = []
  /// By how much the right sample of the last frame may be wrong without its cue.
  private(set) var error: Float = 0

  init(rate: Int) { self.rate = rate }

  /// Whether nothing is to be taken out.
  var isIdle: Bool { sounding == nil && room.to == 1 && room.age >= room.length }

  private var gain: Float {
    if room.age >= room.length { return room.to }
    return room.from + (room.to - room.from) * (Float(room.age) / Float(room.length))
  }

  private mutating func turn(to gain: Float, over length: Int) { room = (self.gain, gain, length, 0) }

  /// A cue begins with the next frame. Answers whether it may: one at a time.
  mutating func begin(_ cue: Int, gain: Float, at time: UInt64) -> Bool {
    guard sounding?.isOver != false else { return false }
    // The next of several begins where the one before it ends.
    if room.to != CueSignal.duck(cue) { turn(to: CueSignal.duck(cue), over: rate / 20) }
    sounding = Sounding(cue: cue, gain: gain)
    heard.append(Heard(cue: cue, gain: gain, time: time))
    return true
  }

  /// What of a frame is music, where each sample may be wrong by `blur`.
  mutating func strip(_ left: Float, _ right: Float, blur: Float) -> (left: Float, right: Float) {
    if sounding?.isOver == true {
      sounding = nil
      turn(to: 1, over: rate / 5)
    }
    error = 0
    var music = right
    if let cue = sounding {
      let own = CueSignal.sample(cue.cue, cue.frame) * cue.gain
      music -= own
      error = 4e-7 * abs(own) + 1.2e-7 * abs(right)
      sounding?.frame += 1
    }
    let gain = gain
    room.age += 1
    let isSilent = abs(left) <= blur && abs(music) <= error + blur
    error /= gain
    return isSilent ? (0, 0) : (left / gain, music / gain)
  }

  /// Nobody knows how far it is: the card has stopped, or another box is on.
  mutating func forget() {
    sounding = nil
    room = (1, 1, 0, 0)
  }
}
