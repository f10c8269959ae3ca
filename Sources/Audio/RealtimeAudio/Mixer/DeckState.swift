// A deck: its read position in the ring and its level. Part of the mixer's restorable state. Audio thread: no locks, no
// allocation.

import AudioRing
import PlaybackModel

/// Activity of a deck.
enum DeckActivity: Sendable {
  /// No ring is attached.
  case empty
  /// A ring is attached but not read.
  case cued
  /// The deck is audible.
  case running
  /// The deck is audible until its level ramp ends.
  case stopping(releases: Bool)
  /// The deck ran out of frames, was ramped out and waits for the worker.
  case starved
  /// All frames up to the track's end were read.
  case ended
}

/// The state of one deck at one timeline frame.
struct DeckState: Sendable {
  var activity = DeckActivity.empty
  var ring: RingReader?
  /// Ring index of the next frame to be read.
  var index: UInt64 = 0
  /// Ramp that prevents clicks at start, stop, starvation and the collapse of a fade.
  var level = Ramp.constant(0)
  /// Ring index of the track's own start, which is played without a ramp; nil if the ring starts or was moved
  /// elsewhere.
  var beginning: UInt64?
  /// The track was cut off: fade it out before the end.
  var endsSoftly = false
  /// The ring has no writer any more: the track ends where the ring runs dry.
  var endsWhereDry = false
  /// Constant gain of the track, such as ReplayGain.
  var trackGain: Float = 1
  /// Snapshot of the ring at the start of the quantum or at the last command.
  var snapshot = RingSnapshot(written: 0, end: RingLayout.noEnd, capacity: 0)
  /// Frame at which the snapshot was taken or the deck started. Starvation is decided only there, so that the result
  /// does not depend on how the frames are split into stretches.
  var judgedFrame: Int64 = -1
  /// The frame at which the deck last became audible.
  var startFrame: Int64 = -1
  /// The deck ended during a fade that continued without it, and its end is not reported yet.
  var owesEnd = false
  /// Its starvation was reported, so that its refill must be reported, too.
  var hasToldStarvation = false
  /// Number of the attached ring, which distinguishes it from earlier rings; 0 means none.
  var attachment: UInt32 = 0

  @_noLocks @_noAllocation init() {}

  /// Takes a new snapshot of the ring. Must not be called between two decisions about the same frame.
  @_noLocks @_noAllocation
  mutating func look(at frame: Int64) {
    guard let ring else { return }
    snapshot = ring.look()
    judgedFrame = frame
  }

  /// Frames up to the end of the track, if the writer has published one.
  var framesToEnd: Int64 {
    @_noLocks @_noAllocation get { snapshot.isEnd(index) ? 0 : Int64(clamping: snapshot.end - index) }
  }

  /// Whether nothing has been read since the track's own start.
  var isAtBeginning: Bool {
    @_noLocks @_noAllocation get { beginning == index }
  }

  /// How many of the next `count` frames are readable.
  @_noLocks @_noAllocation
  func readable(_ count: Int) -> Int {
    guard ring != nil, case .frames(let available) = snapshot.available(from: index) else { return 0 }
    return min(available, count)
  }

  /// Ramps the remaining frames to silence, so that running dry does not click.
  ///
  /// One more ramp length stays in reserve for a command that arrives now. Those frames are played after the refill.
  @_noLocks @_noAllocation
  mutating func rampOut(over count: Int, at frame: Int64, declick: Int64) {
    let left = Int64(count)
    level = Ramp(
      from: level.value(at: frame), to: 0, start: frame + max(0, left - 2 * declick),
      length: min(declick, left))
  }

  /// Fades out a cut-off track over its last frames.
  @_noLocks @_noAllocation
  mutating func softenEnd(at frame: Int64, declick: Int64) {
    let left = framesToEnd
    guard endsSoftly, left <= declick else { return }
    level = Ramp(from: level.value(at: frame), to: 0, start: frame, length: left)
  }

  /// Shortens a stop ramp so that it ends before the ring runs dry, because the writer may have ended with the stop. A
  /// track that reaches its own end keeps that end unchanged.
  @_noLocks @_noAllocation
  mutating func fitStop(at frame: Int64) {
    guard judgedFrame == frame, endsSoftly || !snapshot.isComplete(from: index),
      case .frames(let count) = snapshot.available(from: index), Int64(count) < level.end - frame
    else { return }
    level = Ramp(from: level.value(at: frame), to: 0, start: frame, length: Int64(count))
  }

  var isAudible: Bool {
    @_noLocks @_noAllocation get {
      switch activity {
      case .running, .stopping: true
      case .empty, .cued, .starved, .ended: false
      }
    }
  }
}

/// The two decks of the deck plan, addressed by name.
struct DeckPair: Sendable {
  private var a = DeckState()
  private var b = DeckState()

  @_noLocks @_noAllocation init() {}

  /// Takes new snapshots of both rings.
  @_noLocks @_noAllocation
  mutating func look(at frame: Int64) {
    a.look(at: frame)
    b.look(at: frame)
  }

  subscript(_ id: Deck) -> DeckState {
    @_noLocks @_noAllocation get { id == .a ? a : b }
    @_noLocks @_noAllocation set { if id == .a { a = newValue } else { b = newValue } }
  }
}
