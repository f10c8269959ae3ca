// Priorities of entries in a shuffle. Pure; control thread.

extension PlayQueue {
  /// Sets the priority of the entries in `range`, a valid range in display order.
  ///
  /// In a shuffle, entries with higher priority are played first, and those with equal priority in random order. As in
  /// MPD, an entry that was already played is played again if its priority now exceeds that of the current entry.
  /// Without a shuffle, the priority is only stored.
  package mutating func prioritize(_ range: Range<Int>, _ priority: UInt8) {
    precondition(range.lowerBound >= 0 && range.upperBound <= entries.count, "a range of the queue")
    let currentPriority = currentIndex.map { entries[$0].priority } ?? 0
    var isMoved = [Bool](repeating: false, count: entries.count)
    for (place, index) in order.enumerated()
    where range.contains(index) && entries[index].priority != priority {
      let former = entries[index].priority
      entries[index].priority = priority
      guard isShuffled, index != currentIndex else { continue }
      isMoved[index] = place >= following || (former <= currentPriority && priority > currentPriority)
    }
    revision += 1
    guard let first = isMoved.firstIndex(of: true) else { return }
    let playedBefore = order[..<place].reduce(0) { $0 + (isMoved[$1] ? 1 : 0) }
    order.removeAll { isMoved[$0] }
    place -= playedBefore
    scheduleAtRandom((first..<entries.count).filter { isMoved[$0] }, priority)
  }

  /// Inserts entries of one priority into the play order.
  ///
  /// They are placed at random among the remaining entries of that priority, after those of higher priority.
  mutating func scheduleAtRandom(_ indices: some Sequence<Int>, _ priority: UInt8 = 0) {
    let begin = order[following...].lastIndex { entries[$0].priority > priority }.map { $0 + 1 } ?? following
    var end = order[begin...].firstIndex { entries[$0].priority < priority } ?? order.count
    for index in indices {
      order.insert(index, at: begin + generator.index(below: end - begin + 1))
      end += 1
    }
  }

  /// Shuffles the play order from a place on, by priority.
  mutating func shuffleOrder(from first: Int) {
    generator.shuffle(&order, from: first)
    guard order[first...].contains(where: { entries[$0].priority > 0 }) else { return }
    var byPriority = [[Int]](repeating: [], count: Int(UInt8.max) + 1)
    for index in order[first...] { byPriority[Int(entries[index].priority)].append(index) }
    order.replaceSubrange(first..., with: byPriority.reversed().flatMap { $0 })
  }
}
