// State of the oracle besides the sound: requests, faults and announced fades that may explain what is heard. One
// thread.

import PlaybackModel

/// Conditions that may explain a discontinuity in what is heard.
struct Circumstances {
  let rate: Int
  /// Requested volume as a gain, the one before it, and when it changed.
  var volume = 1.0
  var formerVolume = 1.0
  var volumeChangedAt: UInt64 = 0
  /// Highest gain that may be heard: the volume, or a louder former volume that may still be queued.
  private(set) var ceiling = 1.0
  /// When something that may change gains last happened, such as an action or a worker's report.
  var disturbedAt: UInt64 = 0
  /// Until when frames may be missing because the card stopped, and how many.
  var jumpsUntil: UInt64 = 0
  var jump = 0
  /// Step in frames with which the card reports its position.
  var step = 0
  /// Whether cues are enabled, for which music is ducked.
  var hasCues = false
  /// Whether an alarm has rung with the built-in sound.
  var hasAlarm = false
  /// Until when a cue may sound that the oracle cannot recognize: built-in because its file is not loaded yet, or cut
  /// off by a card that stopped.
  var strangeCuesUntil: UInt64 = 0
  /// Until when announcements may end early because a user stopped them.
  var announcementStopsUntil: UInt64 = 0
  /// Numbers of the cues that may begin now, and gains they may have.
  var dueCues: [Int] = []
  var cueGains: [Float] = []
  /// Gains that an announcement at full volume may have.
  var loudestGains: [Float] = []
  /// Until when the engine's own ramps after a card failure may be heard.
  var faultUntil: UInt64 = 0
  /// Whether nothing was heard since a card stopped; the first sound has an additional ramp.
  var isEntryDue = false
  /// Fades that the state has announced, newest last.
  var fades: [AnnouncedFade] = []
  /// Fade restored from a checkpoint, with its progress.
  var heldFade: HeldFade?
  /// Until when the rest of a fade may be shortened to a second.
  var quickFinishUntil: UInt64 = 0
  var isMono = false
  /// Nanoseconds within which a command must be heard.
  var reaction: UInt64 = 60_000_000

  struct AnnouncedFade: Equatable {
    var from: Int
    var to: Int
    var fade: Fade
    /// Whether a user requested it, so that it begins as soon as possible.
    var isManual = false
    /// When it was armed on the timeline; nil if it was not.
    var armedAt: UInt64?
    /// When it disappeared from the state; nil if it has not.
    var endedAt: UInt64?
  }

  struct HeldFade: Equatable {
    var from: Int
    var to: Int
    var fade: Fade
    var place: Int
    /// Where both tracks continue; distinguishes the decks of a track that fades into itself.
    var fromFrame = Frames.zero
    var toFrame = Frames.zero
    /// Whether its rest may be shortened to a second.
    var isQuick = false
  }

  /// Gains that a cue or announcement may have.
  func gains(of cue: Int) -> [Float] {
    guard cue >= CueSignal.names.count else { return cueGains }
    let options = CueSignal.announcements[cue - CueSignal.names.count].options
    // Below every limit that a world sets.
    return options.hasPrefix("volume 12") ? [0.12 * 0.12 * 0.12] : loudestGains
  }

  /// The cues that may begin now, one entry for each gain.
  var dueSounds: [(cue: Int, gain: Float)] {
    dueCues.flatMap { cue in gains(of: cue).map { (cue, $0) } }
  }

  /// Copies the cue-related conditions from a later moment.
  mutating func learnCues(from later: Circumstances) {
    (dueCues, cueGains, loudestGains) = (later.dueCues, later.cueGains, later.loudestGains)
    announcementStopsUntil = later.announcementStopsUntil
  }

  /// Frames of the shortest allowed ramp over a whole gain.
  var declick: Int { rate * 8 / 1000 }

  /// Frames within which the state before a command may still be heard.
  var reactionFrames: Int { Int(reaction) * rate / 1_000_000_000 }

  mutating func changeVolume(to gain: Double, at time: UInt64) {
    formerVolume = volume
    volume = gain
    volumeChangedAt = time
    ceiling = max(ceiling, gain)
  }

  /// Whether the volume must be audible by now, unless a thread is stalled.
  func isVolumeDue(at time: UInt64) -> Bool { time > volumeChangedAt + reaction + 30_000_000 }

  /// Ends the allowance for a former, louder volume.
  mutating func dropCeiling() { ceiling = volume }

  /// Largest allowed change of the gain per frame. Ramps scale with the volume, so a quiet box has small steps.
  func stepLimit(at time: UInt64) -> Double {
    // A declick ramp and a pause's ramp may coincide.
    var limit = ceiling * (1 / Double(declick) + (mayBeStrange(at: time) ? 20 : 5) / Double(rate) + 2e-4)
    let change = isVolumeDue(at: time) ? 0 : abs(volume - formerVolume)
    limit += max(change, ceiling - volume) / Double(rate / 50)
    if time < faultUntil { limit *= 2 }
    return limit
  }

  /// Whether this many frames may be missing because the card stopped; negative: repeated.
  func mayJump(by frames: Int) -> Bool { frames <= jump && frames >= -(8 + step) }

  /// Whether an unrecognizable cue may sound at a time.
  func mayBeStrange(at time: UInt64) -> Bool {
    (hasCues || hasAlarm) && time < strangeCuesUntil
  }

  /// Largest second difference of the gain, where two of the shortest ramps coincide, possibly in a fade.
  var bend: Double { 3 * ceiling / Double(declick) / Double(declick) }

  /// Whether an order or fault may be audible at a time.
  func isDisturbed(at time: UInt64) -> Bool { time < disturbedAt + reaction + 250_000_000 }
}

/// Fade settings that users have requested.
struct FadeSettings {
  /// Length in milliseconds.
  var length = 0
  var curve = FadeCurve.equalPower

  /// The fade between two tracks, limited to half of each known length; nil if none.
  /// - Parameters:
  ///   - from: Length of the outgoing track in frames, if known.
  ///   - to: Length of the incoming track in frames, if known.
  ///   - rate: Sample rate in Hz.
  func fade(_ from: Frames?, _ to: Frames?, rate: Int) -> Fade? {
    var frames = length * rate / 1000
    for known in [from, to] { if let known { frames = min(frames, Int(known.count) / 2) } }
    return frames > 0 ? Fade(length: Frames(Int64(frames)), curve: curve) : nil
  }
}
