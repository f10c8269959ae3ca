// What the oracle knows besides the sound: what was asked for, what broke, and which fades were announced. One thread.

import PlaybackModel

/// What may explain an edge in what is heard.
struct Circumstances {
  let rate: Int
  /// The volume as it was asked for last, before that, and when.
  var volume = 1.0
  var formerVolume = 1.0
  var volumeChangedAt: UInt64 = 0
  /// The loudest that may be heard at present: the volume, or a former one that was louder and may not have gone yet.
  private(set) var ceiling = 1.0
  /// When something last happened that may move gains: an action, or a report of a part.
  var disturbedAt: UInt64 = 0
  /// Until when frames may be missing because the card stopped, and how many.
  var jumpsUntil: UInt64 = 0
  var jump = 0
  /// In how large steps the card says where it is.
  var step = 0
  /// Whether the box has sounds of its own, for which the music makes room.
  var hasCues = false
  /// Whether an alarm has rung with the box's own sound.
  var hasAlarm = false
  /// Until when one of these may be heard as the oracle does not know it: built in, because its own file is not loaded
  /// yet, or interrupted by a card that has stopped.
  var strangeCuesUntil: UInt64 = 0
  /// Until when announcements may be stopped because somebody asked for it.
  var announcementStopsUntil: UInt64 = 0
  /// Those that may begin now, by number, and how loud.
  var dueCues: [Int] = []
  var cueGains: [Float] = []
  /// How loud something may be that is announced as loud as can be.
  var loudestGains: [Float] = []
  /// Ramps of the engine's own after a card has stopped.
  var faultUntil: UInt64 = 0
  /// Whether nothing was heard yet since a card stopped: the first sound comes over a ramp more.
  var isEntryDue = false
  /// Fades that the state has told of, newest last.
  var fades: [AnnouncedFade] = []
  /// A fade that was taken up from a checkpoint: its place at the resume.
  var heldFade: HeldFade?
  /// Until when the rest of a fade may be made to last a second.
  var quickFinishUntil: UInt64 = 0
  var isMono = false
  /// How long after a command it may be heard, in nanoseconds.
  var reaction: UInt64 = 60_000_000

  struct AnnouncedFade: Equatable {
    var from: Int
    var to: Int
    var fade: Fade
    /// Whether a person asked for it: it begins as soon as it can.
    var isManual = false
    /// Whether it was armed on the timeline, and since when.
    var armedAt: UInt64?
    /// Whether it is gone from the state.
    var endedAt: UInt64?
  }

  struct HeldFade: Equatable {
    var from: Int
    var to: Int
    var fade: Fade
    var place: Int
    /// Where both tracks go on: one that fades into itself has no other name.
    var fromFrame = Frames.zero
    var toFrame = Frames.zero
    /// Whether the rest of it may be made to last a second.
    var isQuick = false
  }

  /// How loud a sound of the box's own, or an announcement, may be.
  func gains(of cue: Int) -> [Float] {
    guard cue >= CueSignal.names.count else { return cueGains }
    let options = CueSignal.announcements[cue - CueSignal.names.count].options
    // Below every limit that a world sets.
    return options.hasPrefix("volume 12") ? [0.12 * 0.12 * 0.12] : loudestGains
  }

  /// What may begin now, each as loud as it may be.
  var dueSounds: [(cue: Int, gain: Float)] {
    dueCues.flatMap { cue in gains(of: cue).map { (cue, $0) } }
  }

  /// Takes over what is known of cues a little later.
  mutating func learnCues(from later: Circumstances) {
    (dueCues, cueGains, loudestGains) = (later.dueCues, later.cueGains, later.loudestGains)
    announcementStopsUntil = later.announcementStopsUntil
  }

  /// How many frames the shortest legal ramp of a whole gain has.
  var declick: Int { rate * 8 / 1000 }

  /// For how many frames what was before a command may still be heard.
  var reactionFrames: Int { Int(reaction) * rate / 1_000_000_000 }

  mutating func changeVolume(to gain: Double, at time: UInt64) {
    formerVolume = volume
    volume = gain
    volumeChangedAt = time
    ceiling = max(ceiling, gain)
  }

  /// Whether the volume was ordered so long ago that it is heard by now, unless a thread stands still.
  func isVolumeDue(at time: UInt64) -> Bool { time > volumeChangedAt + reaction + 30_000_000 }

  /// It is no louder than it should be.
  mutating func dropCeiling() { ceiling = volume }

  /// The largest legal step of a gain from frame to frame: ramps are of all that can be heard, so in a quiet box they are
  /// quiet, too.
  func stepLimit(at time: UInt64) -> Double {
    // An edge's ramp and that of a pause may fall together.
    var limit = ceiling * (1 / Double(declick) + (mayBeStrange(at: time) ? 20 : 5) / Double(rate) + 2e-4)
    let change = isVolumeDue(at: time) ? 0 : abs(volume - formerVolume)
    limit += max(change, ceiling - volume) / Double(rate / 50)
    if time < faultUntil { limit *= 2 }
    return limit
  }

  /// Whether so many frames may be missing because the card has stopped; where it is less than nothing, they come again.
  func mayJump(by frames: Int) -> Bool { frames <= jump && frames >= -(8 + step) }

  /// Whether what is heard may be a sound of the box's own that nobody knows.
  func mayBeStrange(at time: UInt64) -> Bool {
    (hasCues || hasAlarm) && time < strangeCuesUntil
  }

  /// By how much a gain may bend from frame to frame where two of the shortest ramps fall together, perhaps in a fade.
  var bend: Double { 3 * ceiling / Double(declick) / Double(declick) }

  /// Whether an order or a fault may be heard at a time.
  func isDisturbed(at time: UInt64) -> Bool { time < disturbedAt + reaction + 250_000_000 }
}

/// The fades that people have asked for.
struct FadeSettings {
  /// In milliseconds.
  var length = 0
  var curve = FadeCurve.equalPower

  /// The fade of two tracks, no longer than half of either as far as the box knows it; nil where there is none.
  func fade(_ from: Frames?, _ to: Frames?, rate: Int) -> Fade? {
    var frames = length * rate / 1000
    for known in [from, to] { if let known { frames = min(frames, Int(known.count) / 2) } }
    return frames > 0 ? Fade(length: Frames(Int64(frames)), curve: curve) : nil
  }
}
