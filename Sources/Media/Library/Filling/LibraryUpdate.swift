// Updates the music index for one root: reads new and changed files and removes missing ones. Runs in a process of its
// own at idle priority; may block on storage indefinitely.

import CLinux
import Decoding
import Media
import PlaybackModel
import Platform

/// Result of an update.
package struct LibraryUpdateSummary: Hashable, Sendable {
  /// Number of tracks below the root.
  package var tracks = 0
  /// Number of tracks that were new or changed and have been read.
  package var read = 0
  /// Number of tracks removed.
  package var removed = 0
  /// Number of unreadable files.
  package var faults = 0
  /// What was left out, as a sentence; empty if nothing was.
  package var note = ""
}

/// One pass over a root.
final class LibraryUpdate {
  /// Maximum number of tracks in an index.
  static let maxTracks = 200_000
  /// Number of changes per transaction.
  private static let batch = 200
  /// Maximum duration of a transaction with changes, in nanoseconds.
  private static let maxBatch: UInt64 = 5_000_000_000

  private let index: LibraryIndex
  let roots: MediaRoots
  private let root: String
  /// Called regularly to report progress.
  let onStep: () -> Void
  /// Result so far.
  var summary = LibraryUpdateSummary()
  private var seen: Set<FileIdentity> = []
  private var pending = 0
  private var batchBegan: UInt64 = 0
  /// Number of tracks that can still be added.
  var room = 0
  /// Files that contain a cue sheet.
  var holders: Set<String> = []

  /// Prepares an update of everything below a root.
  init(_ index: LibraryIndex, root: String, onStep: @escaping () -> Void) {
    self.index = index
    roots = MediaRoots([root])
    self.root = roots.folders[0]
    self.onStep = onStep
  }

  var database: Database { index.database }

  /// Runs the update.
  func run() throws(LibraryFault) -> LibraryUpdateSummary {
    let here = LibrarySQL.beneath(root)
    let known = try index.count(here)
    room = try Self.maxTracks - index.count(.all([]))
    guard let names = entries(of: root), !names.isEmpty || known == 0 else {
      // Probably a mount point without its storage.
      summary.note = "\(root) is empty or cannot be read: what was known of it is kept"
      summary.tracks = known
      return summary
    }
    try database.run("CREATE TEMP TABLE IF NOT EXISTS visited(folder TEXT NOT NULL PRIMARY KEY)")
    try database.run("DELETE FROM visited")
    try begin()
    try forgetFaultsOfOtherCodecs()
    // A link may lead back to the root.
    _ = isNew(root)
    try visit(root, names, depth: 0)
    if entries(of: root)?.isEmpty == false || names.isEmpty {
      try forgetFolders(here)
    } else {
      summary.note = "\(root) went away: what was known of it is kept"
    }
    try index.set(.updated, WallClock.seconds())
    try database.run("COMMIT")
    summary.tracks = try index.count(.all([here, .readable]))
    summary.faults = try index.count(.all([here, .faulty]))
    return summary
  }

  // MARK: Traversal

  private func visit(_ folder: String, _ names: [DirectoryEntry], depth: Int) throws(LibraryFault) {
    onStep()
    try noteVisited(folder)
    let files = names.filter { !$0.isDirectory }
    let haveChanged = try compare(folder, files.filter { MediaList.isMedia($0.name) })
    try compareSheets(folder, files, haveFilesChanged: haveChanged)
    for entry in names where entry.isDirectory {
      let inner = Directory.path(of: entry.name, in: folder)
      guard depth + 1 < MediaList.deepestFolder else {
        summary.note = "\(inner) lies too deep"
        continue
      }
      guard isNew(inner) else { continue }
      guard let names = entries(of: inner) else {
        // Its contents are unknown, so nothing below it is removed.
        try keep(inner)
        summary.note = "\(inner) cannot be read"
        continue
      }
      try visit(inner, names, depth: depth + 1)
    }
  }

  /// Marks a folder or cue sheet as present, so that its tracks are not removed.
  func noteVisited(_ folder: String) throws(LibraryFault) {
    try database.run("INSERT OR IGNORE INTO visited VALUES(?)", [.text(folder)])
  }

