// Judges the bookmarks of a box: what it has noted of long tracks is there after a loss of power. One thread.

import PlaybackModel
import Player

/// What bookmarks a box had.
struct BookmarkWatch {
  /// A place in a track, and since when it was there; nil: none.
  struct Place {
    let seconds: Double?
    let since: UInt64
    /// By how many seconds it may be another one.
    var tolerance = Self.rounding
    static let rounding = 0.002

    /// Whether it was used up as soon as it was there, so that it may never have been written.
    var isBrief: Bool { tolerance > Self.rounding }

    func isPlace(_ other: Double?) -> Bool {
      guard let seconds, let other else { return seconds == nil && other == nil }
      return abs(seconds - other) < tolerance
    }
  }

  /// The places in one track, one after the other.
  struct Trail {
    let path: String
    var places: [Place]

    /// Whether a place may be what the storage holds, where all was written that was so at a time.
    func mayBe(_ seconds: Double?, writtenUntil time: UInt64) -> Bool {
      var first = places.lastIndex { $0.since <= time } ?? 0
      // One that is used up, because its track is heard, stays in the file until something else is written.
      while first > 0, places[first].seconds == nil || places[first].isBrief { first -= 1 }
      // Before the first of them there was none.
      if seconds == nil, places[0].since > time { return true }
      return places[first...].contains { $0.isPlace(seconds) }
    }
  }

  /// An entry of the queue, where it stood, and when that was.
  struct Heard {
    let track: UInt64
    let path: String
    let seconds: Double
    let at: UInt64
  }

  var trails: [Trail] = []
  /// As they were looked at last; nil: nobody has since the power came on.
  var known: [TrackPlace]?
  /// Until when all was written that was so; nil where nobody knows it.
  var writtenUntil: UInt64?
  /// As it was looked at last.
  var heard: Heard?
}

extension BoxOracle {
  /// How long a bookmark may be on its way to the storage.
  private static let delay: UInt64 = 5_000_000_000

  /// After each turn of the control thread, and before the power goes.
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

  /// A track that follows itself is left and heard again at once: its place is used up before anybody looks, and in the file all the
  /// same, where nobody misses what the checkpoint holds.
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
    (bookmarks.known, bookmarks.heard) = (nil, nil)
    let time = min(troubleSince ?? .max, stalledUntil + Self.delay > now ? stalledUntil : .max, now)
    bookmarks.writtenUntil = time - min(time, Self.delay)
  }
}
