// The commands pinned to frames, in order: with the mixer's state at an earlier frame they are all it takes
// to render any later frame again. Audio thread; allocated at start; may not lock or allocate after.

import AudioRing

/// Commands sorted by frame; those of one frame in the order in which they came.
struct CommandTimeline: ~Copyable {
  struct Entry {
    var frame: Int64
    var id: UInt32
    var command: MixerCommand
    /// Whether it was meant for this very frame, and not for the earliest that could be had.
    let isPinned: Bool
    /// How the rings stood after the command was first applied: applied again, it finds them so.
    var snapshots: Snapshots?

    @_noLocks @_noAllocation
    init(frame: Int64, id: UInt32, command: MixerCommand, isPinned: Bool = false) {
      self.frame = frame
      self.id = id
      self.command = command
      self.isPinned = isPinned
    }
  }

  /// The rings of both decks, of the announcement and of the live source.
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
  /// The first entry that the mixer, at its present frame, has not applied.
  private var cursor = 0

  init() { entries = .allocateResident(capacity: Self.capacity) }

  deinit { entries.deallocate() }

  var isFull: Bool {
    @_noLocks @_noAllocation get { count == Self.capacity }
  }

  /// Whether some command has not been applied yet.
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

  /// Has every command that waits take effect by `frame`, but for those meant for a frame of their own. After a loss the
  /// mixer stands before frames on which commands had taken effect that nobody has heard yet: the next one may not
  /// overtake them.
  @_noLocks @_noAllocation
  mutating func hurry(to frame: Int64) {
    var place = cursor
    while place < count {
      if !entries[place].isPinned, entries[place].frame > frame {
        entries[place].frame = frame
        entries[place].snapshots = nil
        // Those with frames of their own stay behind it.
        var i = place
        while i > cursor, entries[i - 1].frame > entries[i].frame {
          swap(&entries[i - 1], &entries[i])
          i -= 1
        }
      }
      place += 1
    }
  }

  /// The frame of the next command that is to be applied.
  var nextFrame: Int64? {
    @_noLocks @_noAllocation get { cursor < count ? entries[cursor].frame : nil }
  }

  /// Takes the next command if it is due at `frame` or was due before.
  @_noLocks @_noAllocation
  mutating func takeDue(at frame: Int64) -> Entry? {
    guard cursor < count, entries[cursor].frame <= frame else { return nil }
    cursor += 1
    return entries[cursor - 1]
  }

  /// Notes what the entry that was taken last found.
  @_noLocks @_noAllocation
  mutating func note(_ snapshots: Snapshots) { entries[cursor - 1].snapshots = snapshots }

  /// After the mixer went back to `frame`: everything pinned there or later is to be applied again, from
  /// `changing` on as if for the first time.
  @_noLocks @_noAllocation
  mutating func rewind(to frame: Int64, changing: Int64) {
    while cursor > 0, entries[cursor - 1].frame >= frame {
      cursor -= 1
      if entries[cursor].frame >= changing { entries[cursor].snapshots = nil }
    }
  }

  /// Forgets applied commands before `frame`, which the mixer cannot go back to any more.
  @_noLocks @_noAllocation
  mutating func forget(before frame: Int64) {
    var gone = 0
    while gone < cursor, entries[gone].frame < frame { gone += 1 }
    drop(gone)
  }

  /// Forgets all applied commands: what they did stands.
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
