// Rendered events that may not be audible yet; a rewind revokes them. Audio thread; memory is allocated at start, then
// no locks and no allocation.

import PlaybackModel

/// Rendered events in the order of their frames.
struct EventLog: ~Copyable {
  static var capacity: Int {
    @_noLocks @_noAllocation get { 512 }
  }
  private let events: UnsafeMutablePointer<StampedEvent>
  private var head = 0
  private var count = 0
  /// Events before this frame are ignored: they are recorded already and their frames are being rendered again.
  private var floor = Int64.min
  /// Number of oldest events that are final.
  private var fixed = 0

  init() { events = .allocateResident(capacity: Self.capacity) }

  deinit { events.deallocate() }

  /// Adds an event. The log holds more than one rewind window; if it is full, the oldest event is dropped.
  @_noLocks @_noAllocation
  mutating func append(_ event: StampedEvent) {
    guard event.positions.frame.count >= floor else { return }
    if count == Self.capacity { dropFirst() }
    events[(head + count) % Self.capacity] = event
    count += 1
  }

  /// Revokes all events from `frame` on, and ignores repeated ones from before it.
  @_noLocks @_noAllocation
  mutating func rewind(to frame: Int64) {
    while count > fixed, events[(head + count - 1) % Self.capacity].positions.frame.count >= frame {
      count -= 1
    }
    floor = frame
  }

  /// Makes all events final.
  @_noLocks @_noAllocation
  mutating func fix() { fixed = count }

  @_noLocks @_noAllocation
  private mutating func dropFirst() {
    head = (head + 1) % Self.capacity
    count -= 1
    fixed = max(0, fixed - 1)
  }

  /// The event at an index, oldest first; nil beyond the last.
  @_noLocks @_noAllocation
  func event(_ place: Int) -> StampedEvent? {
    place < count ? events[(head + place) % Self.capacity] : nil
  }

  /// Number of releases before the oldest other event, which is its index.
  var releasesFirst: Int {
    @_noLocks @_noAllocation get {
      var place = 0
      while let event = event(place), event.event.isRelease { place += 1 }
      return place
    }
  }

  /// Removes and returns the event at an index; older events stay.
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
