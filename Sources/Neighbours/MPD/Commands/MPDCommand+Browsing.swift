// Commands about what there is to play: folders, and playlists, which are files in them. Pure.

extension MPDCommand {
  static let browsing: [MPDCommand] = [
    MPDCommand("lsinfo", 0...1) { (call, session) throws(MPDRefusal) in
      try folder(call[0] ?? "", session.tags)
    },
    MPDCommand("listfiles", 0...1) { (call, _) throws(MPDRefusal) in
      try folder(call[0] ?? "", nil, namesOnly: true)
    },
    MPDCommand("listall", 0...1) { (call, _) throws(MPDRefusal) in try tree(call[0] ?? "", nil) },
    MPDCommand("listallinfo", 0...1) { (call, session) throws(MPDRefusal) in
      try tree(call[0] ?? "", session.tags)
    },
    MPDCommand("listplaylists") { (_, _) throws(MPDRefusal) in
      .withSettings { (facts) throws(MPDRefusal) in
        .list(["media"] + facts.rootOfPlaylists, mayWait: true) { (rows) throws(MPDRefusal) in
          var lines = MPDLines()
          for row in rows where !row.isOn("folder") {
            guard let name = row["name"], let title = playlist(name) else { continue }
            lines.add("playlist", title)
          }
          return .answer(lines)
        }
      }
    },
    MPDCommand("load", 1...3) { (call, _) throws(MPDRefusal) in
      guard call[1] == nil || call[1] == "0:" else {
        throw MPDRefusal(.argument, "a box loads whole playlists only")
      }
      return try findPlaylist(call.first()) {
        .order(["queue", "add", $0], mayWait: true, fault: .playlistLoad)
      }
    },
  ]

  /// The title of a playlist's file; nil for what is none.
  private static func playlist(_ name: String) -> String? {
    for suffix in [".m3u", ".m3u8", ".pls", ".xspf"] where MPDTag.small(name).utf8.count > suffix.utf8.count {
      if MPDTag.small(name).hasSuffix(suffix) { return String(name.dropLast(suffix.utf8.count)) }
    }
    return nil
  }

  /// Finds the file of a playlist by its title, or by its whole name.
  private static func findPlaylist(
    _ title: String, then: @escaping (_ path: String) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let title = try asked(title)
    return .withSettings { (facts) throws(MPDRefusal) in
      if playlist(title) != nil { return then(title) }
      return .list(["media"] + facts.rootOfPlaylists, mayWait: true) { (rows) throws(MPDRefusal) in
        for row in rows {
          if let name = row["name"], playlist(name) == title { return then(name) }
        }
        throw MPDRefusal(.noSuchThing, "No such playlist")
      }
    }
  }

  private static func folder(
    _ name: String, _ tags: [MPDTag]?, namesOnly: Bool = false
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = path == "." ? "" : facts.media.name(of: path)
      return rows(of: path == "." ? "" : path, facts) { (rows) throws(MPDRefusal) in
        songs(in: path, facts, tags) { songs in
          var lines = MPDLines()
          let place = namesOnly ? "" : inside
          addFiles(rows, inside: place, songs, to: &lines)
          for row in rows {
            if let folder = folderName(row, inside: place) { lines.add("directory", folder) }
          }
          return .answer(lines)
        }
      }
    }
  }

  /// What a folder holds, and what its folders hold, one after another.
  private static func tree(_ name: String, _ tags: [MPDTag]?) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      walk([path == "." ? "" : facts.media.name(of: path)], MPDLines(), tags, folders: 0)
    }
  }

  /// The most folders of one listing.
  private static let mostFolders = 5000

  private static func walk(
    _ folders: [String], _ lines: MPDLines, _ tags: [MPDTag]?, folders count: Int
  ) -> MPDPlan {
    guard let folder = folders.last else { return .answer(lines) }
    return .withSettings { (facts) throws(MPDRefusal) in
      guard count < mostFolders else {
        throw MPDRefusal(.system, "there are more than \(mostFolders) folders; list a part of them")
      }
      return rows(of: folder, facts) { (rows) throws(MPDRefusal) in
        songs(in: folder, facts, tags) { songs in
          var lines = lines
          if !folder.utf8.isEmpty { lines.add("directory", folder) }
          addFiles(rows, inside: folder, songs, to: &lines)
          let inner = rows.compactMap { folderName($0, inside: folder) }
          return walk(folders.dropLast() + inner.reversed(), lines, tags, folders: count + 1)
        }
      }
    }
  }

  /// The rows of a folder; those of the first are what all folders with music hold, and the sticks.
  private static func rows(
    of folder: String, _ facts: MPDFacts, then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard folder.utf8.isEmpty else { return .list(["media", folder], mayWait: true, then: then) }
    return .list(["media"], mayWait: true) { (rows) throws(MPDRefusal) in
      // Where there are several, their paths are told instead of what they hold.
      guard rows.contains(where: { $0["path"] != nil }) else { return try then(rows) }
      let sticks = rows.filter { row in !facts.media.roots.contains { row["path"] == $0 } }
      return merge(facts.media.roots[...], [], sticks, then)
    }
  }

  private static func merge(
    _ roots: ArraySlice<String>, _ rows: [BoxFields], _ sticks: [BoxFields],
    _ then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard let root = roots.first else {
      return .withSettings { (_) throws(MPDRefusal) in try then(rows + sticks) }
    }
    // One that does not answer keeps nobody from the others.
    return .list(["media", root], mayWait: true, isOptional: true) { (more) throws(MPDRefusal) in
      merge(roots.dropFirst(), rows + more, sticks, then)
    }
  }

  /// The name of a row that is a folder; nil for other rows.
  private static func folderName(_ row: BoxFields, inside folder: String) -> String? {
    // Sticks are rows with paths.
    if let path = row["path"] { return path }
    guard row.isOn("folder"), let name = row["name"] else { return nil }
    return MediaPath.joined(folder, name)
  }

  /// What is no folder, in MPD's order.
  private static func addFiles(
    _ rows: [BoxFields], inside folder: String, _ songs: [String: MPDLines], to lines: inout MPDLines
  ) {
    for isPlaylist in [false, true] {
      for row in rows where !row.isOn("folder") {
        guard let name = row["name"], (playlist(name) != nil) == isPlaylist else { continue }
        let path = MediaPath.joined(folder, name)
        lines.add(isPlaylist ? "playlist" : "file", path)
        if let song = songs[path] { lines.add(song) }
      }
    }
  }
}

extension MPDFacts {
  /// The folder whose playlists are those of the box: the first with music.
  fileprivate var rootOfPlaylists: [String] { media.roots.first.map { [$0] } ?? [] }
}
