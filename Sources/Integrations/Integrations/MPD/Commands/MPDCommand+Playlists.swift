// MPD's commands for stored playlists: those saved by the daemon, which clients may edit, and playlist files in the
// music folder, which are read-only. Pure.

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
          return order(["save", name])
        }
      case "append", "replace":
        return saved { (kept) throws(MPDRefusal) in
          guard kept.contains(name) else { throw noSuchPlaylist }
          return order(["save", name, call[1] ?? ""])
        }
      case let mode?:
        throw MPDRefusal(
          .argument, "Unrecognized save mode, expected one of 'create', 'append', 'replace': \(mode)")
      }
    },
    MPDCommand("playlistadd", 2...3) { (call, _) throws(MPDRefusal) in
      let (name, path) = (try name(call.first()), try asked(call.second()))
      guard let word = call[2] else { return order(["add", name, path]) }
      let place = try MPDArguments.count(word)
      return saved { (kept) throws(MPDRefusal) in
        guard kept.contains(name) else { return try insert(path, into: name, at: place, []) }
        return songs(of: name) { (rows) throws(MPDRefusal) in try insert(path, into: name, at: place, rows) }
      }
    },
    MPDCommand("playlistclear", 1...1) { (call, _) throws(MPDRefusal) in
      try known(call.first()) { order(["clear", $0]) }
    },
    MPDCommand("playlistdelete", 2...2) { (call, _) throws(MPDRefusal) in
      let word = call.second()
      _ = try MPDArguments.range(word, count: Int(Int32.max))
      return try known(call.first()) { name in
        songs(of: name) { (rows) throws(MPDRefusal) in
          let range = try MPDArguments.range(word, count: rows.count)
          guard !range.isEmpty else { return .told(.storedPlaylist) }
          return order(["remove", name, String(range.lowerBound + 1), String(range.upperBound)])
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
          let moves = range.enumerated().map { i, place in
            target > range.lowerBound
              ? [range.lowerBound + 1, target + range.count] : [place + 1, target + i + 1]
          }
          return .orders(
            moves.map { ["playlist", "move", name, String($0[0]), String($0[1])] }, mayWait: true,
            fault: .noSuchThing)
        }
      }
    },
    MPDCommand("rename", 2...2) { (call, _) throws(MPDRefusal) in
      let other = try name(call.second())
      let name = try name(call.first())
      return saved { (kept) throws(MPDRefusal) in
        guard !kept.contains(other) else { throw MPDRefusal(.exists, "Playlist exists already") }
        guard kept.contains(name) else { throw noSuchPlaylist }
        return order(["rename", name, other])
      }
    },
    MPDCommand("rm", 1...1) { (call, _) throws(MPDRefusal) in
      try known(call.first()) { order(["delete", $0]) }
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
    .order(
      ["playlist", "show", path, "1", "1"], mayWait: true, fault: .playlistLoad,
      text: "Failed to load playlist"
    ) {
      (fields) throws(MPDRefusal) in
      let first = part?.first ?? 0
      let end = min(part?.end ?? Int.max, fields.integer("tracks") ?? 0)
      guard first < end else { return .done }
      return .withQueue { (facts) throws(MPDRefusal) in
        let place = String((index ?? facts.queue.entries.count) + 1)
        return .adding(
          ["queue", "insert", place, path, "\(first + 1):\(end)"], fault: .playlistLoad,
          text: "Failed to load playlist")
      }
    }
  }

  private static let noSuchPlaylist = MPDRefusal(.noSuchThing, "No such playlist")
  /// Rows per query, because the daemon limits the length of answers.
  private static let page = 200

  private static func order(_ words: [String]) -> MPDPlan {
    .order(["playlist"] + words, mayWait: true, fault: .noSuchThing, text: "No such directory")
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
    .list(["playlist"], mayWait: true, fault: .system) { (rows) throws(MPDRefusal) in
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
    return order(["add", name, path, String(place + 1)])
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
      let root = facts.media.roots.first.map { [$0] } ?? []
      // Unavailable storage does not hide the saved playlists.
      return .list(["media"] + root, mayWait: true, isOptional: true) { (rows) throws(MPDRefusal) in
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
    of name: String, _ found: [BoxFields] = [], text: String? = nil,
    then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    let words = ["playlist", "show", name, String(found.count + 1), String(page)]
    // Stop when all tracks are there or a page is empty. A page may be shorter than requested, because the length of
    // answers is limited.
    return .ask(words, mayWait: true) { (answer) throws(MPDRefusal) in
      let (fields, rows) = try answer.rows(orRefuse: .noSuchThing, text)
      let found = found + rows
      guard !rows.isEmpty, found.count < fields.integer("tracks") ?? 0 else { return try then(found) }
      return songs(of: name, found, text: text, then: then)
    }
  }
}
