// MPD's commands for stored playlists: those saved by the daemon, which clients may edit, and playlist files in the
// music folder, which are read-only. Pure.

import Console
import Platform
import PlaybackModel

extension MPDCommand {
  static let playlists: [MPDCommand] = [
    MPDCommand("listplaylists", needs: .read) { (_, _) throws(MPDRefusal) in
      savedRows { kept in
        files { files in
          var lines = MPDLines()
          // Playlist files may differ only in their extension.
          var names: Set<MPDName> = []
          let all =
            kept.map { (name: $0["playlist"] ?? "", row: $0) } + files.map { (name: $0.title, row: $0.row) }
          for (name, row) in all where names.insert(MPDName(name)).inserted {
            lines.add("playlist", name)
            lines.add(modified: row)
          }
          return .answer(lines)
        }
      }
    },
    MPDCommand("listplaylist", 1...2, needs: .read) { (call, _) throws(MPDRefusal) in
      try contents(call, nil)
    },
    MPDCommand("listplaylistinfo", 1...2, needs: .read) { (call, session) throws(MPDRefusal) in
      try contents(call, session.tags)
    },
    MPDCommand("playlistlength", 1...1, needs: .read) { (call, _) throws(MPDRefusal) in
      try find(call.first()) { path in
        songs(of: path) { (rows) throws(MPDRefusal) in
          var (lines, seconds) = (MPDLines(), 0.0)
          for row in rows { seconds += row["length"].flatMap { Decimal.parse($0[...]) } ?? 0 }
          lines.add("songs", rows.count)
          lines.add("playtime", Int(seconds))
          return .answer(lines)
        }
      }
    },
    MPDCommand("load", 1...3, needs: .add) { (call, _) throws(MPDRefusal) in
      let (window, place) = (try call[1].map { (word) throws(MPDRefusal) in try part(word) }, call[2])
      guard let place else { return try find(call.first()) { path in load(path, window, at: nil) } }
      return .withQueue { (facts) throws(MPDRefusal) in
        let index = try target(place, moving: nil, facts)
        return try find(call.first()) { path in load(path, window, at: index) }
      }
    },
    MPDCommand("save", 1...2) { (call, _) throws(MPDRefusal) in
      let name = try name(call.first())
      switch call[1] {
      case nil, "create":
        return saved { (kept) throws(MPDRefusal) in
          guard !kept.contains(name) else { throw MPDRefusal(.exists, "Playlist already exists") }
          return try change(name) { .save($0, .anew) }
        }
      case let mode? where mode == "append" || mode == "replace":
        return saved { (kept) throws(MPDRefusal) in
          guard kept.contains(name) else { throw noSuchPlaylist }
          return try change(name) { .save($0, mode == "append" ? .appending : .replacing) }
        }
      case let mode?:
        throw MPDRefusal(
          .argument, "Unrecognized save mode, expected one of 'create', 'append', 'replace': \(mode)")
      }
    },
    MPDCommand("playlistadd", 2...3) { (call, _) throws(MPDRefusal) in
      let (name, path) = (try name(call.first()), try asked(call.second()))
      guard let word = call[2] else { return try change(name) { .add($0, path: path, at: nil) } }
      let place = try MPDArguments.count(word)
      return saved { (kept) throws(MPDRefusal) in
        guard kept.contains(name) else { return try insert(path, into: name, at: place, []) }
        return songs(of: name) { (rows) throws(MPDRefusal) in try insert(path, into: name, at: place, rows) }
      }
    },
    MPDCommand("playlistclear", 1...1) { (call, _) throws(MPDRefusal) in
      try known(call.first()) { (name) throws(MPDRefusal) in try change(name) { .clear($0) } }
    },
    MPDCommand("playlistdelete", 2...2) { (call, _) throws(MPDRefusal) in
      let word = call.second()
      _ = try MPDArguments.range(word, count: Int(Int32.max))
      return try known(call.first()) { name in
        songs(of: name) { (rows) throws(MPDRefusal) in
          let range = try MPDArguments.range(word, count: rows.count)
          guard !range.isEmpty else { return .told(.storedPlaylist) }
          let first = try QueuePosition(index: range.lowerBound, orRefuse: .noSuchThing, orderText)
          let last = try QueuePosition(index: range.upperBound - 1, orRefuse: .noSuchThing, orderText)
          return try change(name) { .remove($0, first, through: last) }
        }
      }
    },
    MPDCommand("playlistmove", 3...3) { (call, _) throws(MPDRefusal) in
      let (word, target) = (call.second(), try MPDArguments.count(call.arguments[2]))
      // MPD answers OK in this case even if the playlist does not exist.
      guard try part(word).first != target || word.utf8.contains(0x3A) else { return .done }
      return try known(call.first()) { name in
        songs(of: name) { (rows) throws(MPDRefusal) in
          guard let range = try? MPDArguments.range(word, count: rows.count), !range.isEmpty,
            target + range.count <= rows.count
          else { throw MPDRefusal(.argument, "Bad range") }
          guard target != range.lowerBound else { return .done }
          // When moving towards the end, the first song is moved repeatedly, so that the order is kept.
          let isForward = target > range.lowerBound
          let playlist = try PlaylistName(name, orRefuse: .noSuchThing)
          var moves: [Command] = []
          for (i, place) in range.enumerated() {
            let (from, to) =
              isForward ? (range.lowerBound, target + range.count - 1) : (place, target + i)
            moves.append(
              .playlist(
                .move(
                  playlist, from: try QueuePosition(index: from, orRefuse: .noSuchThing),
                  to: try QueuePosition(index: to, orRefuse: .noSuchThing))))
          }
          return .orders(moves, fault: .noSuchThing)
        }
      }
    },
    MPDCommand("rename", 2...2) { (call, _) throws(MPDRefusal) in
      let other = try name(call.second())
      let name = try name(call.first())
      return saved { (kept) throws(MPDRefusal) in
        guard !kept.contains(other) else { throw MPDRefusal(.exists, "Playlist exists already") }
        guard kept.contains(name) else { throw noSuchPlaylist }
        let newName = try PlaylistName(other, orRefuse: .noSuchThing, orderText)
        return try change(name) { .rename($0, to: newName) }
      }
    },
    MPDCommand("rm", 1...1) { (call, _) throws(MPDRefusal) in
      try known(call.first()) { (name) throws(MPDRefusal) in try change(name) { .delete($0) } }
    },
  ]

