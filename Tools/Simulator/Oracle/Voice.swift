// Model of what one decoder offers for playback, as the oracle tracks it. Values; one thread.

import FadeFormulas
import PlaybackModel

/// Track as decoded by one decoder, and how much of it was heard.
struct Voice {
  /// Number of the decoder.
  let id: Int
  let track: Int
  /// Next frame to be heard.
  var next: Int
  /// Index after the last frame.
  var end: Int
  /// Why `end` is not the track's own last frame; nil if it is.
  var breakOff: BreakOff?
  /// Frame at which it began or to which it was moved.
  var origin: Int
  /// Gain of the last frame heard.
  var gain = 0.0
  /// How it came out of silence.
  var entrance = Entrance()
  /// When it was first heard, in nanoseconds.
  var beganAt: UInt64 = 0
  /// When it was last heard; 0 is never.
  var heardAt: UInt64 = 0
  /// When it was last the incoming track of a fade; 0 is never.
  var fadedInAt: UInt64 = 0
  /// Whether the player has released its decoder.
  var isLeft = false
  /// When its ring was unmapped; nil while it is mapped.
  var goneAt: UInt64?
  /// Whether its decoder's length and indexes can be trusted.
  var isSane: Bool

  /// Index after the last frame according to its decoder, which may be wrong.
  var told: Int { end + lie }
  /// Frames by which the decoder overstates the length.
  var lie = 0
  /// Next frame to be heard when the decoder reached the end of a truncated file.
  var truncatedAt: Int?
  /// When its decoder reported its end.
  var finishedAt: UInt64?

  /// Marks of its signal.
  var source: Signal.Source { Signal.Source(decoder: id) }

  var isAtEnd: Bool { next >= end }

  /// The frame until which the player places a fade by the stated length of a truncated file; nil for a complete
  /// file.
  func endKnownAt(rate: Int) -> Int? {
    truncatedAt.map { max($0, end - Int(ExcuseWindow.statedEnd.bound) * rate / 1_000_000_000) }
  }

  /// Whether it reached an end within the track itself, which needs no ramp.
  var isFinished: Bool { isAtEnd && breakOff?.isLate != false }

  /// Whether its decoder broke off too late for a whole ramp.
  var isBrokenLate: Bool { breakOff?.isLate == true }

  /// How a voice came out of silence.
  struct Entrance {
    /// Frame on which its ramp began.
    var rampStart = 0
    /// Whether it was ever louder than the rounding error beside a cue, in which chance matches are possible.
    var isSure = false
    /// Recent increase of its gain per frame while heard alone.
    var slope = 0.0
  }

  /// Decoder that broke off before the end of its track.
  struct BreakOff {
    /// Next frame to be heard when that became known.
    let toldAt: Int
    /// Whether the end was too near for a whole ramp.
    let isLate: Bool
  }

  /// The frames with which it may begin in a fade.
  var beginnings: [Int] { entrance.isSure || next == origin ? [next] : [next, origin] }

  /// Resets it to its beginning, as if it had not been heard.
  mutating func beginAnew() {
    next = origin
    (heardAt, beganAt, fadedInAt) = (0, 0, 0)
    entrance = Entrance()
  }

  /// Whether its ring is unmapped.
  var isGone: Bool { goneAt != nil }

  /// Whether it cannot be heard any more at a time.
  func isGone(at time: UInt64) -> Bool { goneAt.map { time > $0 } ?? false }
}

/// Jumps to try when frames may be missing (positive) or repeated (negative).
struct Jumps: Sequence, IteratorProtocol {
  let missing: Int
  let again: Int
  private var tried = 0

  init(missing: Int, again: Int) { (self.missing, self.again) = (missing, again) }

  mutating func next() -> Int? {
    guard tried < missing + again else { return nil }
    tried += 1
    return tried <= missing ? tried : missing - tried
  }
}

/// Audible event of a voice.
struct Edge {
  enum Kind: String {
    case began, joined, fadeBegan, fadeEnded, ended, silenced, resumed, overlapped, alone
  }

  let kind: Kind
  let voice: Int
  let track: Int
  let frame: Int
  let time: UInt64
  /// The fade, for `.fadeEnded`.
  var fade: FollowedFade?
}

/// Gains of two voices that sound together.
struct PairGains {
  var a: Double
  var b: Double
  /// Error bound of both, from the rounding of samples.
  var error: Double

  /// Whether neither gain is negative.
  var isPossible: Bool { a >= -error && b >= -error }
}

