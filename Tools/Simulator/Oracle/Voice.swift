// A track on its way through one decoder, as the oracle hears it. Values; one thread.

import FadeFormulas
import PlaybackModel

/// What one decoder offers to be heard, and how much of it was.
struct Voice {
  /// The decoder's number.
  let id: Int
  let track: Int
  /// The frame that is heard next.
  var next: Int
  /// One past the last frame.
  var end: Int
  /// Why that is not the track's own last frame; nil where it is.
  var breakOff: BreakOff?
  /// Where it was begun, or moved to.
  var origin: Int
  /// The gain of the last frame that was heard.
  var gain = 0.0
  /// How it came out of silence.
  var entrance = Entrance()
  /// When it was heard for the first time.
  var beganAt: UInt64 = 0
  /// When it was heard last; 0 is never.
  var heardAt: UInt64 = 0
  /// When it last was the track that comes in a fade; 0 is never.
  var fadedInAt: UInt64 = 0
  /// Whether the player has no more use for its decoder: nobody means it any more.
  var isLeft = false
  /// Since when its ring is gone.
  var goneAt: UInt64?
  /// Whether its decoder can be believed.
  var isSane: Bool

  /// One past the last frame as its decoder tells it, which may be a lie.
  var told: Int { end + lie }
  /// How much too long it says that the track is.
  var lie = 0
  /// The frame that was to be heard when the decoder of a truncated file came to its end.
  var truncatedAt: Int?
  /// When its decoder came to its end, and said so.
  var finishedAt: UInt64?

  /// What it sounds like.
  var source: Signal.Source { Signal.Source(decoder: id) }

  var isAtEnd: Bool { next >= end }

  /// The frame before which the player places a fade by the stated length of a truncated file; nil for a whole one.
  func endKnownAt(rate: Int) -> Int? {
    truncatedAt.map { max($0, end - Int(ExcuseWindow.statedEnd.bound) * rate / 1_000_000_000) }
  }

  /// Whether it has come to the end that is in the track itself, which nobody has to soften.
  var isFinished: Bool { isAtEnd && breakOff?.isLate != false }

  /// Whether its decoder broke off too late for a whole ramp.
  var isBrokenLate: Bool { breakOff?.isLate == true }

  /// A voice came out of silence.
  struct Entrance {
    /// The frame on which its ramp began.
    var rampStart = 0
    /// Whether it was ever louder since than what rounding leaves beside a sound of the box's own, where chance sounds like
    /// anything.
    var isSure = false
    /// By how much its gain grew with each of the last frames in which it was heard alone.
    var slope = 0.0
  }

  /// A decoder broke off before the end of its track.
  struct BreakOff {
    /// The frame that was to be heard when that became known.
    let toldAt: Int
    /// Whether no whole ramp fitted in before the end.
    let isLate: Bool
  }

  /// The frames with which it may begin in a fade.
  var beginnings: [Int] { entrance.isSure || next == origin ? [next] : [next, origin] }

  /// It begins anew, as if it had not been heard.
  mutating func beginAnew() {
    next = origin
    (heardAt, beganAt, fadedInAt) = (0, 0, 0)
    entrance = Entrance()
  }

  /// Whether its ring is gone.
  var isGone: Bool { goneAt != nil }

  /// Whether nothing of it can be heard at a time.
  func isGone(at time: UInt64) -> Bool { goneAt.map { time > $0 } ?? false }
}

/// How many frames may be missing, and how many may come again: these are less than nothing.
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

/// Something that happened to a voice, as it was heard.
struct Edge {
  enum Kind: String {
    case began, joined, fadeBegan, fadeEnded, ended, silenced, resumed, overlapped, alone
  }

  let kind: Kind
  let voice: Int
  let track: Int
  let frame: Int
  let time: UInt64
  /// The fade that ended.
  var fade: FollowedFade?
}

/// What two voices that sound together are heard at.
struct PairGains {
  var a: Double
  var b: Double
  /// By how much both may be something else: samples are rounded.
  var error: Double

  /// No gain is below nothing.
  var isPossible: Bool { a >= -error && b >= -error }
}