  /// Parses a range of songs: first, and end (exclusive); nil: to the end.
  private static func part(_ word: String) throws(MPDRefusal) -> (first: Int, end: Int?) {
    let most = Int(Int32.max)
    let range = try MPDArguments.range(word, count: most)
    return (range.lowerBound, range.upperBound == most ? nil : range.upperBound)
  }

  /// Appends or inserts a playlist's songs. An empty range succeeds without effect, as in MPD.
  private static func load(_ path: String, _ part: (first: Int, end: Int?)?, at index: Int?) -> MPDPlan {
    .order(.playlist(.show(name: path, from: .first, count: 1)), fault: .playlistLoad, text: loadText) {
      (fields) throws(MPDRefusal) in
      let first = part?.first ?? 0
      let end = min(part?.end ?? Int.max, fields.integer("tracks") ?? 0)
      guard first < end else { return .done }
      return .withQueue { (facts) throws(MPDRefusal) in
        func position(_ index: Int) throws(MPDRefusal) -> QueuePosition {
          try QueuePosition(index: index, orRefuse: .playlistLoad, loadText)
        }
        let place = try position(index ?? facts.queue.entries.count)
        let part = TrackRange(try position(first), through: try position(end - 1))
        return .adding(.insert(place, path: path, part: part), fault: .playlistLoad, text: loadText)
      }
    }
  }

  /// MPD's message if a playlist cannot be loaded.
  private static let loadText = "Failed to load playlist"
  /// MPD's message if a playlist cannot be changed.
  private static let orderText = "No such directory"
  private static let noSuchPlaylist = MPDRefusal(.noSuchThing, "No such playlist")
  /// Rows per query, because the daemon limits the length of answers.
  private static let page = 200

  /// Changes a saved playlist.
  private static func change(
    _ name: String, _ command: (PlaylistName) -> PlaylistCommand
  ) throws(MPDRefusal) -> MPDPlan {
    let playlist = try PlaylistName(name, orRefuse: .noSuchThing, orderText)
    return .order(.playlist(command(playlist)), fault: .noSuchThing, text: orderText)
  }