/// Gains of two voices over time. All gain changes are ramps, so correct gains follow straight lines with few turns;
/// if a voice is misidentified, they jump with every frame.
struct PairPath {
  private var last: PairGains?
  private var beforeLast: PairGains?
  /// Decaying count of recent turns.
  private var turns = 0.0
  /// Whether the last frame was a turn.
  private(set) var isTurning = false
  /// Frames since the gains were last known.
  private(set) var skipped = 0
  /// Number of frames for which only one voice has been heard, and the other's first frame among them.
  var quietFrames = 0
  var quietFrom = 0
  /// Whether the quiet voice was never heard before: the first frames of a fade may be all of it.
  var isUnheard = false

  /// Allowed turns: ramps that begin and end within a few frames, on both voices.
  private static let allowance = 5.0
  private static let forgets = 1.0 / 16

  /// Adds the gains of the next frame.
  /// - Parameter bend: Allowed second difference, for products of ramps.
  /// - Returns: Whether the gains are plausible for these two voices.
  mutating func follow(_ gains: PairGains, bend: Double) -> Bool {
    defer { (beforeLast, last, skipped) = (last, gains, 0) }
    isTurning = false
    guard let last, let beforeLast else { return true }
    let bound = gains.error + 2 * last.error + beforeLast.error + bend
    isTurning =
      abs(gains.a - 2 * last.a + beforeLast.a) > bound || abs(gains.b - 2 * last.b + beforeLast.b) > bound
    turns = max(0, turns - Self.forgets) + (isTurning ? 1 : 0)
    return turns <= Self.allowance
  }

  /// Skips a frame that does not determine the gains.
  mutating func skip() {
    (beforeLast, last) = (nil, nil)
    skipped += 1
  }
}

/// Possible ends of both voices of a fade, as known when the fade begins.
struct FadeEnds {
  /// Remaining frames of each, counted from the next one.
  private let outgoing: [Int]
  private let incoming: [Int]

  init(_ from: Voice, _ to: Voice, untold isUntold: (_ track: Int) -> Bool) {
    // An unstated length that the decoder had not reached by then is unknown.
    func rest(_ voice: Voice) -> [Int] {
      let ends = [voice.told, voice.end] + (isUntold(voice.track) ? [1 << 40] : [])
      return ends.map { $0 - voice.next }
    }
    (outgoing, incoming) = (rest(from), rest(to))
  }

  /// Possible lengths in frames of a fade that has reached an index, the most likely first.
  func lengths(of announced: Circumstances.AnnouncedFade, begun index: Int) -> [Int] {
    let whole = Int(announced.fade.length.count)
    var lengths: [Int] = []
    for from in outgoing {
      for to in incoming {
        let length = min(whole, from + index, to)
        if length > 0, !lengths.contains(length) { lengths.append(length) }
      }
    }
    if !lengths.contains(whole) { lengths.append(whole) }
    return lengths
  }
}

/// Fade that is being followed frame by frame.
struct FollowedFade {
  /// Possible progress of a fade when it was first noticed, and its length in that case.
  struct Beginning: Equatable {
    let index: Int
    let length: Int
  }

  var from: Int
  var to: Int
  var fade: Fade
  /// Progress of the last frame heard, in frames.
  var place: Double
  /// Progress per frame.
  var pace = 1.0
  /// Overall gain as of the last frame.
  var master: Double
  /// Whether the outgoing track has already ended.
  var isFromOver = false
  /// Frames since the fade was noticed.
  var age = 0
  /// Other possible beginnings: the first frames can be too quiet to recognize.
  var alternatives: [Beginning] = []
  /// The announced fade, until the beginning has been checked.
  var announced: Circumstances.AnnouncedFade?

  var length: Double { Double(fade.length.count) }

  /// Ramp of the outgoing track that was in progress when the fade began; nil once it is over.
  var rise: Rise?

  /// The gains of both tracks at a progress.
  /// - Parameters:
  ///   - place: Progress in frames.
  ///   - frames: Frames since the last one heard.
  func gains(at place: Double, after frames: Int) -> (out: Double, into: Double) {
    var shares = fade.curve.expectedGains(at: place / length)
    if let rise { shares.outgoing *= rise.level(after: frames) }
    return (shares.outgoing, shares.incoming)
  }
}

/// Ramp of a single voice: out of silence, back from a cancelled fade, or to the end of a truncated file.
struct Rise {
  private var level: Double
  private let slope: Double

  /// Creates a ramp at a level from 0 to 1 that changes by `slope` per frame.
  init(level: Double, slope: Double) { (self.level, self.slope) = (level, slope) }

  /// Creates a ramp up from silence that is `age` frames old and takes `frames` in all.
  init(age: Int, over frames: Int) {
    self.init(level: Double(age) / Double(frames), slope: 1 / Double(frames))
  }

  /// Whether it has not begun.
  var isToCome: Bool { level < 0 }

  func level(after frames: Int) -> Double { max(0, min(1, level + slope * Double(frames))) }

  /// The ramp one frame later; nil once it has reached full level.
  var next: Rise? { level + slope < 1 ? Rise(level: level + slope, slope: slope) : nil }
}