  /// Entries of a folder in natural order; nil if it cannot be read or is outside the root.
  private func entries(of folder: String) -> [DirectoryEntry]? {
    guard (try? roots.open(folder, CLINUX_O_PATH)) != nil else { return nil }
    return (try? Directory.entries(of: folder))?.sorted { NaturalOrder.isBefore($0.name, $1.name) }
  }

  /// Whether a folder is visited for the first time; a link may lead to it again.
  private func isNew(_ folder: String) -> Bool {
    guard let status = try? FileStatus.of(folder) else { return true }
    return seen.insert(status.identity).inserted
  }

  private func keep(_ folder: String) throws(LibraryFault) {
    let inside = LibrarySQL.beneath(folder)
    try database.run(
      "INSERT OR IGNORE INTO visited SELECT DISTINCT folder FROM track WHERE " + inside.text, inside.values)
  }

  /// Marks unreadable files to be read again if the codecs have changed.
  private func forgetFaultsOfOtherCodecs() throws(LibraryFault) {
    var sum: Int64 = 0
    for path in Inspection.pluginFiles {
      for byte in path.utf8 { sum = sum &* 31 &+ Int64(byte) }
      let status = try? FileStatus.of(path)
      sum = sum &* 31 &+ (status?.modified ?? 0)
      sum = sum &* 31 &+ Int64(status?.modifiedNanoseconds ?? 0)
    }
    guard try index.fact(.codecs) != sum else { return }
    try database.run("UPDATE track SET \(FileStamp.distrust) WHERE " + LibrarySQL.faulty.text)
    try index.set(.codecs, sum)
  }

  private func forgetFolders(_ here: LibrarySQL) throws(LibraryFault) {
    try database.run(
      "DELETE FROM track WHERE " + here.text + " AND folder NOT IN (SELECT folder FROM visited)", here.values)
    summary.removed += database.changes
    try database.run(
      "DELETE FROM sheet WHERE " + here.text + " AND folder NOT IN (SELECT folder FROM visited)", here.values)
  }

  // MARK: One folder

  /// Reads the new and changed files of a folder, and removes the missing ones.
  ///
  /// - Returns: Whether there were any.
  private func compare(_ folder: String, _ files: [DirectoryEntry]) throws(LibraryFault) -> Bool {
    var hasChanged = false
    var known: [String: FileStamp] = [:]
    try database.rows(
      "SELECT path, \(FileStamp.columns) FROM track WHERE folder = ?", [.text(folder)]
    ) { (row) throws(LibraryFault) in
      known[row.text(0)] = FileStamp(row, from: 1)
    }
    for entry in files {
      let path = Directory.path(of: entry.name, in: folder)
      let before = known.removeValue(forKey: path)
      // If the storage disappears during the update, the remaining files are kept.
      guard let status = try? FileStatus.of(path), status.isRegular else { continue }
      let stamp = FileStamp(status)
      guard before != stamp else { continue }
      hasChanged = true
      try read(path, in: folder, stamp, isKnown: before != nil)
    }
    for path in known.keys { try forget(path) }
    return hasChanged || !known.isEmpty
  }

  private func forget(_ path: String) throws(LibraryFault) {
    try database.run("DELETE FROM track WHERE path = ?", [.text(path)])
    summary.removed += 1
    room += 1
    try didChange()
  }

  private func read(
    _ path: String, in folder: String, _ stamp: FileStamp, isKnown: Bool
  ) throws(LibraryFault) {
    guard isKnown || room > 0 else {
      summary.note = "the index holds no more than \(Self.maxTracks) tracks"
      return
    }
    let record = TrackRecord(reading: path, in: folder, stamp, now: WallClock.seconds(), roots)
    onStep()
    if record.holdsSheet { holders.insert(path) }
    // The earlier record may still be right.
    guard !(isKnown && record.isPassing) else { return }
    if !isKnown { room -= 1 }
    try record.store(in: database)
    summary.read += 1
    try didChange()
  }

  // MARK: Transactions

  private func begin() throws(LibraryFault) {
    try database.run("BEGIN IMMEDIATE")
    pending = 0
    batchBegan = MonotonicClock.now()
  }

  func didChange() throws(LibraryFault) {
    pending += 1
    guard pending >= Self.batch || MonotonicClock.now() - batchBegan >= Self.maxBatch else { return }
    try database.run("COMMIT")
    try begin()
  }
}
