// Commands about what there is to play: folders, and the files in them. Pure.

import Console

extension MPDCommand {
  static let browsing: [MPDCommand] = [
    MPDCommand("lsinfo", 0...1, needs: .read) { (call, session) throws(MPDRefusal) in
      try folder(call[0] ?? "", session.tags)
    },
    MPDCommand("listfiles", 0...1, needs: .read) { (call, _) throws(MPDRefusal) in
      try folder(call[0] ?? "", nil, namesOnly: true)
    },
    MPDCommand("listall", 0...1, needs: .read) { (call, _) throws(MPDRefusal) in try tree(call[0] ?? "", nil)
    },
    MPDCommand("listallinfo", 0...1, needs: .read) { (call, session) throws(MPDRefusal) in
      try tree(call[0] ?? "", session.tags)
    },
  ]

  private static func folder(
    _ name: String, _ tags: [MPDTag]?, namesOnly: Bool = false
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = path == "." ? "" : facts.media.name(of: path)
      guard inside.utf8.first != 0x2F else { throw .accessDenied }
      if MPDTag.small(inside).hasSuffix(".cue"), !namesOnly { return sheet(inside, facts, tags) }
      guard MediaPath.isSong(inside), !namesOnly else { return entries(of: path, facts, tags, namesOnly) }
      return song(inside, facts, tags) { entries(of: path, facts, tags, namesOnly) }
    }
  }

  private static func entries(
    of path: String, _ facts: MPDFacts, _ tags: [MPDTag]?, _ namesOnly: Bool
  ) -> MPDPlan {
    let inside = path == "." ? "" : facts.media.name(of: path)
    return rows(of: path == "." ? "" : path, facts) { (rows) throws(MPDRefusal) in
      try songs(in: path, facts, tags) { (songs) throws(MPDRefusal) in
        var lines = MPDLines()
        let place = namesOnly ? "" : inside
        addFiles(rows, inside: place, songs, to: &lines)
        for row in rows {
          if let folder = folderName(row, inside: place) { lines.add("directory", folder) }
        }
        // As MPD does, beside the music.
        guard tags != nil, inside.utf8.isEmpty else { return .answer(lines) }
        let answer = lines
        return saved { (kept) throws(MPDRefusal) in
          var lines = answer
          for name in kept { lines.add("playlist", name) }
          return .answer(lines)
        }
      }
    }
  }

  /// A file by itself, which the index knows; else a folder of its name.
  private static func song(
    _ name: String, _ facts: MPDFacts, _ tags: [MPDTag]?, orElse folder: @escaping () -> MPDPlan
  ) -> MPDPlan {
    guard facts.hasLibrary, let question = try? LibraryPages("find", ["file", name]) else {
      return folder()
    }
    return rows(question, MPDLines()) { row, lines in
      lines.add("file", facts.media.name(of: row["path"] ?? ""))
      if let tags { lines.add(song(row, tags)) }
    } then: { (lines) throws(MPDRefusal) in
      lines.bytes.isEmpty ? folder() : .answer(lines)
    }
  }

  /// The tracks of a cue sheet, by their names in it.
  private static func sheet(_ name: String, _ facts: MPDFacts, _ tags: [MPDTag]?) -> MPDPlan {
    .ask(["playlist", "show", name, "1", "1"], mayWait: true) { (answer) throws(MPDRefusal) in
      _ = try answer.rows(orRefuse: .noSuchThing, "No such directory")
      guard facts.hasLibrary, let question = try? LibraryPages("find", ["folder", name]) else {
        return MPDCommand.songs(of: name) { (rows) throws(MPDRefusal) in
          var lines = MPDLines()
          for (i, row) in rows.enumerated() {
            let number = String(i + 1)
            lines.add("file", name + "/track" + String("0000".dropLast(number.utf8.count)) + number)
            if let tags { lines.add(song(row, tags)) }
          }
          return .answer(lines)
        }
      }
      return rows(question, MPDLines()) { row, lines in
        lines.add("file", facts.media.name(of: row["path"] ?? ""))
        if let tags { lines.add(song(row, tags)) }
      } then: {
        .answer($0)
      }
    }
  }

  /// What a folder holds, and what its folders hold, one after another.
  private static func tree(_ name: String, _ tags: [MPDTag]?) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = facts.media.name(of: path)
      let all = walk([path == "." ? "" : inside], MPDLines(), tags, folders: 0)
      return MediaPath.isSong(inside) ? song(inside, facts, tags) { all } : all
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
      // A folder that cannot be read, or has gone, keeps nobody from the others.
      return rows(of: folder, facts, isOptional: count > 0) { (rows) throws(MPDRefusal) in
        try songs(in: folder, facts, tags) { (songs) throws(MPDRefusal) in
          var lines = lines
          if !folder.utf8.isEmpty { lines.add("directory", folder) }
          addFiles(rows, inside: folder, songs, to: &lines)
          let inner = rows.compactMap { folderName($0, inside: folder) }
          return walk(folders.dropLast() + inner.reversed(), lines, tags, folders: count + 1)
        }
      }
    }
  }

  /// The rows of a folder whose names a client can give back; MPD, too, leaves out names with the end of a line in them.
  private static func rows(
    of folder: String, _ facts: MPDFacts, isOptional: Bool = false,
    then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    everyRow(of: folder, facts, isOptional) { (rows) throws(MPDRefusal) in
      try then(rows.filter { CommandLineText.canHold($0["path"] ?? $0["name"] ?? "") })
    }
  }

  /// The rows of a folder; those of the first are what all folders with music hold, and the sticks.
  private static func everyRow(
    of folder: String, _ facts: MPDFacts, _ isOptional: Bool,
    _ then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard folder.utf8.isEmpty else {
      return .list(
        ["media", folder], mayWait: true, text: "No such directory", isOptional: isOptional, then: then)
    }
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
    _ rows: [BoxFields], inside folder: String, _ songs: [MPDName: MPDLines], to lines: inout MPDLines
  ) {
    for isPlaylist in [false, true] {
      for row in rows where !row.isOn("folder") {
        guard let name = row["name"], (title(ofPlaylist: name) != nil) == isPlaylist else { continue }
        let path = MediaPath.joined(folder, name)
        lines.add(isPlaylist ? "playlist" : "file", path)
        if let song = songs[MPDName(path)] { lines.add(song) }
      }
    }
  }
}
