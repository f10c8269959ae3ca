// What the box's index knows of the files in the queue, remembered so that each is asked about once. Values.

/// Files by their paths, with the fields of `library queue`.
struct QueueTags: Sendable {
  /// Files that are remembered at most; others have the tags that the queue itself knows.
  static let maxCount = 4000

  private var known: [MPDName: BoxFields] = [:]
  /// The index did not answer; it is left alone until there is something new to know.
  private var isSilent = false

  /// What is known of a file; no fields where the index does not know it either.
  subscript(path: String) -> BoxFields { known[MPDName(path)] ?? BoxFields() }

  /// Entries, with what is known of their files.
  func filled(_ entries: [QueueEntry]) -> [QueueEntry] {
    entries.map { entry in
      var entry = entry
      entry.fill(self[entry.path])
      return entry
    }
  }

  /// Everything may be otherwise now.
  mutating func forget() { self = QueueTags() }

  /// The index does not answer.
  mutating func giveUp() { isSilent = true }

  /// The place of the first entry whose file was not asked about; nil where there is none, or no room.
  func firstUnknown(of entries: [QueueEntry]) -> Int? {
    guard !isSilent, known.count < Self.maxCount else { return nil }
    return entries.firstIndex { $0.path.utf8.first == 0x2F && known[MPDName($0.path)] == nil }
  }

  /// Takes over an answer about a file and those that follow it in the queue. What is not in it, is not known.
  mutating func learn(_ rows: [BoxFields], askedFor path: String) {
    for row in rows where known.count < Self.maxCount {
      let path = MPDName(row["path"] ?? "")
      // Parts of a file have its path and none of its tags.
      let isPart = known[path].map { $0["modified"] == nil } ?? false
      known[path] = isPart ? BoxFields() : row
    }
    if known[MPDName(path)] == nil { known[MPDName(path)] = BoxFields() }
  }

  /// Forgets files that are not in the queue any more.
  mutating func keep(_ entries: [QueueEntry]) {
    guard known.count > entries.count else { return }
    var kept: [MPDName: BoxFields] = [:]
    for entry in entries { kept[MPDName(entry.path)] = known[MPDName(entry.path)] }
    known = kept
  }
}
