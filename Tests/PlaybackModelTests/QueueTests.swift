// The queue: order, repetition, shuffle, ends, bounds, failures. Test threads.
import PlaybackModel
import Testing

private func queue(_ count: Int, seed: UInt64 = 1) throws -> PlayQueue {
  var queue = PlayQueue(seed: seed)
  for i in 0..<count { try queue.add(track(0, "/m/\(i)")) }
  return queue
}

private func name(_ track: Track?) -> String { track.map { String($0.path.dropFirst(3)) } ?? "-" }

private func names(_ tracks: [Track]) -> [String] { tracks.map(name) }

@Suite struct QueueTests {
  @Test func goesThroughAndStopsPastTheEnds() throws {
    var queue = try queue(3)
    #expect(queue.current == nil && name(queue.peekNext) == "0")
    check(name(queue.advance()) == "0" && name(queue.advance()) == "1" && name(queue.advance()) == "2")
    check(queue.peekNext == nil && queue.advance() == nil && queue.next() == .stop)
    #expect(name(queue.current) == "2" && queue.count == 3)
    guard case .skip(let track) = queue.previous(at: Seconds(2.9)) else { throw Unexpected() }
    #expect(name(track) == "1")
    check(queue.previous(at: Seconds(3)) == .restart)
    #expect(name(queue.current) == "1")
    _ = queue.previous(at: .zero)
    check(queue.previous(at: .zero) == .restart && name(queue.current) == "0")
    check(queue.previous(at: .zero, beforeFirst: .stop) == .stop && name(queue.current) == "0")
  }

