// Brings what the index says of one root up to date: what is new or has changed is looked into, what is gone is taken out. A process of
// its own, at idle priority; waits for the storage as long as that likes.

import CLinux
import Decoding
import Media
import PlaybackModel
import Platform

/// What an update has come to.
package struct LibraryUpdateSummary: Hashable, Sendable {
  /// Tracks beneath the root.
  package var tracks = 0
  /// Tracks that were looked into, because they were new or had changed.
  package var read = 0
  /// Tracks that were taken out.
  package var removed = 0
  /// Tracks that cannot be read.
  package var faults = 0
  /// What was left out, as a sentence; empty where nothing was.
  package var note = ""
}

/// One pass over a root.
final class LibraryUpdate {
  /// Tracks of an index at most.
  static let maxTracks = 200_000
  /// Changes that are written to the storage at once.
  private static let batch = 200
  /// Nanoseconds after which what has changed is written at the latest.
  private static let maxBatch: UInt64 = 5_000_000_000

  private let index: LibraryIndex
  let roots: MediaRoots
  private let root: String
  /// Told that it is getting on.
  let onStep: () -> Void
  /// What it has come to so far.
  var summary = LibraryUpdateSummary()
  private var seen: Set<FileIdentity> = []
  private var pending = 0
  private var batchBegan: UInt64 = 0
  /// Tracks that there is room for.
  var room = 0
  /// Files that were found to hold a cue sheet.
  var holders: Set<String> = []

  /// An update of what lies beneath a root.
  init(_ index: LibraryIndex, root: String, onStep: @escaping () -> Void) {
    self.index = index
    roots = MediaRoots([root])
    self.root = roots.folders[0]
    self.onStep = onStep
  }

  var database: Database { index.database }

  /// Does it.
  func run() throws(LibraryFault) -> LibraryUpdateSummary {
    let here = LibrarySQL.beneath(root)
    let known = try index.count(here)
    room = try Self.maxTracks - index.count(.all([]))
    guard let names = entries(of: root), !names.isEmpty || known == 0 else {
      // A folder where storage is mounted, and is not just now.
      summary.note = "\(root) is empty or cannot be read: what was known of it is kept"
      summary.tracks = known
      return summary
    }
    try database.run("CREATE TEMP TABLE IF NOT EXISTS visited(folder TEXT NOT NULL PRIMARY KEY)")
    try database.run("DELETE FROM visited")
    try begin()
    try forgetFaultsOfOtherCodecs()
    // A link may lead back here.
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

  // MARK: Walking

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
        // It is not known to be empty, so nothing of it is forgotten.
        try keep(inner)
        summary.note = "\(inner) cannot be read"
        continue
      }
      try visit(inner, names, depth: depth + 1)
    }
  }

  /// What is known of a folder, or of a cue sheet's tracks, is not of one that is gone.
  func noteVisited(_ folder: String) throws(LibraryFault) {
    try database.run("INSERT OR IGNORE INTO visited VALUES(?)", [.text(folder)])
  }

  /// What a folder holds, in the order in which people expect it; nil where it cannot be read, or leads out of its root.
  private func entries(of folder: String) -> [DirectoryEntry]? {
    guard (try? roots.open(folder, CLINUX_O_PATH)) != nil else { return nil }
    return (try? Directory.entries(of: folder))?.sorted { NaturalOrder.isBefore($0.name, $1.name) }
  }

  /// Whether a folder was not visited yet: a link may lead back to one.
  private func isNew(_ folder: String) -> Bool {
    guard let status = try? FileStatus.of(folder) else { return true }
    return seen.insert(status.identity).inserted
  }

  private func keep(_ folder: String) throws(LibraryFault) {
    let inside = LibrarySQL.beneath(folder)
    try database.run(
      "INSERT OR IGNORE INTO visited SELECT DISTINCT folder FROM track WHERE " + inside.text, inside.values)
  }

  /// Files that no codec knew are looked into again when there are other codecs.
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

  /// Looks into what is new in a folder or has changed, and forgets what is gone from it. Answers whether there was anything of that.
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
      // Storage that goes away in the middle takes nothing with it.
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
    // What was read of it before may still be right.
    guard !(isKnown && record.isPassing) else { return }
    if !isKnown { room -= 1 }
    try record.store(in: database)
    summary.read += 1
    try didChange()
  }

  // MARK: Writing

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
