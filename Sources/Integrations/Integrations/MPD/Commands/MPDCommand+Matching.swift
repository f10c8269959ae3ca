// MPD's commands that search the queue and stored playlists (playlistfind, playlistsearch, searchplaylist,
// searchaddpl). Pure.

import Console
import PlaybackModel

extension MPDCommand {
  static let matching: [MPDCommand] = [
    MPDCommand("playlistfind", 1...MPDRequest.maxArguments, needs: .read) {
      (call, session) throws(MPDRefusal) in
      try inQueue(call.arguments[...], isSearch: false, session.tags)
    },
    MPDCommand("playlistsearch", 1...MPDRequest.maxArguments, needs: .read) {
      (call, session) throws(MPDRefusal) in
      try inQueue(call.arguments[...], isSearch: true, session.tags)
    },
    MPDCommand("searchplaylist", 2...MPDRequest.maxArguments, needs: .read) {
      (call, session) throws(MPDRefusal) in
      try inPlaylist(call.first(), call.arguments.dropFirst(), session.tags)
    },
    MPDCommand("searchaddpl", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      try addToPlaylist(call.first(), Array(call.arguments.dropFirst()))
    },
  ]

  private static func inQueue(
    _ words: ArraySlice<String>, isSearch: Bool, _ tags: [MPDTag]
  ) throws(MPDRefusal) -> MPDPlan {
    let selection = try MPDSelection(of: words)
    let filter = try MPDFilterReader.filter(of: selection.filter, isSearch: isSearch)
    return .withSettings { (_) throws(MPDRefusal) in
      .withTags { (facts) throws(MPDRefusal) in
        let entries = facts.queue.entries
        let found = entries.indices.filter { place in
          let file = MPDFilter.File(
            name: facts.media.name(of: entries[place].path), modified: entries[place].modified,
            format: entries[place].format)
          return filter.matches(file, ignoresCase: isSearch) { entries[place].values($0) }
        }
        var lines = MPDLines()
        for place in selection.part(of: selection.sorted(found, of: entries)) {
          lines.add(MPDStatus.song(entries[place], at: place, facts, tags))
        }
        return .answer(lines)
      }
    }
  }

  /// `searchplaylist`, in MPD since 0.24. A window may follow the filter.
  private static func inPlaylist(
    _ name: String, _ words: ArraySlice<String>, _ tags: [MPDTag]
  ) throws(MPDRefusal) -> MPDPlan {
    var (words, window): (ArraySlice<String>, String?) = (words, nil)
    // A window is present if the arguments are expressions, or an odd number of words.
    if words.count > 1, words.first?.utf8.first == 0x28 || words.count % 2 == 1 {
      window = words.removeLast()
    }
    let filter = try MPDFilterReader.filter(of: words, isSearch: true)
    return try find(name) { path in
      songs(of: path) { (rows) throws(MPDRefusal) in
        .withSettings { (facts) throws(MPDRefusal) in
          let found = rows.filter { row in
            let file = MPDFilter.File(
              name: facts.media.name(of: row["path"] ?? ""), modified: row["modified"], format: row["format"])
            return filter.matches(file, ignoresCase: true) { row.values($0) }
          }
          let range =
            try window.map { (word) throws(MPDRefusal) in try MPDArguments.range(word, count: found.count) }
            ?? 0..<found.count
          return .answer(listing(of: found[range], facts, tags))
        }
      }
    }
  }

  /// Appends the songs found by a search to a playlist, which is created if necessary.
  private static func addToPlaylist(_ text: String, _ words: [String]) throws(MPDRefusal) -> MPDPlan {
    let (words, place) = positioned(words)
    // The daemon's console accepts a single word as a free-text search, MPD does not.
    guard words.count > 1 || words[0].utf8.first == 0x28 else {
      throw MPDRefusal(.argument, "Incorrect number of filter arguments")
    }
    let index = try place.map { (place) throws(MPDRefusal) in try MPDArguments.count(place) }
    return try paths(.search, words) { (paths) throws(MPDRefusal) in
      guard !paths.isEmpty else { return .done }
      let name = try name(text)
      guard let index else { return try addAll(paths[...], to: name, at: nil) }
      return saved { (kept) throws(MPDRefusal) in
        guard kept.contains(name) else { return try insert(paths, into: name, at: index, of: 0) }
        return .order(.playlist(.show(name: name, from: .first, count: 1)), fault: .noSuchThing) {
          (fields) throws(MPDRefusal) in
          try insert(paths, into: name, at: index, of: fields.integer("tracks") ?? 0)
        }
      }
    }
  }

  private static func insert(
    _ paths: [String], into name: String, at index: Int, of count: Int
  ) throws(MPDRefusal) -> MPDPlan {
    guard index <= count else { throw MPDRefusal(.argument, "Bad position") }
    return try addAll(paths[...], to: name, at: index)
  }

  /// Adds songs to a playlist, one after the other: at its end, or from an index on.
  private static func addAll(
    _ paths: ArraySlice<String>, to name: String, at index: Int?
  ) throws(MPDRefusal) -> MPDPlan {
    guard let path = paths.first else { return .done }
    let playlist = try PlaylistName(name, orRefuse: .noSuchThing)
    let position = try index.map { (index) throws(MPDRefusal) in
      try QueuePosition(index: index, orRefuse: .noSuchThing)
    }
    return .order(.playlist(.add(playlist, path: path, at: position)), fault: .noSuchThing) {
      (_) throws(MPDRefusal) in
      try addAll(paths.dropFirst(), to: name, at: index.map { $0 + 1 })
    }
  }
}
