// MPD's browsing commands (lsinfo, listfiles, listall, listallinfo): folders, files, playlists and cue sheets. Pure.

import Console
import PlaybackModel

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
      return song(inside, facts, tags) {
        MusicKind.mayHoldSheet(inside)
          ? held(inside, facts, tags) { entries(of: path, facts, tags, namesOnly) }
          : entries(of: path, facts, tags, namesOnly)
      }
    }
  }

  /// The tracks of a file's embedded cue sheet, or the file itself if the index does not contain it; otherwise the
  /// folder of that name.
  private static func held(
    _ name: String, _ facts: MPDFacts, _ tags: [MPDTag]?, orElse folder: @escaping () -> MPDPlan
  ) -> MPDPlan {
    tracks(ofSheet: name, facts, tags) { (lines) throws(MPDRefusal) in
      guard lines.bytes.isEmpty else { return .answer(lines) }
      return .ask(.media(path: name)) { (answer) throws(MPDRefusal) in
        switch answer {
        case .done: return folder()
        // The daemon has just reported that the name does not exist, so no further query is made.
        case .refused(let sentence) where sentence.utf8.starts(with: "there is no".utf8):
          throw .noSuchDirectory
        case .refused, .outdated, .gone: break
        }
        return MPDCommand.songs(of: name, text: "No such directory") { (rows) throws(MPDRefusal) in
          // A file without a sheet yields itself as the only song.
          .answer(rows.count > 1 ? tracks(rows, of: name, tags) : listing(of: rows[...], facts, tags))
        }
      }
    }
  }

  /// The songs of a sheet in the index; no lines if there are none or the index is disabled.
  private static func tracks(
    ofSheet name: String, _ facts: MPDFacts, _ tags: [MPDTag]?,
    then: @escaping (MPDLines) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard facts.hasLibrary, let question = try? LibraryPages(.find, ["folder", name]) else {
      return .withSettings { (_) throws(MPDRefusal) in try then(MPDLines()) }
    }
    return rows(question, MPDLines(), isOptional: true) { row, lines in
      add(row, facts, tags, to: &lines)
    } then: { (lines) throws(MPDRefusal) in
      try then(lines)
    }
  }

  private static func entries(
    of path: String, _ facts: MPDFacts, _ tags: [MPDTag]?, _ namesOnly: Bool
  ) -> MPDPlan {
    let inside = path == "." ? "" : facts.media.name(of: path)
    return rows(of: path == "." ? "" : path, facts) { (rows) throws(MPDRefusal) in
      try songs(in: path, facts, tags) { (songs) throws(MPDRefusal) in
        let sheets = namesOnly ? [] : rows
        return try holders(among: sheets, inside: inside, songs, facts, tags) { (held) throws(MPDRefusal) in
          var lines = MPDLines()
          let place = namesOnly ? "" : inside
          addFiles(rows, inside: place, songs, held, showsTimes: true, to: &lines)
          for row in rows {
            guard let folder = folderName(row, inside: place) else { continue }
            lines.add("directory", folder)
            lines.add(modified: row)
          }
          // MPD also lists the stored playlists in the root folder.
          guard tags != nil, inside.utf8.isEmpty else { return .answer(lines) }
          let answer = lines
          return savedRows { (kept) throws(MPDRefusal) in
            var lines = answer
            for row in kept {
              lines.add("playlist", row["playlist"] ?? "")
              lines.add(modified: row)
            }
            return .answer(lines)
          }
        }
      }
    }
  }

  /// A file in the index; otherwise the folder of that name.
  private static func song(
    _ name: String, _ facts: MPDFacts, _ tags: [MPDTag]?, orElse folder: @escaping () -> MPDPlan
  ) -> MPDPlan {
    guard facts.hasLibrary, let question = try? LibraryPages(.find, ["file", name]) else {
      return folder()
    }
    return rows(question, (lines: MPDLines(), hasSheet: false)) { row, found in
      add(row, facts, tags, to: &found.lines)
      found.hasSheet = found.hasSheet || row.isOn("sheet")
    } then: { (found) throws(MPDRefusal) in
      guard !found.lines.bytes.isEmpty else { return folder() }
      let whole = found.lines
      guard found.hasSheet, MusicKind.mayHoldSheet(name) else { return .answer(whole) }
      // A sheet in a separate file takes precedence; the file then has no tracks of its own.
      return tracks(ofSheet: name, facts, tags) { (tracks) throws(MPDRefusal) in
        .answer(tracks.bytes.isEmpty ? whole : tracks)
      }
    }
  }

  /// The tracks of a cue sheet file.
  private static func sheet(_ name: String, _ facts: MPDFacts, _ tags: [MPDTag]?) -> MPDPlan {
    .ask(.playlist(.show(name: name, from: .first, count: 1))) { (answer) throws(MPDRefusal) in
      _ = try answer.rows(orRefuse: .noSuchThing, "No such directory")
      guard facts.hasLibrary, let question = try? LibraryPages(.find, ["folder", name]) else {
        return MPDCommand.songs(of: name) { (rows) throws(MPDRefusal) in
          .answer(tracks(rows, of: name, tags))
        }
      }
      return rows(question, MPDLines()) { row, lines in
        add(row, facts, tags, to: &lines)
      } then: {
        .answer($0)
      }
    }
  }

  /// Formats a sheet's rows as songs with names below the sheet.
  private static func tracks(_ rows: [BoxFields], of sheet: String, _ tags: [MPDTag]?) -> MPDLines {
    var lines = MPDLines()
    for (i, row) in rows.enumerated() {
      let number = String(i + 1)
      lines.add("file", sheet + "/track" + String("0000".dropLast(number.utf8.count)) + number)
      if let tags { lines.add(song(row, tags)) }
    }
    return lines
  }

  /// Maximum number of a folder's files that are queried for embedded cue sheets.
  private static let maxHolders = 16

  /// The tracks of embedded cue sheets in a folder's files, keyed by file name. Only files whose tracks are in the
  /// index.
  private static func holders(
    among rows: [BoxFields], inside folder: String, _ songs: [MPDName: IndexedSong], _ facts: MPDFacts,
    _ tags: [MPDTag]?, then: @escaping ([MPDName: MPDLines]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let names = rows.compactMap { row -> String? in
      guard !row.isOn("folder"), let name = row["name"], MusicKind.mayHoldSheet(name) else { return nil }
      return MediaPath.joined(folder, name)
    }
    guard facts.hasLibrary, !names.isEmpty else { return try then([:]) }
    guard tags != nil else {
      return try self.songs(in: folder, facts, []) { (songs) throws(MPDRefusal) in
        let known = names.filter { songs[MPDName($0)]?.hasSheet == true }.prefix(maxHolders)
        return try held(by: known, [:], facts, tags, then)
      }
    }
    return try held(
      by: names.filter { songs[MPDName($0)]?.hasSheet == true }.prefix(maxHolders), [:], facts, tags, then)
  }

  private static func held(
    by names: ArraySlice<String>, _ found: [MPDName: MPDLines], _ facts: MPDFacts, _ tags: [MPDTag]?,
    _ then: @escaping ([MPDName: MPDLines]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    guard let name = names.first else { return try then(found) }
    return tracks(ofSheet: name, facts, tags) { (lines) throws(MPDRefusal) in
      var found = found
      if !lines.bytes.isEmpty { found[MPDName(name)] = lines }
      return try held(by: names.dropFirst(), found, facts, tags, then)
    }
  }

  /// A folder and its subfolders, depth first.
  private static func tree(_ name: String, _ tags: [MPDTag]?) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = facts.media.name(of: path)
      let all = from(path == "." ? "" : inside, facts, tags)
      return MediaPath.isSong(inside) ? song(inside, facts, tags) { all } : all
    }
  }

  /// Starts the recursive listing of a folder. The folder's own modification time is found in its parent.
  private static func from(_ folder: String, _ facts: MPDFacts, _ tags: [MPDTag]?) -> MPDPlan {
    guard tags != nil, !folder.utf8.isEmpty else {
      return walk([MPDFolder(name: folder, row: BoxFields())], MPDLines(), tags, folders: 0)
    }
    let outer = MediaPath.folder(of: folder)
    return rows(of: outer, facts, isOptional: true) { (rows) throws(MPDRefusal) in
      let row = rows.first { folderName($0, inside: outer)?.utf8.elementsEqual(folder.utf8) == true }
      return walk([MPDFolder(name: folder, row: row ?? BoxFields())], MPDLines(), tags, folders: 0)
    }
  }

  /// Maximum number of folders in a listing.
  private static let maxFolders = 5000

  private static func walk(
    _ folders: [MPDFolder], _ lines: MPDLines, _ tags: [MPDTag]?, folders count: Int
  ) -> MPDPlan {
    guard let folder = folders.last else { return .answer(lines) }
    return .withSettings { (facts) throws(MPDRefusal) in
      guard count < maxFolders else {
        throw MPDRefusal(.system, "there are more than \(maxFolders) folders; list a part of them")
      }
      // An unreadable or removed subfolder does not fail the listing.
      return rows(of: folder.name, facts, isOptional: count > 0) { (rows) throws(MPDRefusal) in
        try songs(in: folder.name, facts, tags) { (songs) throws(MPDRefusal) in
          try holders(among: rows, inside: folder.name, songs, facts, tags) { (held) throws(MPDRefusal) in
            var lines = lines
            if !folder.name.utf8.isEmpty {
              lines.add("directory", folder.name)
              if tags != nil { lines.add(modified: folder.row) }
            }
            addFiles(
              rows, inside: folder.name, songs, held, showsTimes: tags != nil, showsTracks: true, to: &lines)
            let inner = rows.compactMap { row in
              folderName(row, inside: folder.name).map { MPDFolder(name: $0, row: row) }
            }
            return walk(folders.dropLast() + inner.reversed(), lines, tags, folders: count + 1)
          }
        }
      }
    }
  }

  /// The rows of a folder, without names that contain newlines; MPD omits those, too.
  private static func rows(
    of folder: String, _ facts: MPDFacts, isOptional: Bool = false,
    then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    everyRow(of: folder, facts, isOptional) { (rows) throws(MPDRefusal) in
      try then(rows.filter { CommandLineText.canHold($0["path"] ?? $0["name"] ?? "") })
    }
  }

  /// The rows of a folder. For the root these are the rows of all music folders and the removable media.
  private static func everyRow(
    of folder: String, _ facts: MPDFacts, _ isOptional: Bool,
    _ then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard folder.utf8.isEmpty else {
      return .list(
        .media(path: folder), text: "No such directory", isOptional: isOptional, then: then)
    }
    return .list(.media(path: nil)) { (rows) throws(MPDRefusal) in
      // With several music folders, `media` lists their paths instead of their contents.
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
    // An unavailable music folder does not fail the listing.
    return .list(.media(path: root), isOptional: true) { (more) throws(MPDRefusal) in
      merge(roots.dropFirst(), rows + more, sticks, then)
    }
  }

  /// The name of a folder's row; nil for other rows.
  private static func folderName(_ row: BoxFields, inside folder: String) -> String? {
    // Removable media have rows with paths.
    if let path = row["path"] { return path }
    guard row.isOn("folder"), let name = row["name"] else { return nil }
    return MediaPath.joined(folder, name)
  }

  /// Adds songs, then playlists, as MPD does. A file with an embedded cue sheet is listed as a playlist and as a
  /// folder of its tracks.
  private static func addFiles(
    _ rows: [BoxFields], inside folder: String, _ songs: [MPDName: IndexedSong], _ held: [MPDName: MPDLines],
    showsTimes: Bool, showsTracks: Bool = false, to lines: inout MPDLines
  ) {
    for isPlaylist in [false, true] {
      for row in rows where !row.isOn("folder") {
        guard let name = row["name"] else { continue }
        let path = MediaPath.joined(folder, name)
        let tracks = held[MPDName(path)]
        guard (tracks != nil || title(ofPlaylist: name) != nil) == isPlaylist else { continue }
        lines.add(isPlaylist ? "playlist" : "file", path)
        if tracks == nil, let song = songs[MPDName(path)] {
          lines.add(song.lines)
        } else if showsTimes {
          lines.add(modified: row)
        }
        guard let tracks else { continue }
        lines.add("directory", path)
        if showsTimes { lines.add(modified: row) }
        if showsTracks { lines.add(tracks) }
      }
    }
  }
}

/// A folder that remains to be listed, and its row in the parent.
private struct MPDFolder {
  let name: String
  let row: BoxFields
}
