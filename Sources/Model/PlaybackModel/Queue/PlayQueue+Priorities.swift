// Entries that a shuffle plays before others. Pure; control thread.

extension PlayQueue {
  /// Gives the entries that people see in `range`, which lies within the queue, a priority: in a shuffle those with a higher
  /// one are played first, those with the same in random order. What was played in this round is played again where it
  /// gets ahead of the current entry by that, as in MPD; the current one plays on. Without a shuffle it is remembered only.
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

  /// Has entries of one priority that are not in the order yet played at random places among those of that priority that are
  /// still to be played: behind all with a higher one.
  mutating func scheduleAtRandom(_ indices: some Sequence<Int>, _ priority: UInt8 = 0) {
    let begin = order[following...].lastIndex { entries[$0].priority > priority }.map { $0 + 1 } ?? following
    var end = order[begin...].firstIndex { entries[$0].priority < priority } ?? order.count
    for index in indices {
      order.insert(index, at: begin + generator.index(below: end - begin + 1))
      end += 1
    }
  }

  /// Puts what is played from a place of the order on into random order, by priority.
  mutating func shuffleOrder(from first: Int) {
    generator.shuffle(&order, from: first)
    guard order[first...].contains(where: { entries[$0].priority > 0 }) else { return }
    var byPriority = [[Int]](repeating: [], count: Int(UInt8.max) + 1)
    for index in order[first...] { byPriority[Int(entries[index].priority)].append(index) }
    order.replaceSubrange(first..., with: byPriority.reversed().flatMap { $0 })
  }
}
