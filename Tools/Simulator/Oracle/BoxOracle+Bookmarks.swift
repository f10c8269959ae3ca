// Oracle for bookmarks: positions recorded in long tracks must survive a power cut. One thread.

import PlaybackModel
import Player

/// Bookmarks that the box had, over time.
struct BookmarkWatch {
  /// Bookmark position in a track and since when; nil seconds means no bookmark.
  struct Place {
    let seconds: Double?
    let since: UInt64
    /// Tolerance in seconds.
    var tolerance = Self.rounding
    static let rounding = 0.002

    /// Whether the bookmark was removed at once, so that it may never have been written.
    var isBrief: Bool { tolerance > Self.rounding }

    func isPlace(_ other: Double?) -> Bool {
      guard let seconds, let other else { return seconds == nil && other == nil }
      return abs(seconds - other) < tolerance
    }
  }

  /// Bookmarks of one track, oldest first.
  struct Trail {
    let path: String
    var places: [Place]

    /// Whether the storage may hold this position, if everything set until `time` was written.
    func mayBe(_ seconds: Double?, writtenUntil time: UInt64) -> Bool {
      var first = places.lastIndex { $0.since <= time } ?? 0
      // A bookmark is removed when its track plays, but stays in the file until the next write.
      while first > 0, places[first].seconds == nil || places[first].isBrief { first -= 1 }
      // Before the first entry there was no bookmark.
      if seconds == nil, places[0].since > time { return true }
      return places[first...].contains { $0.isPlace(seconds) }
    }
  }

  /// Queue entry, its position and when it was observed.
  struct Heard {
    let track: UInt64
    let path: String
    let seconds: Double
    let at: UInt64
  }

  var trails: [Trail] = []
  /// Bookmarks at the last check; nil if there was none since power-on.
  var known: [TrackPlace]?
  /// Until when all changes are known to be written; nil if unknown.
  var writtenUntil: UInt64?
  /// Playing entry at the last check.
  var heard: Heard?
}

extension BoxOracle {
  /// Nanoseconds until a bookmark is stored.
  private static let delay: UInt64 = 5_000_000_000

  /// Records changes of the bookmarks. Called after each turn of the control thread and before a power cut.
  func lookAtBookmarks(_ places: [TrackPlace]?, _ player: Player?) {
    guard let places else { return }
    if bookmarks.known == nil { judgeBookmarks(places, heard: player?.machine.state.currentTrack) }
    noteOwnSuccessor(player)
    guard places != bookmarks.known else { return }
    bookmarks.known = places
    for trail in bookmarks.trails.indices {
      note(places.first { $0.path == bookmarks.trails[trail].path }?.position.value, in: trail)
    }
    for place in places { note(place.position.value, of: place.path) }
  }

  private func note(_ seconds: Double?, in trail: Int, tolerance: Double = BookmarkWatch.Place.rounding) {
    guard bookmarks.trails[trail].places.last?.seconds != seconds else { return }
    bookmarks.trails[trail].places.append(
      BookmarkWatch.Place(seconds: seconds, since: now, tolerance: tolerance))
  }

  private func note(_ seconds: Double?, of path: String, tolerance: Double = BookmarkWatch.Place.rounding) {
    let place = bookmarks.trails.firstIndex { $0.path == path }
    if place == nil { bookmarks.trails.append(BookmarkWatch.Trail(path: path, places: [])) }
    note(seconds, in: place ?? bookmarks.trails.count - 1, tolerance: tolerance)
  }

  /// Handles a track that follows itself: it is left and entered within one turn, so its bookmark is set and removed
  /// before the next check. The file may still hold it, without harm, because the checkpoint has the position.
  private func noteOwnSuccessor(_ player: Player?) {
    guard let player else { return bookmarks.heard = nil }
    let state = player.machine.state
    let former = bookmarks.heard
    let entered: Track? =
      if case .crossfading(_, let to, _, _, _) = state { to } else { state.currentTrack }
    guard let track = entered else { return bookmarks.heard = nil }
    let rate = player.machine.settings.rate
    bookmarks.heard = BookmarkWatch.Heard(
      track: track.id, path: track.path, seconds: rate.seconds(player.position).value, at: now)
    guard let former, former.track != track.id, former.path == track.path else { return }
    let elapsed = Double(now - former.at) / 1e9
    note(former.seconds + elapsed / 2, of: track.path, tolerance: elapsed / 2 + 0.5)
    note(nil, of: track.path)
  }

  /// Checks the bookmarks that a box has read after power-on.
  private func judgeBookmarks(_ places: [TrackPlace], heard: Track?) {
    defer { bookmarks.trails = [] }
    // A command handled before this moment may have changed them.
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

  /// Prepares for a power cut: determines until when bookmarks must have been written.
  func bookmarksMayBeLost() {
    // A box that had not read its bookmarks did not change them.
    guard bookmarks.known != nil else { return }
    (bookmarks.known, bookmarks.heard) = (nil, nil)
    let time = min(troubleSince ?? .max, stalledUntil + Self.delay > now ? stalledUntil : .max, now)
    bookmarks.writtenUntil = time - min(time, Self.delay)
  }
}
