// Operations on ranges of queue entries. Pure; control thread.

extension PlayQueue {
  /// Removes the entries in `range`, a valid range in display order, in one pass.
  ///
  /// If the current entry is removed, none is current and the entry after the range is next.
  package mutating func remove(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= entries.count, "a range of the queue")
    guard !range.isEmpty else { return }
    revision += 1
    let playedBefore = order[..<min(place, order.count)].reduce(0) { $0 + (range.contains($1) ? 1 : 0) }
    if isOnEntry, range.contains(order[place]) { isOnEntry = false }
    entries.removeSubrange(range)
    order = order.filter { !range.contains($0) }.map { $0 < range.lowerBound ? $0 : $0 - range.count }
    place -= playedBefore
  }

  /// Shuffles the entries in `range`, in display order, once. With shuffle on, the play order stays the same.
  package mutating func mix(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= entries.count, "a range of the queue")
    guard range.count > 1 else { return }
    revision += 1
    var indices = Array(range)
    generator.shuffle(&indices, from: 0)
    var newIndex = Array(entries.indices)
    let former = entries
    for (i, old) in indices.enumerated() {
      entries[range.lowerBound + i] = former[old]
      newIndex[old] = range.lowerBound + i
    }
    if isShuffled {
      order = order.map { newIndex[$0] }
    } else if isOnEntry {
      place = newIndex[place]
    }
  }
}