/// How the gains of two voices have moved: along straight lines that turn now and then, for all that moves them is
/// ramps. A voice that is not the one it is taken for has gains that jump about with every frame.
struct PairPath {
  private var last: PairGains?
  private var beforeLast: PairGains?
  /// Turns of late.
  private var turns = 0.0
  /// Whether the last frame was one.
  private(set) var isTurning = false
  /// Frames since the last one that told the gains.
  private(set) var skipped = 0
  /// For how many frames only one of them has been heard, and the first frame of the other one among these.
  var quietFrames = 0
  var quietFrom = 0
  /// Whether that one was never heard before: the first frames of a fade may be all that there was of it.
  var isUnheard = false

  /// Ramps that begin and end within a few frames, on both voices.
  private static let allowance = 5.0
  private static let forgets = 1.0 / 16

  /// Takes the gains of the next frame. Products of ramps bend by as much as `bend`. Answers whether they may be those of
  /// the voices that they are taken for.
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

  /// A frame that tells nothing.
  mutating func skip() {
    (beforeLast, last) = (nil, nil)
    skipped += 1
  }
}

/// Where both voices of a fade end, as far as anybody knows it when the fade begins.
struct FadeEnds {
  /// Frames that are left of either, from the one that is due.
  private let outgoing: [Int]
  private let incoming: [Int]

  init(_ from: Voice, _ to: Voice, untold isUntold: (_ track: Int) -> Bool) {
    // Where nobody tells it, and the decoder had not come to it by then, it is not known at all.
    func rest(_ voice: Voice) -> [Int] {
      let ends = [voice.told, voice.end] + (isUntold(voice.track) ? [1 << 40] : [])
      return ends.map { $0 - voice.next }
    }
    (outgoing, incoming) = (rest(from), rest(to))
  }

  /// How long a fade may be that has come to an index, the likeliest first.
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

/// A fade as it is followed frame by frame.
struct FollowedFade {
  /// Where on its curve a fade may have been when it was first noticed, and how long it would be then.
  struct Beginning: Equatable {
    let index: Int
    let length: Int
  }

  var from: Int
  var to: Int
  var fade: Fade
  /// The place on the curve of the last frame that was heard, in frames of the fade's length.
  var place: Double
  /// How far the place moves with each frame.
  var pace = 1.0
  /// The gain of the whole, as of the last frame.
  var master: Double
  /// Whether the outgoing track has ended already.
  var isFromOver = false
  /// Frames since it was noticed.
  var age = 0
  /// Other places at which it may have been then: its first frames can be too quiet to tell.
  var alternatives: [Beginning] = []
  /// As what it was announced, until its beginning has been judged.
  var announced: Circumstances.AnnouncedFade?

  var length: Double { Double(fade.length.count) }

  /// The ramp that the outgoing track came over when the fade began; nil once that is over.
  var rise: Rise?

  /// The shares of both at a place on the curve, so many frames after the last one that was heard.
  func gains(at place: Double, after frames: Int) -> (out: Double, into: Double) {
    var shares = fade.curve.expectedGains(at: place / length)
    if let rise { shares.outgoing *= rise.level(after: frames) }
    return (shares.outgoing, shares.incoming)
  }
}

/// A ramp of a voice's own towards its whole level, out of silence or out of a fade that came to nothing, or to the end of a
/// truncated file.
struct Rise {
  private var level: Double
  private let slope: Double

  /// At a level, from 0 to 1, that grows by so much with each frame, or falls.
  init(level: Double, slope: Double) { (self.level, self.slope) = (level, slope) }

  /// So many frames after silence.
  init(age: Int, over frames: Int) {
    self.init(level: Double(age) / Double(frames), slope: 1 / Double(frames))
  }

  /// Whether it has not begun.
  var isToCome: Bool { level < 0 }

  func level(after frames: Int) -> Double { max(0, min(1, level + slope * Double(frames))) }

  /// The same a frame later; nil once it is over at its whole level.
  var next: Rise? { level + slope < 1 ? Rise(level: level + slope, slope: slope) : nil }
}
