// Exact positions of decks and fade at all recent frames: one mark per frame at which the movement changed. Audio
// thread; memory is allocated at start, then no locks and no allocation.

import PlaybackModel

/// Marks in the order of their frames.
struct PositionTrail: ~Copyable {
  /// Positions and movement from a frame until the next mark.
  struct Mark {
    let frame: Int64
    let a: UInt64
    let b: UInt64
    let movesA: Bool
    let movesB: Bool
    let fade: FadeRun?
    let isHeld: Bool

    @_noLocks @_noAllocation
    init(of state: MixerState) {
      frame = state.frame
      a = state.decks[.a].index
      b = state.decks[.b].index
      isHeld = state.gate.isClosed
      movesA = state.decks[.a].isAudible && !isHeld
      movesB = state.decks[.b].isAudible && !isHeld
      fade = state.fade
    }

    /// Positions at a later frame without further changes.
    @_noLocks @_noAllocation
    func positions(at later: Int64) -> MixerPositions {
      let passed = later > frame ? UInt64(later - frame) : 0
      var positions = MixerPositions(
        frame: Frames(later), a: movesA ? a &+ passed : a, b: movesB ? b &+ passed : b,
        fade: fade?.progress(after: Frames(isHeld ? 0 : Int64(passed))))
      positions.movesA = movesA
      positions.movesB = movesB
      positions.fadePace = isHeld ? 0 : fade?.pace ?? 0
      return positions
    }

    /// Whether the positions predicted by this mark equal those of `state`.
    @_noLocks @_noAllocation
    func foretells(_ state: MixerState) -> Bool {
      let isHeld = state.gate.isClosed
      guard isHeld == self.isHeld, movesA == (state.decks[.a].isAudible && !isHeld),
        movesB == (state.decks[.b].isAudible && !isHeld)
      else { return false }
      let passed = UInt64(max(0, state.frame - frame))
      guard state.decks[.a].index == (movesA ? a &+ passed : a),
        state.decks[.b].index == (movesB ? b &+ passed : b)
      else { return false }
      switch (fade, state.fade) {
      case (nil, nil): return true
      case (let mine?, let other?): return mine.goesOn(as: other, after: Frames(isHeld ? 0 : Int64(passed)))
      default: return false
      }
    }
  }

  /// More marks than changes that can occur within the longest device queue.
  static var capacity: Int {
    @_noLocks @_noAllocation get { 512 }
  }
  private let marks: UnsafeMutablePointer<Mark>
  private var head = 0
  private var count = 0

  init() { marks = .allocateResident(capacity: Self.capacity) }

  deinit { marks.deallocate() }

  @_noLocks @_noAllocation
  private func mark(_ n: Int) -> Mark { marks[(head + n) % Self.capacity] }

  /// Adds a mark unless the last one already predicts the state. A later mark for the same frame replaces the earlier
  /// one.
  @_noLocks @_noAllocation
  mutating func note(_ state: MixerState) {
    if count > 0 {
      let last = mark(count - 1)
      guard last.frame <= state.frame, !last.foretells(state) else { return }
      if last.frame == state.frame { count -= 1 }
    }
    if count == Self.capacity {
      head = (head + 1) % Self.capacity
      count -= 1
    }
    marks[(head + count) % Self.capacity] = Mark(of: state)
    count += 1
  }

  /// Removes all marks from `frame` on.
  @_noLocks @_noAllocation
  mutating func rewind(to frame: Int64) {
    while count > 0, mark(count - 1).frame >= frame { count -= 1 }
  }

  /// Removes the marks that are not needed for frames from `frame` on.
  @_noLocks @_noAllocation
  mutating func forget(before frame: Int64) {
    while count > 1, mark(1).frame <= frame {
      head = (head + 1) % Self.capacity
      count -= 1
    }
  }

  /// The first frame after `frame` at which the movement changes; nil if none is recorded.
  @_noLocks @_noAllocation
  func change(after frame: Int64) -> Int64? {
    var change: Int64?
    var n = count - 1
    while n >= 0, mark(n).frame > frame {
      change = mark(n).frame
      n -= 1
    }
    return change
  }

  /// Positions at a frame; nil if they are not recorded.
  @_noLocks @_noAllocation
  func positions(at frame: Int64) -> MixerPositions? {
    var n = count - 1
    while n >= 0 {
      let mark = mark(n)
      if mark.frame <= frame { return mark.positions(at: frame) }
      n -= 1
    }
    return nil
  }
}
