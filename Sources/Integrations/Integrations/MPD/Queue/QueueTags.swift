// Caches the index's tags for the files in the queue, so that each file is queried once. Values.

/// The fields of `library queue` by file.
struct QueueTags: Sendable {
  /// Maximum number of cached files; further files have only the queue's own tags.
  static let maxCount = 4000

  private var known: [MPDName: BoxFields] = [:]
  /// Whether the index failed to answer; it is not queried again until it changes.
  private var isSilent = false

  /// The fields of a file; empty if the index does not contain it.
  subscript(path: String) -> BoxFields { known[MPDName(path)] ?? BoxFields() }

  /// Entries with the tags of their files.
  func filled(_ entries: [QueueEntry]) -> [QueueEntry] {
    entries.map { entry in
      var entry = entry
      entry.fill(self[entry.path])
      return entry
    }
  }

  /// Empties the cache.
  mutating func forget() { self = QueueTags() }

  /// Stops queries because the index does not answer.
  mutating func giveUp() { isSilent = true }

  /// The position of the first entry whose file was not queried; nil if there is none or the cache is full.
  func firstUnknown(of entries: [QueueEntry]) -> Int? {
    guard !isSilent, known.count < Self.maxCount else { return nil }
    return entries.firstIndex { $0.path.utf8.first == 0x2F && known[MPDName($0.path)] == nil }
  }

  /// Adds the answer for a file and its successors in the queue. A file that the answer omits is not in the index.
  mutating func learn(_ rows: [BoxFields], askedFor path: String) {
    for row in rows where known.count < Self.maxCount {
      let path = MPDName(row["path"] ?? "")
      // Sections of a file share its path, but have no tags of the file.
      let isPart = known[path].map { $0["modified"] == nil } ?? false
      known[path] = isPart ? BoxFields() : row
    }
    if known[MPDName(path)] == nil { known[MPDName(path)] = BoxFields() }
  }

  /// Removes files that are no longer in the queue.
  mutating func keep(_ entries: [QueueEntry]) {
    guard known.count > entries.count else { return }
    var kept: [MPDName: BoxFields] = [:]
    for entry in entries { kept[MPDName(entry.path)] = known[MPDName(entry.path)] }
    known = kept
  }
}
