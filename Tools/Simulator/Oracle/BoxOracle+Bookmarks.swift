// Judges the bookmarks of a box: what it has noted of long tracks is there after a loss of power. One thread.

import PlaybackModel

/// What bookmarks a box had.
struct BookmarkWatch {
  /// The places in one track, one after the other, each with the time since when it was there; nil: none.
  struct Trail {
    let path: String
    var places: [(seconds: Double?, since: UInt64)]

    /// Whether a place may be what the storage holds, where all was written that was so at a time.
    func mayBe(_ seconds: Double?, writtenUntil time: UInt64) -> Bool {
      var first = places.lastIndex { $0.since <= time } ?? 0
      // One that is used up, because its track is heard, stays in the file until something else is written.
      while first > 0, places[first].seconds == nil { first -= 1 }
      // Before the first of them there was none.
      if seconds == nil, places[0].since > time { return true }
      return places[first...].contains { place in
        guard let seconds, let known = place.seconds else {
          return (seconds == nil) == (place.seconds == nil)
        }
        return abs(seconds - known) < 0.002
      }
    }
  }

  var trails: [Trail] = []
  /// As they were looked at last; nil: nobody has since the power came on.
  var known: [TrackPlace]?
  /// Until when all was written that was so; nil where nobody knows it.
  var writtenUntil: UInt64?
}

extension BoxOracle {
  /// How long a bookmark may be on its way to the storage.
  private static let delay: UInt64 = 5_000_000_000

  /// After each turn of the control thread, and before the power goes.
  func lookAtBookmarks(_ places: [TrackPlace]?, heard: Track?) {
    guard let places, places != bookmarks.known else { return }
    if bookmarks.known == nil { judgeBookmarks(places, heard: heard) }
    bookmarks.known = places
    for trail in bookmarks.trails.indices {
      note(places.first { $0.path == bookmarks.trails[trail].path }?.position.value, in: trail)
    }
    for place in places where !bookmarks.trails.contains(where: { $0.path == place.path }) {
      bookmarks.trails.append(BookmarkWatch.Trail(path: place.path, places: [(place.position.value, now)]))
    }
  }

  private func note(_ seconds: Double?, in trail: Int) {
    guard bookmarks.trails[trail].places.last?.seconds != seconds else { return }
    bookmarks.trails[trail].places.append((seconds, now))
  }

  /// The box is on again, and has read them.
  private func judgeBookmarks(_ places: [TrackPlace], heard: Track?) {
    defer { bookmarks.trails = [] }
    // Who takes commands before that may have changed them.
    guard let time = bookmarks.writtenUntil, openedAt.map({ $0 == now }) ?? true else { return }
    for place in places where !bookmarks.trails.contains(where: { $0.path == place.path }) {
      oracle.fail(
        .memory, expected: "no bookmark in \(place.path)", found: "one at \(place.position.value) s")
    }
    for trail in bookmarks.trails where trail.path != heard?.path {
      let seconds = places.first { $0.path == trail.path }?.position.value
      guard !trail.mayBe(seconds, writtenUntil: time) else { continue }
      let expected = trail.places.last?.seconds.map { "\($0) s" } ?? "none"
      oracle.fail(
        .memory, expected: "the bookmark in \(trail.path): \(expected)",
        found: seconds.map { "\($0) s" } ?? "none")
    }
  }

  /// The box is about to lose its power.
  func bookmarksMayBeLost() {
    // A box that had not read them holds what it held.
    guard bookmarks.known != nil else { return }
    bookmarks.known = nil
    let time = min(troubleSince ?? .max, stalledUntil + Self.delay > now ? stalledUntil : .max, now)
    bookmarks.writtenUntil = time - min(time, Self.delay)
  }
}