  @Test func beginsAnewPastItsEnd() throws {
    var queue = try queue(2)
    var begun = queue.begin()
    #expect(name(begun) == "0", "the first")
    let last = queue.advance()
    begun = queue.begin()
    #expect(name(begun) == "1", "the current one")
    try queue.remove(#require(last).id)
    check(queue.peekNext == nil && queue.current == nil)
    begun = queue.begin()
    #expect(name(begun) == "0", "the first once more")
    queue.markFailed(try #require(begun).id)
    begun = queue.begin()
    #expect(name(begun) == "0", "another chance")
    queue.clear()
    begun = queue.begin()
    #expect(begun == nil)
  }

  @Test func repeats() throws {
    var queue = try queue(2)
    queue.repeatMode = .one
    check(name(queue.advance()) == "0" && name(queue.peekNext) == "0" && name(queue.advance()) == "0")
    guard case .skip(let track) = queue.next() else { throw Unexpected() }
    #expect(name(track) == "1", "a person's next leaves it")
    queue.repeatMode = .all
    check(name(queue.advance()) == "0")
    queue.repeatMode = .off
    queue.endOfQueue = .repeat
    check(name(queue.advance()) == "1" && name(queue.advance()) == "0")
    queue.endOfQueue = .stopAndClear
    check(name(queue.advance()) == "1" && queue.peekNext == nil && queue.count == 2)
    check(queue.advance() == nil && queue.isEmpty && queue.current == nil)
  }

  @Test func changesKeepTheCurrentTrack() throws {
    var queue = try queue(5)
    _ = queue.advance()
    _ = queue.advance()
    _ = queue.advance()
    let current = try #require(queue.current)
    #expect(name(current) == "2")
    try queue.insert(track(0, "/m/new"), at: 0)
    #expect(queue.current == current && name(queue.peekNext) == "3")
    try queue.move(current.id, to: 0)
    #expect(names(queue.tracks) == ["2", "new", "0", "1", "3", "4"])
    #expect(queue.current == current && name(queue.peekNext) == "new")
    try queue.move(queue.tracks[4].id, to: 1)
    #expect(queue.current == current && name(queue.peekNext) == "3")
    try queue.insertNext(track(0, "/m/soon"))
    #expect(name(queue.peekNext) == "soon")
    try queue.remove(current.id)
    #expect(queue.current == nil && name(queue.peekNext) == "soon")
    check(name(queue.advance()) == "soon")
    queue.removeUpcoming()
    #expect(names(queue.tracks) == ["soon"] && queue.peekNext == nil)
    queue.clear()
    check(queue.isEmpty && queue.advance() == nil && queue.next() == .stop)
    #expect(throws: QueueError.noSuchEntry(77)) { try queue.remove(77) }
    #expect(throws: QueueError.noSuchEntry(77)) { try queue.move(77, to: 0) }
    #expect(throws: QueueError.noSuchEntry(77)) { try queue.select(77) }
    #expect(throws: QueueError.noSuchPosition(1, count: 0)) { try queue.insert(one, at: 1) }
  }

  @Test func idsAreNeverUsedTwice() throws {
    var queue = try queue(3)
    let first = queue.tracks.map(\.id)
    queue.clear()
    try queue.add([one, one, one])
    #expect(Set(first + queue.tracks.map(\.id)).count == 6)
  }

  /// Inserting several tracks at once equals inserting them one by one.
  @Test(arguments: 0..<40) func tracksAreInsertedTogether(seed: Int) throws {
    var one = try queue(8, seed: UInt64(seed))
    if seed % 2 == 1 { one.shuffle(true) }
    for _ in 0..<seed % 5 { _ = one.advance() }
    if seed % 3 == 0, let current = one.current { try one.remove(current.id) }
    var all = one
    let position = seed % (one.count + 1)
    let tracks = (0..<seed % 7).map { Track(id: 0, path: "/n/\($0)") }
    for (i, track) in tracks.enumerated() { try one.insert(track, at: position + i) }
    try all.insert(tracks, at: position)
    #expect(all.tracks == one.tracks && all.playOrder == one.playOrder)
    #expect(all.current == one.current && all.upcoming == one.upcoming)
    #expect(try all.add(Track(id: 0, path: "/last")) == one.add(Track(id: 0, path: "/last")))
  }

  /// Inserting thousands of tracks between thousands is fast enough for the smallest board.
  @Test func thousandsAreInsertedBetweenThousands() throws {
    var queue = PlayQueue(seed: 1)
    let tracks = (0..<5000).map { Track(id: 0, path: "/t/\($0)") }
    try queue.add(tracks)
    let began = ContinuousClock.now
    try queue.insert(tracks, at: 2500)
    #expect(ContinuousClock.now - began < .milliseconds(500))
    #expect(
      queue.count == 10_000 && queue.tracks[2500].path == "/t/0" && queue.tracks[7500].path == "/t/2500")
    #expect(throws: QueueError.self) { try queue.insert(tracks, at: 0) }
    #expect(queue.count == 10_000)
  }

  @Test func isBounded() throws {
    var queue = try queue(PlayQueue.limit)
    #expect(throws: QueueError.full(limit: 10_000)) { try queue.add(one) }
    #expect(throws: QueueError.full(limit: 10_000)) { try queue.add([one]) }
    #expect(QueueError.full(limit: 10_000).sentence.contains("10000"))
    queue.shuffle(true)
    #expect(Set(queue.playOrder.map(\.id)).count == PlayQueue.limit)
  }

  @Test(arguments: 0..<20)
  func shuffleHearsAllBeforeRepeating(seed: Int) throws {
    var queue = try queue(12, seed: UInt64(seed))
    _ = queue.advance()
    _ = queue.advance()
    queue.shuffle(true)
    #expect(name(queue.current) == "1", "what is heard stays")
    queue.repeatMode = .all
    var heard = [name(queue.current)]
    for _ in 1..<12 { heard.append(name(queue.advance())) }
    #expect(Set(heard).count == 12)
    for _ in 0..<5 {
      let last = heard.last
      heard = []
      for _ in 0..<12 {
        let ahead = queue.peekNext
        #expect(ahead == queue.peekNext)
        heard.append(name(queue.advance()))
        #expect(queue.current == ahead, "what was prepared ahead is what comes")
      }
      #expect(Set(heard).count == 12 && heard.first != last)
    }
    let current = queue.current
    queue.shuffle(false)
    #expect(queue.current == current && names(queue.playOrder) == names(queue.tracks))
  }

  @Test func theSameSeedShufflesTheSameWay() throws {
    func order(_ seed: UInt64) throws -> [String] {
      var queue = try queue(50, seed: seed)
      queue.shuffle(true)
      return names(queue.playOrder)
    }
    #expect(try order(5) == order(5))
    #expect(try order(5) != order(6))
  }

  @Test func whatIsAddedToAShuffleIsHeardInThisRound() throws {
    var queue = try queue(6)
    queue.shuffle(true)
    for _ in 0..<3 { _ = queue.advance() }
    try queue.add(track(0, "/m/new"))
    let next = try queue.insertNext(track(0, "/m/soon"))
    #expect(queue.peekNext?.id == next)
    #expect(names(queue.upcoming).contains("new") && queue.upcoming.count == 5)
    let chosen = try #require(queue.upcoming.last)
    try queue.select(chosen.id)
    #expect(queue.current == chosen && queue.upcoming.count == 4)
  }

  @Test func failedEntriesArePassedOver() throws {
    var queue = try queue(3)
    queue.repeatMode = .all
    _ = queue.advance()
    queue.markFailed(queue.tracks[1].id)
    check(name(queue.advance()) == "2" && name(queue.advance()) == "0")
    queue.markFailed(queue.tracks[0].id)
    queue.markFailed(queue.tracks[2].id)
    check(queue.peekNext == nil && queue.next() == .stop)
    queue.forgetFailures(beneath: "/elsewhere")
    #expect(queue.peekNext == nil)
    queue.forgetFailures(beneath: "/")
    #expect(queue.peekNext != nil)
  }

  /// Random changes compared with a plain list as the model.
  @Test(arguments: [false, true])
  func randomChangesKeepOrderAndAgreement(shuffled: Bool) throws {
    var seed = ShuffleGenerator(seed: 11)
    var queue = PlayQueue(seed: 4)
    queue.shuffle(shuffled)
    var model: [UInt64] = []
    for _ in 0..<20_000 {
      let position = model.isEmpty ? 0 : Int.random(in: 0..<model.count, using: &seed)
      switch Int.random(in: 0..<9, using: &seed) {
      case 0, 1: if model.count < 20 { model.insert(try queue.insert(one, at: position), at: position) }
      case 2: if model.count < 20 { model.append(try queue.add(one)) }
      case 3: if !model.isEmpty { try queue.remove(model.remove(at: position)) }
      case 4:
        if !model.isEmpty {
          let id = model.removeLast()
          model.insert(id, at: position)
          let current = queue.current
          try queue.move(id, to: position)
          #expect(queue.current == current)
        }
      case 5: if !model.isEmpty { try queue.select(model[position]) }
      case 6: _ = queue.previous(at: .zero)
      default:
        let ahead = queue.peekNext
        check(queue.advance() == ahead)
      }
      #expect(queue.tracks.map(\.id) == model)
      #expect(queue.playOrder.map(\.id).sorted() == model.sorted())
      if !shuffled { #expect(queue.playOrder.map(\.id) == model) }
      #expect(queue.upcoming.allSatisfy { $0.id != queue.current?.id })
    }
  }

  @Test func albumsJoin() {
    func song(_ number: Int?, _ album: String?, _ folder: String) -> Track {
      Track(id: 1, path: folder + "/x.flac", album: album, trackNumber: number)
    }
    #expect(song(2, "A", "/1").joinsGaplessly(after: song(1, "A", "/2")))
    #expect(!song(3, "A", "/1").joinsGaplessly(after: song(1, "A", "/2")))
    #expect(song(3, "A", "/1").joinsGaplessly(after: song(1, "A", "/1")))
    #expect(!song(2, nil, "/1").joinsGaplessly(after: song(1, nil, "/1")))
    #expect(!song(2, "B", "/1").joinsGaplessly(after: song(1, "A", "/1")))
    #expect(!song(2, "", "/1").joinsGaplessly(after: song(1, "", "/1")))
  }
}

private struct Unexpected: Error {}
