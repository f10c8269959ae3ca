// Queue entries with a priority, which a shuffle plays first. Test threads.

import Testing

@testable import PlaybackModel

@Suite struct QueuePriorityTests {
  private func queue(_ count: Int, seed: UInt64 = 7) throws -> PlayQueue {
    var queue = PlayQueue(seed: seed)
    try queue.add((0..<count).map { Track(id: 0, path: "/\($0)") })
    return queue
  }

  private func priorities(_ queue: PlayQueue, _ tracks: [Track]) -> [UInt8] {
    tracks.map { track in queue.priorities[queue.tracks.firstIndex(of: track) ?? 0] }
  }

  @Test func theHighestComeFirstAndEqualOnesInRandomOrder() throws {
    var firsts: Set<String> = []
    for seed in 0..<40 {
      var queue = try queue(20, seed: UInt64(seed))
      queue.prioritize(3..<6, 10)
      queue.prioritize(9..<10, 200)
      #expect(queue.playOrder == queue.tracks)
      queue.shuffle(true)
      #expect(priorities(queue, Array(queue.playOrder.prefix(5))) == [200, 10, 10, 10, 0])
      firsts.insert(queue.playOrder[1].path)
      // A new round with all entries gives the same order.
      queue.repeatMode = .all
      for _ in 0..<21 { _ = queue.advance() }
      #expect(priorities(queue, Array(queue.playOrder.prefix(4))) == [200, 10, 10, 10])
      queue.shuffle(false)
      #expect(queue.playOrder == queue.tracks && queue.priorities[9] == 200)
    }
    #expect(firsts == ["/3", "/4", "/5"])
  }

  @Test func whatIsMadeUrgentIsNextAndNothingIsLost() throws {
    for seed in 0..<40 {
      var queue = try queue(12, seed: UInt64(seed))
      queue.shuffle(true)
      for _ in 0..<6 { _ = queue.advance() }
      let (current, played, later) = (queue.current, queue.playOrder[2], queue.upcoming[3])
      let place = try #require(queue.tracks.firstIndex(of: later))
      queue.prioritize(place..<place + 1, 5)
      #expect(queue.upcoming.first == later && queue.upcoming.count == 6 && queue.current == current)
      // A played entry plays again; the current one, and one without priority, do not.
      let heard = try #require(queue.tracks.firstIndex(of: played))
      queue.prioritize(heard..<heard + 1, 6)
      #expect(queue.upcoming.first == played && queue.upcoming.count == 7 && queue.current == current)
      let playing = try #require(queue.currentIndex)
      queue.prioritize(playing..<playing + 1, 9)
      #expect(queue.current == current && queue.upcoming.count == 7)
      let first = try #require(queue.tracks.firstIndex(of: queue.playOrder[0]))
      queue.prioritize(first..<first + 1, 9)
      #expect(queue.upcoming.count == 7)
      #expect(Set(queue.playOrder.map { $0.id }) == Set(1...12))
      #expect(PlayQueue(queue.snapshot)?.upcoming == queue.upcoming)
    }
  }

  @Test func whatIsAddedComesAmongItsEquals() throws {
    for seed in 0..<40 {
      var queue = try queue(8, seed: UInt64(seed))
      queue.prioritize(0..<4, 3)
      queue.shuffle(true)
      _ = queue.advance()
      try queue.add([Track(id: 0, path: "/new"), Track(id: 0, path: "/new")])
      try queue.insert(Track(id: 0, path: "/new"), at: 0)
      #expect(priorities(queue, queue.upcoming).prefix(3) == [3, 3, 3])
      // `insertNext` takes precedence over priorities.
      try queue.insertNext(Track(id: 0, path: "/next"))
      #expect(queue.upcoming.first?.path == "/next")
    }
  }

  @Test func aQueueInOrderRemembersThem() throws {
    var queue = try queue(5)
    _ = queue.advance()
    let revision = queue.revision
    queue.prioritize(0..<5, 4)
    #expect(queue.upcoming == Array(queue.tracks[1...]) && queue.priorities == [4, 4, 4, 4, 4])
    #expect(queue.revision == revision + 1)
    queue.prioritize(2..<2, 9)
    #expect(queue.priorities == [4, 4, 4, 4, 4])
  }
}
