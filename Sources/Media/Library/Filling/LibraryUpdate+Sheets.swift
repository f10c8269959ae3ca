// Indexes the cue sheets of a folder. Their tracks are stored below the sheet's path, as if it were a folder, and
// replace the files they are parts of. Runs in the update process; blocks on storage and on the worker that parses
// sheets.

import Decoding
import Media
import PlaybackModel
import Platform

extension LibraryUpdate {
  /// A cue sheet on storage.
  private struct Sheet {
    let path: String
    let stamp: FileStamp
  }

  /// Updates the sheets of a folder if one of them has changed.
  ///
  /// - Parameters:
  ///   - folder: Path of the folder.
  ///   - files: Its files.
  ///   - haveFilesChanged: Whether any of the files has changed, which requires reading the sheets again.
  func compareSheets(
    _ folder: String, _ files: [DirectoryEntry], haveFilesChanged: Bool
  ) throws(LibraryFault) {
    var known: [String: FileStamp] = [:]
    try database.rows(
      "SELECT path, \(FileStamp.columns) FROM sheet WHERE folder = ?", [.text(folder)]
    ) { (row) throws(LibraryFault) in known[row.text(0)] = FileStamp(row, from: 1) }
    let beside = Self.sheets(files.filter { MediaList.isCueSheet($0.name) }, in: folder)
    // Separate sheets take precedence over embedded ones.
    let held = Self.sheets(files.filter { MusicKind.mayHoldSheet($0.name) }, in: folder).filter {
      holders.contains($0.path) || known[$0.path] == $0.stamp
    }
    let sheets = beside + held
    for sheet in sheets { try noteVisited(sheet.path) }
    let areSame = sheets.count == known.count && sheets.allSatisfy { known[$0.path] == $0.stamp }
    guard !areSame || (haveFilesChanged && !sheets.isEmpty) else { return }
    guard let found = read(sheets, of: files, in: folder) else {
      // Keep the known tracks, which may still be right, and check again in the next update.
      return try database.run("UPDATE sheet SET \(FileStamp.distrust) WHERE folder = ?", [.text(folder)])
    }
    for path in known.keys where !sheets.contains(where: { $0.path == path }) { try forgetTracks(of: path) }
    try database.run("UPDATE track SET indexed = 0 WHERE folder = ?", [.text(folder)])
    try database.run("DELETE FROM sheet WHERE folder = ?", [.text(folder)])
    for (sheet, entries) in found { try replace(entries, of: sheet, in: folder) }
    try didChange()
  }

  private static func sheets(_ files: [DirectoryEntry], in folder: String) -> [Sheet] {
    files.prefix(MediaList.maxCueSheets).compactMap { entry in
      let path = Directory.path(of: entry.name, in: folder)
      guard let status = try? FileStatus.of(path), status.isRegular else { return nil }
      return Sheet(path: path, stamp: FileStamp(status))
    }
  }

  /// The tracks of each sheet, none for a sheet without matching files; nil if a sheet could not be read because of its
  /// storage.
  private func read(
    _ sheets: [Sheet], of files: [DirectoryEntry], in folder: String
  ) -> [(sheet: Sheet, entries: [MediaList.SheetEntry])]? {
    let paths = Set(files.map { Directory.path(of: $0.name, in: folder) })
    var taken: Set<String> = []
    var found: [(sheet: Sheet, entries: [MediaList.SheetEntry])] = []
    for sheet in sheets {
      onStep()
      var entries: [MediaList.SheetEntry] = []
      do throws(WorkerFailure) {
        entries = try MediaList.entries(ofSheet: sheet.path, among: paths, apartFrom: taken, within: roots)
      } catch {
        summary.note = "\(sheet.path): \(error.sentence)"
        if error.isPassing { return nil }
      }
      for entry in entries { taken.insert(entry.track.path) }
      found.append((sheet, entries))
    }
    return found
  }

  private func forgetTracks(of sheet: String) throws(LibraryFault) {
    try database.run("DELETE FROM track WHERE folder = ?", [.text(sheet)])
    summary.removed += database.changes
    room += database.changes
  }

  /// Replaces the tracks of a sheet.
  private func replace(
    _ entries: [MediaList.SheetEntry], of sheet: Sheet, in folder: String
  ) throws(LibraryFault) {
    try database.run(
      "INSERT INTO sheet VALUES(?,?,?,?,?,?)", [.text(sheet.path), .text(folder)] + sheet.stamp.values)
    let former = try database.number(
      "SELECT coalesce(min(added), 0) FROM track WHERE folder = ?", [.text(sheet.path)])
    let records = try records(of: entries, sheet, added: former > 0 ? former : WallClock.seconds())
    try forgetTracks(of: sheet.path)
    summary.removed -= min(database.changes, records.count)
    guard records.count <= room else {
      summary.note = "the index holds no more than \(Self.maxTracks) tracks"
      return
    }
    for record in records { try record.store(in: database) }
    // Usually all tracks are parts of one file.
    for path in Set(records.isEmpty ? [] : entries.map { $0.track.path }) {
      try database.run("UPDATE track SET indexed = 1 WHERE path = ?", [.text(path)])
    }
    room -= records.count
    summary.read += records.count
  }

  /// Records for the tracks of a sheet; none if one of the files is unreadable.
  private func records(
    of entries: [MediaList.SheetEntry], _ sheet: Sheet, added: Int64
  ) throws(LibraryFault) -> [TrackRecord] {
    var records: [TrackRecord] = []
    for (i, entry) in entries.enumerated() {
      guard let file = try IndexedFile(entry.track.path, in: database) else { return [] }
      let place = SheetTrack(of: sheet.path, number: i + 1)
      records.append(TrackRecord(entry, at: place, sheet.stamp, now: added, file))
    }
    return records
  }
}
