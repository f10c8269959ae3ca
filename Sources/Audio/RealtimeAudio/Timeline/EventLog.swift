// Events that were rendered and may not have been heard yet: a rewind takes them back.
// Audio thread; allocated at start; may not lock or allocate after.

import PlaybackModel

/// Rendered events in the order of their frames.
struct EventLog: ~Copyable {
  static var capacity: Int {
    @_noLocks @_noAllocation get { 512 }
  }
  private let events: UnsafeMutablePointer<StampedEvent>
  private var head = 0
  private var count = 0
  /// Frames before this one are being rendered again: their events are known already.
  private var floor = Int64.min
  /// So many of the oldest cannot be taken back any more.
  private var fixed = 0

  init() { events = .allocateResident(capacity: Self.capacity) }

  deinit { events.deallocate() }

  /// Adds an event. The log is larger than all that one rewind window can hold; beyond that the oldest goes.
  @_noLocks @_noAllocation
  mutating func append(_ event: StampedEvent) {
    guard event.positions.frame.count >= floor else { return }
    if count == Self.capacity { dropFirst() }
    events[(head + count) % Self.capacity] = event
    count += 1
  }

  /// Takes back everything from `frame` on, and ignores what is reported again from before it.
  @_noLocks @_noAllocation
  mutating func rewind(to frame: Int64) {
    while count > fixed, events[(head + count - 1) % Self.capacity].positions.frame.count >= frame {
      count -= 1
    }
    floor = frame
  }

  /// What was reported so far stands.
  @_noLocks @_noAllocation
  mutating func fix() { fixed = count }

  @_noLocks @_noAllocation
  private mutating func dropFirst() {
    head = (head + 1) % Self.capacity
    count -= 1
    fixed = max(0, fixed - 1)
  }

  /// The event at a place, of which the oldest has 0; nil behind the last.
  @_noLocks @_noAllocation
  func event(_ place: Int) -> StampedEvent? {
    place < count ? events[(head + place) % Self.capacity] : nil
  }

  /// How many releases lie before all else: the place of the oldest event that is none.
  var releasesFirst: Int {
    @_noLocks @_noAllocation get {
      var place = 0
      while let event = event(place), event.event.isRelease { place += 1 }
      return place
    }
  }

  /// Takes the event at a place; the older ones stay.
  @_noLocks @_noAllocation
  mutating func take(_ place: Int) -> StampedEvent? {
    guard let taken = event(place) else { return nil }
    var gap = place
    while gap > 0 {
      events[(head + gap) % Self.capacity] = events[(head + gap - 1) % Self.capacity]
      gap -= 1
    }
    dropFirst()
    return taken
  }
}
