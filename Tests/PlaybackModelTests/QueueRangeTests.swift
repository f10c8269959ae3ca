// Operations on ranges of the queue have the same result as on single entries. Test threads.

import Testing

@testable import PlaybackModel

@Suite struct QueueRangeTests {
  private func queue(_ count: Int, shuffled: Bool, current: Int?) throws -> PlayQueue {
    var queue = PlayQueue(seed: 7)
    try queue.add((0..<count).map { Track(id: 0, path: "/\($0)") })
    if shuffled { queue.shuffle(true) }
    if let current { try queue.select(queue.tracks[current].id) }
    return queue
  }

  @Test(arguments: [false, true], [nil, 0, 3, 9])
  func aRangeGoesAsItsEntriesWould(isShuffled: Bool, current: Int?) throws {
    for first in 0...10 {
      for last in first...10 {
        var whole = try queue(10, shuffled: isShuffled, current: current)
        var single = whole
        whole.remove(first..<last)
        for track in Array(single.tracks[first..<last]) { try single.remove(track.id) }
        #expect(whole.tracks == single.tracks && whole.playOrder == single.playOrder, "\(first)..<\(last)")
        #expect(whole.current == single.current && whole.upcoming == single.upcoming, "\(first)..<\(last)")
        #expect(whole.advance() == single.advance())
      }
    }
  }

  @Test(arguments: [false, true], [nil, 0, 3, 5])
  func aRangeMovesAsItsEntriesWould(isShuffled: Bool, current: Int?) throws {
    for first in 0..<6 {
      for last in (first + 1)...6 {
        for target in 0...(6 - (last - first)) {
          var whole = try queue(6, shuffled: isShuffled, current: current)
          var single = whole
          whole.move(first..<last, to: target)
          for (i, track) in Array(single.tracks[first..<last]).enumerated() {
            // Towards the end, each entry moves behind those before it.
            try single.move(track.id, to: target > first ? target + last - first - 1 : target + i)
          }
          let place = "\(first)..<\(last) to \(target)"
          #expect(whole.tracks == single.tracks && whole.playOrder == single.playOrder, "\(place)")
          #expect(whole.current == single.current && whole.upcoming == single.upcoming, "\(place)")
        }
      }
    }
  }

  @Test(arguments: [false, true], [nil, 0, 5])
  func twoEntriesAreExchanged(isShuffled: Bool, current: Int?) throws {
    for one in 0..<6 {
      for other in 0..<6 {
        let before = try queue(6, shuffled: isShuffled, current: current)
        var after = before
        after.swapAt(one, other)
        var tracks = before.tracks
        tracks.swapAt(one, other)
        #expect(after.tracks == tracks && after.current == before.current, "\(one) \(other)")
        #expect(after.playOrder == (isShuffled ? before.playOrder : tracks), "\(one) \(other)")
      }
    }
  }

  @Test(arguments: [false, true], [nil, 0, 5])
  func mixingLosesNothing(isShuffled: Bool, current: Int?) throws {
    let before = try queue(10, shuffled: isShuffled, current: current)
    var after = before
    after.mix(2..<8)
    #expect(after.tracks != before.tracks && after.revision == before.revision + 1)
    #expect(after.tracks.map { $0.id }.sorted() == before.tracks.map { $0.id }.sorted())
    #expect(after.tracks[..<2] == before.tracks[..<2] && after.tracks[8...] == before.tracks[8...])
    #expect(after.current == before.current)
    // A shuffled queue keeps its play order.
    if isShuffled {
      #expect(after.playOrder == before.playOrder)
    } else {
      #expect(after.playOrder == after.tracks)
    }
    var same = before
    same.mix(3..<4)
    #expect(same.revision == before.revision)
  }
}
