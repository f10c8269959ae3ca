// Commands by timeline frame. Together with a saved mixer state, they allow rendering all later frames again. Audio
// thread; memory is allocated at start, then no locks and no allocation.

import AudioRing

/// Commands sorted by frame; those of one frame in order of arrival.
struct CommandTimeline: ~Copyable {
  struct Entry {
    var frame: Int64
    var id: UInt32
    var command: MixerCommand
    /// Whether the command was requested for this frame, not for the earliest possible one.
    let isPinned: Bool
    /// Snapshots of the rings after the first application. When applied again, the command uses the same ones.
    var snapshots: Snapshots?

    @_noLocks @_noAllocation
    init(frame: Int64, id: UInt32, command: MixerCommand, isPinned: Bool = false) {
      self.frame = frame
      self.id = id
      self.command = command
      self.isPinned = isPinned
    }
  }

  /// Snapshots of all rings: two decks, announcement and live input.
  struct Snapshots {
    let a: RingSnapshot
    let b: RingSnapshot
    let announcement: RingSnapshot
    let liveInput: RingSnapshot

    @_noLocks @_noAllocation
    init(a: RingSnapshot, b: RingSnapshot, announcement: RingSnapshot, liveInput: RingSnapshot) {
      self.a = a
      self.b = b
      self.announcement = announcement
      self.liveInput = liveInput
    }
  }

  static var capacity: Int {
    @_noLocks @_noAllocation get { 128 }
  }
  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0
  /// Index of the first entry that is not applied at the present frame.
  private var cursor = 0

  init() { entries = .allocateResident(capacity: Self.capacity) }

  deinit { entries.deallocate() }

  var isFull: Bool {
    @_noLocks @_noAllocation get { count == Self.capacity }
  }

  /// Whether a command is not applied yet.
  var hasPending: Bool {
    @_noLocks @_noAllocation get { cursor < count }
  }

  @_noLocks @_noAllocation
  mutating func insert(_ entry: Entry) {
    precondition(count < Self.capacity)
    var place = count
    while place > cursor, entries[place - 1].frame > entry.frame {
      entries[place] = entries[place - 1]
      place -= 1
    }
    entries[place] = entry
    count += 1
  }

  /// Moves all pending unpinned commands to `frame` if they are later.
  ///
  /// After a loss the mixer is rewound to before frames at which commands had taken effect. A newer command must not
  /// overtake them.
  @_noLocks @_noAllocation
  mutating func hurry(to frame: Int64) {
    var place = cursor
    while place < count {
      if !entries[place].isPinned, entries[place].frame > frame {
        entries[place].frame = frame
        entries[place].snapshots = nil
        // Keep the order by frame: pinned commands with later frames come after it.
        var i = place
        while i > cursor, entries[i - 1].frame > entries[i].frame {
          swap(&entries[i - 1], &entries[i])
          i -= 1
        }
      }
      place += 1
    }
  }

  /// Frame of the next pending command.
  var nextFrame: Int64? {
    @_noLocks @_noAllocation get { cursor < count ? entries[cursor].frame : nil }
  }

  /// Dequeues the next command that is due at `frame`.
  @_noLocks @_noAllocation
  mutating func takeDue(at frame: Int64) -> Entry? {
    guard cursor < count, entries[cursor].frame <= frame else { return nil }
    cursor += 1
    return entries[cursor - 1]
  }

  /// Stores the snapshots for the last dequeued command.
  @_noLocks @_noAllocation
  mutating func note(_ snapshots: Snapshots) { entries[cursor - 1].snapshots = snapshots }

  /// Makes commands from `frame` on pending again after a rewind.
  ///
  /// - Parameters:
  ///   - frame: Frame of the restored state.
  ///   - changing: From this frame on, commands take new snapshots of the rings.
  @_noLocks @_noAllocation
  mutating func rewind(to frame: Int64, changing: Int64) {
    while cursor > 0, entries[cursor - 1].frame >= frame {
      cursor -= 1
      if entries[cursor].frame >= changing { entries[cursor].snapshots = nil }
    }
  }

  /// Removes applied commands before `frame`, to which the mixer cannot rewind any more.
  @_noLocks @_noAllocation
  mutating func forget(before frame: Int64) {
    var gone = 0
    while gone < cursor, entries[gone].frame < frame { gone += 1 }
    drop(gone)
  }

  /// Removes all applied commands; their effects are final.
  @_noLocks @_noAllocation
  mutating func forgetApplied() { drop(cursor) }

  @_noLocks @_noAllocation
  private mutating func drop(_ gone: Int) {
    guard gone > 0 else { return }
    var i = gone
    while i < count {
      entries[i - gone] = entries[i]
      i += 1
    }
    count -= gone
    cursor -= gone
  }
}
