// A queue restored from a snapshot continues exactly like the original. Test threads.
import PlaybackModel
import Testing

/// A queue after random changes.
private func used(seed: UInt64, changes: Int = 60) -> PlayQueue {
  var random = ShuffleGenerator(seed: seed)
  var queue = PlayQueue(seed: seed)
  for i in 0..<changes { change(&queue, &random, i) }
  return queue
}

private func change(_ queue: inout PlayQueue, _ random: inout ShuffleGenerator, _ i: Int) {
  let some = queue.tracks.randomElement(using: &random)?.id ?? 0
  let place = Int.random(in: 0...queue.count, using: &random)
  switch Int.random(in: 0..<14, using: &random) {
  case 0...3: _ = try? queue.add(track(0, "/m/\(i)"))
  case 4: _ = try? queue.insert(track(0, "/m/\(i)"), at: place)
  case 5: _ = try? queue.insertNext(track(0, "/m/\(i)"))
  case 6: _ = try? queue.remove(some)
  case 7: _ = try? queue.move(some, to: place)
  case 8: queue.shuffle(Bool.random(using: &random))
  case 9: _ = try? queue.select(some)
  case 10: _ = queue.previous(at: .zero)
  case 11: queue.markFailed(some)
  case 12: queue.repeatMode = RepeatMode.allCases.randomElement(using: &random)!
  default: _ = queue.advance()
  }
}

@Suite struct QueueSnapshotTests {
  @Test(arguments: 0..<100)
  func isRestoredExactly(seed: Int) throws {
    var queue = used(seed: UInt64(seed))
    var restored = try #require(PlayQueue(queue.snapshot))
    #expect(restored.snapshot == queue.snapshot)
    var random = ShuffleGenerator(seed: UInt64(seed) + 1000)
    for i in 0..<60 {
      var same = random
      change(&queue, &random, i)
      change(&restored, &same, i)
      #expect(restored.snapshot == queue.snapshot, "after change \(i)")
      #expect(restored.current == queue.current && restored.peekNext == queue.peekNext)
      guard restored.snapshot == queue.snapshot else { return }
    }
  }

  @Test func contradictionsAreRefused() throws {
    var queue = PlayQueue(seed: 3)
    try queue.add([one, two, three])
    _ = queue.advance()
    let good = queue.snapshot
    #expect(good.isConsistent)
    let spoils: [(inout PlayQueue.Snapshot) -> Void] = [
      { $0.order[1] = 0 }, { $0.order[1] = 3 }, { $0.order[1] = -1 }, { $0.order.swapAt(0, 1) },
      { $0.order.removeLast() }, { $0.entries.removeLast() }, { $0.entries[1].track.id = 1 },
      { $0.entries[1].track.id = 0 }, { $0.entries[1].track.id = 4 }, { $0.nextID = 0 },
      { $0.nextID = .max }, { $0.cursor.place = -1 }, { $0.cursor.place = 4 }, { $0.cursor.place = 3 },
      { $0.cursor.id = 2 }, { $0.cursor.id = nil },
    ]
    for (i, spoil) in spoils.enumerated() {
      var bad = good
      spoil(&bad)
      #expect(PlayQueue(bad) == nil, "spoil \(i)")
    }
  }

  @Test(arguments: 0..<50)
  func anOlderCopyTakesALaterCursor(seed: Int) throws {
    var queue = used(seed: UInt64(seed))
    var old = queue.snapshot
    var random = ShuffleGenerator(seed: UInt64(seed) + 2000)
    for i in 0..<10 { change(&queue, &random, i) }
    old.move(to: queue.cursor)
    let restored = try #require(PlayQueue(old))
    #expect(restored.repeatMode == queue.repeatMode && restored.endOfQueue == queue.endOfQueue)
    if let current = queue.current, restored.track(current.id) != nil {
      #expect(restored.current?.id == current.id)
    } else {
      #expect(restored.current == nil)
    }
  }

  @Test func aHostileCursorStaysWithin() throws {
    var queue = PlayQueue()
    try queue.add([one, two])
    for place in [Int.min, -1, 0, 2, 3, Int.max] {
      for id in [UInt64?.none, 0, 1, 2, .max] {
        for isOnEntry in [false, true] {
          var snapshot = queue.snapshot
          snapshot.move(to: PlayQueue.Cursor(place: place, isOnEntry: isOnEntry, id: id))
          #expect(snapshot.isConsistent)
        }
      }
    }
  }

  @Test func theRevisionTellsOfChangesButNotOfMovingOn() throws {
    var queue = PlayQueue(seed: 1)
    func changes(_ change: (inout PlayQueue) throws -> Void) rethrows -> Bool {
      let before = queue.revision
      try change(&queue)
      return queue.revision != before
    }
    #expect(try changes { try $0.add([one, two, three]) })
    #expect(
      try !changes {
        _ = $0.advance(); _ = $0.next(); _ = $0.previous(at: .zero); try $0.select(3)
      })
    #expect(changes { $0.shuffle(true) })
    #expect(
      !changes {
        $0.markFailed(2); $0.describe($0.tracks[0]); _ = $0.peekNext
      })
    #expect(try changes { try $0.remove(2) })
    queue.repeatMode = .all
    let isNewRound = changes { queue in for _ in 0..<3 { _ = queue.advance() } }
    #expect(isNewRound, "a new round of the shuffle has a new order")
    #expect(changes { $0.clear() })
  }
}
