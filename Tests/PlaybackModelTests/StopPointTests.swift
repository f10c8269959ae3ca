// Stop points of a queue: they apply once and are cleared when reached. Test threads.
import PlaybackModel
import Testing

@Suite struct StopPointTests {
  /// A queue of `count` tracks whose first one is current.
  private func begun(_ count: Int, _ repeatMode: RepeatMode = .off, stopsAfter point: StopPoint) throws
    -> PlayQueue
  {
    var queue = PlayQueue(seed: 1)
    for number in 0..<count { try queue.add(track(0, "\(number)")) }
    queue.repeatMode = repeatMode
    _ = queue.advance()
    queue.stopPoint = point
    return queue
  }

  @Test(arguments: RepeatMode.allCases) func afterATrackTheNextOneIsWhatPlayBeginsWith(_ mode: RepeatMode)
    throws
  {
    var queue = try begun(2, mode, stopsAfter: .track)
    check(queue.peekNext == nil && queue.advance() == nil && queue.stopPoint == nil)
    let begun = queue.begin()
    #expect(begun?.path == (mode == .one ? "0" : "1"))
    #expect(queue.peekNext?.path == [.off: nil, .one: "0", .all: "0"][mode])
  }

  @Test func behindTheLastTrackItIsTheEndOfTheQueue() throws {
    var queue = try begun(1, stopsAfter: .track)
    check(queue.advance() == nil && queue.current?.path == "0" && queue.stopPoint == nil)
    queue = try begun(1, .all, stopsAfter: .track)
    check(queue.advance() == nil && queue.current == nil && queue.begin()?.path == "0")
    queue = try begun(1, stopsAfter: .track)
    queue.endOfQueue = .stopAndClear
    check(queue.advance() == nil && queue.isEmpty)
  }

  @Test(arguments: RepeatMode.allCases, EndOfQueue.allCases)
  func theEndOfTheQueueIsOneWhateverIsRepeated(_ mode: RepeatMode, _ end: EndOfQueue) throws {
    var queue = try begun(3, mode, stopsAfter: .queue)
    queue.endOfQueue = end
    check(queue.advance()?.path == "1" && queue.advance()?.path == "2")
    check(queue.peekNext == nil && queue.stopPoint == .queue && queue.advance() == nil)
    #expect(queue.stopPoint == nil && queue.isEmpty == (end == .stopAndClear))
  }

  @Test func aPersonsNextAndWhatCannotBePlayedLeaveItAhead() throws {
    var queue = try begun(4, stopsAfter: .track)
    check(queue.next() == .skip(queue.tracks[1]) && queue.stopPoint == .track)
    queue.markFailed(queue.tracks[1].id)
    check(queue.peekFirst?.path == "2" && queue.pass()?.path == "2" && queue.stopPoint == .track)
    check(queue.previous(at: .zero) == .skip(queue.tracks[0]) && queue.peekNext == nil)
    queue = try begun(2, .all, stopsAfter: .queue)
    check(queue.next() == .skip(queue.tracks[1]) && queue.next() == .stop)
  }

  @Test func anotherQueueKeepsIt() throws {
    var queue = try begun(2, stopsAfter: .track)
    queue.clear()
    try queue.add([track(0, "a"), track(0, "b")])
    check(queue.pass()?.path == "a" && queue.peekNext == nil)
    // A track that still plays after its removal from the queue ends at the stop point, too.
    try queue.remove(queue.tracks[0].id)
    check(queue.peekNext == nil && queue.advance() == nil && queue.begin()?.path == "b")
  }

  @Test(arguments: StopPoint.allCases) func itIsRemembered(_ point: StopPoint) throws {
    let queue = try begun(2, stopsAfter: point)
    #expect(PlayQueue(queue.snapshot)?.stopPoint == point)
    var older = try begun(2, stopsAfter: point).snapshot
    older.cursor.stopPoint = nil
    older.move(to: queue.cursor)
    #expect(older.cursor.stopPoint == point)
    #expect(StopPoint(name: point.name) == point)
  }
}