  /// Checks a name for a stored playlist.
  static func name(_ text: String) throws(MPDRefusal) -> String {
    guard !text.utf8.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F }) else {
      throw MPDRefusal(.argument, "Bad playlist name")
    }
    return text
  }

  // MARK: Saved playlists

  static func saved(then: @escaping ([String]) throws(MPDRefusal) -> MPDPlan) -> MPDPlan {
    savedRows { (rows) throws(MPDRefusal) in try then(rows.compactMap { $0["playlist"] }) }
  }

  /// The rows of the daemon's saved playlists.
  static func savedRows(then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan) -> MPDPlan {
    .list(.playlist(.list), fault: .system) { (rows) throws(MPDRefusal) in
      try then(rows.filter { $0["playlist"] != nil })
    }
  }

  /// Continues with a saved playlist; refuses playlist files, which are read-only.
  private static func known(
    _ text: String, then: @escaping (_ name: String) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let name = try name(text)
    return saved { (kept) throws(MPDRefusal) in
      guard kept.contains(name) else { throw noSuchPlaylist }
      return try then(name)
    }
  }

  private static func insert(
    _ path: String, into name: String, at place: Int, _ rows: [BoxFields]
  ) throws(MPDRefusal) -> MPDPlan {
    guard place <= rows.count else { throw MPDRefusal(.argument, "Bad position") }
    let position = try QueuePosition(index: place, orRefuse: .noSuchThing, orderText)
    return try change(name) { .add($0, path: path, at: position) }
  }

  // MARK: Playlist files

  /// A playlist file's name without extension; nil for other files.
  static func title(ofPlaylist name: String) -> String? {
    for suffix in [".m3u", ".m3u8", ".pls", ".xspf"] where MPDTag.small(name).utf8.count > suffix.utf8.count {
      if MPDTag.small(name).hasSuffix(suffix) { return String(name.dropLast(suffix.utf8.count)) }
    }
    return nil
  }

  /// The playlist files in the first music folder.
  private static func files(
    then: @escaping ([(title: String, name: String, row: BoxFields)]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .withSettings { (facts) throws(MPDRefusal) in
      // Unavailable storage does not hide the saved playlists.
      .list(.media(path: facts.media.roots.first), isOptional: true) { (rows) throws(MPDRefusal) in
        var found: [(title: String, name: String, row: BoxFields)] = []
        for row in rows where !row.isOn("folder") {
          if let name = row["name"], let title = title(ofPlaylist: name) { found.append((title, name, row)) }
        }
        return try then(found)
      }
    }
  }

  /// Finds a playlist by the name of a saved one, the title of a file, or a file's full name.
  static func find(
    _ text: String, then: @escaping (_ path: String) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(text)
    return reachable(path) { () throws(MPDRefusal) in
      playlist(text, at: path, then)
    }
  }

  private static func playlist(
    _ text: String, at path: String, _ then: @escaping (_ path: String) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    saved { (kept) throws(MPDRefusal) in
      if kept.contains(text) { return try then("playlist:" + text) }
      // A music file with an embedded cue sheet is listed as a playlist, too.
      if title(ofPlaylist: path) != nil || MusicKind.mayHoldSheet(path) { return try then(path) }
      return files { (files) throws(MPDRefusal) in
        guard let file = files.first(where: { $0.title.utf8.elementsEqual(path.utf8) }) else {
          throw noSuchPlaylist
        }
        return try then(file.name)
      }
    }
  }

  // MARK: Songs

  private static func contents(_ call: MPDCall, _ tags: [MPDTag]?) throws(MPDRefusal) -> MPDPlan {
    let window = call[1]
    return try find(call.first()) { path in
      songs(of: path) { (rows) throws(MPDRefusal) in
        let range =
          try window.map { (word) throws(MPDRefusal) in try MPDArguments.range(word, count: rows.count) }
          ?? 0..<rows.count
        return .withSettings { (facts) throws(MPDRefusal) in
          return .answer(listing(of: rows[range], facts, tags))
        }
      }
    }
  }

  /// Formats a playlist's rows as songs; without `tags`, names only.
  static func listing(of rows: ArraySlice<BoxFields>, _ facts: MPDFacts, _ tags: [MPDTag]?) -> MPDLines {
    var lines = MPDLines()
    for row in rows where row["path"] != nil { add(row, facts, tags, to: &lines) }
    return lines
  }

  /// Queries all rows of a playlist, page by page.
  static func songs(
    of name: String, text: String? = nil, then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    songs(of: name, from: .first, [], text, then)
  }

  private static func songs(
    of name: String, from position: QueuePosition, _ found: [BoxFields], _ text: String?,
    _ then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    // Stop when all tracks are there or a page is empty. A page may be shorter than requested, because the length of
    // answers is limited.
    .ask(.playlist(.show(name: name, from: position, count: page))) { (answer) throws(MPDRefusal) in
      let (fields, rows) = try answer.rows(orRefuse: .noSuchThing, text)
      let found = found + rows
      guard !rows.isEmpty, found.count < fields.integer("tracks") ?? 0 else { return try then(found) }
      let next = try QueuePosition(index: found.count, orRefuse: .noSuchThing, text)
      return songs(of: name, from: next, found, text, then)
    }
  }
}
