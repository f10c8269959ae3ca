// One of the two players: where it reads in its ring, and how loud. Part of the mixer's restorable state.
// Audio thread; may not lock or allocate.

import AudioRing
import PlaybackModel

/// What a deck is doing.
enum DeckActivity: Sendable {
  /// No ring is attached.
  case empty
  /// A ring is attached and nothing is read.
  case cued
  /// It is heard.
  case running
  /// It is heard until its level ramp ends.
  case stopping(releases: Bool)
  /// It ran out of frames, was ramped out and waits for the worker.
  case starved
  /// Everything up to the track's end was read.
  case ended
}

/// The deck's state at one timeline frame.
struct DeckState: Sendable {
  var activity = DeckActivity.empty
  var ring: RingReader?
  /// Ring index of the next frame to be read.
  var index: UInt64 = 0
  /// De-click level: start, stop, starvation, collapse of a fade.
  var level = Ramp.constant(0)
  /// Ring index of its track's own beginning, which is heard as it is; nil where the ring begins, or was moved, elsewhere.
  var beginning: UInt64?
  /// Its track was broken off: a ramp comes before the end.
  var endsSoftly = false
  /// Nothing is written for it any more: its track is over where it runs dry.
  var endsWhereDry = false
  /// ReplayGain and the like: constant over a track.
  var trackGain: Float = 1
  /// The ring as it was when the quantum began or a command was applied.
  var snapshot = RingSnapshot(written: 0, end: RingLayout.noEnd, capacity: 0)
  /// When it was looked at, or the deck started: starvation is judged then, so that it does not depend on
  /// how the frames are split into stretches.
  var judgedFrame: Int64 = -1
  /// The frame at which it was last let sound out of silence.
  var startFrame: Int64 = -1
  /// It ended within a fade, which went on without it: nobody was told.
  var owesEnd = false
  /// Its starvation was reported, so that the refill will be.
  var hasToldStarvation = false
  /// Tells the ring that was attached from those before it; 0 is none.
  var attachment: UInt32 = 0

  @_noLocks @_noAllocation init() {}

  /// Takes note of what the writer has done. Not between two decisions about the same frame.
  @_noLocks @_noAllocation
  mutating func look(at frame: Int64) {
    guard let ring else { return }
    snapshot = ring.look()
    judgedFrame = frame
  }

  /// Frames up to the end of its ring, as far as its writer has named one.
  var framesToEnd: Int64 {
    @_noLocks @_noAllocation get { snapshot.isEnd(index) ? 0 : Int64(clamping: snapshot.end - index) }
  }

  /// Whether nothing of its track has been heard from its own beginning on.
  var isAtBeginning: Bool {
    @_noLocks @_noAllocation get { beginning == index }
  }

  /// How many of the next `count` frames are there.
  @_noLocks @_noAllocation
  func readable(_ count: Int) -> Int {
    guard ring != nil, case .frames(let available) = snapshot.available(from: index) else { return 0 }
    return min(available, count)
  }

  /// What is left carries a ramp: better a soft hole than a click. Behind it there is room for the ramp of an order that
  /// comes meanwhile; nothing of that is lost, for it is heard when the ring is filled again.
  @_noLocks @_noAllocation
  mutating func rampOut(over count: Int, at frame: Int64, declick: Int64) {
    let left = Int64(count)
    level = Ramp(
      from: level.value(at: frame), to: 0, start: frame + max(0, left - 2 * declick),
      length: min(declick, left))
  }

  /// What breaks off in its middle is ramped out to its last frame.
  @_noLocks @_noAllocation
  mutating func softenEnd(at frame: Int64, declick: Int64) {
    let left = framesToEnd
    guard endsSoftly, left <= declick else { return }
    level = Ramp(from: level.value(at: frame), to: 0, start: frame, length: left)
  }

  /// A ramp to silence ends before the ring does: who writes it may have ended with the order, and write no more. Only a track's own end
  /// is heard as it is.
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

/// Two decks, addressed by name.
struct DeckPair: Sendable {
  private var a = DeckState()
  private var b = DeckState()

  @_noLocks @_noAllocation init() {}

  /// Looks at both rings.
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
