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
    var indices = Array(range)
    generator.shuffle(&indices, from: 0)
    rearrange(range, by: indices)
  }

  /// Moves the entries in `range`, in display order, so that the first one has the index `target`. Without shuffle, the
  /// play order follows.
  ///
  /// - Parameters:
  ///   - range: A valid range that is not empty.
  ///   - target: 0 to the number of the other entries.
  package mutating func move(_ range: Range<Int>, to target: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= entries.count, "a range of the queue")
    precondition(target >= 0 && target <= entries.count - range.count, "an index of the queue")
    guard !range.isEmpty, target != range.lowerBound else { return }
    // The entries between the old and the new place move the other way.
    let isForward = target > range.lowerBound
    let between = isForward ? range.upperBound..<target + range.count : target..<range.lowerBound
    let indices = isForward ? Array(between) + Array(range) : Array(range) + Array(between)
    rearrange(min(range.lowerBound, target)..<max(range.upperBound, target + range.count), by: indices)
  }

  /// Exchanges the entries at two valid indices.
  package mutating func swapAt(_ one: Int, _ other: Int) {
    guard one != other else { return }
    let (low, high) = (min(one, other), max(one, other))
    var indices = Array(low...high)
    indices.swapAt(0, indices.count - 1)
    rearrange(low..<high + 1, by: indices)
  }

  /// Orders the entries in `range` anew.
  ///
  /// - Parameter indices: Their present indices, in the new order.
  private mutating func rearrange(_ range: Range<Int>, by indices: [Int]) {
    revision += 1
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
