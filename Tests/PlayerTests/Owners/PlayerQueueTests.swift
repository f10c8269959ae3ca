// The tracks that the queue offers to the state machine, and its current entry. Test threads.

import PlaybackModel
import Testing

@testable import Player

@Suite struct PlayerQueueTests {
  private let queue = PlayerQueue(PlayQueue())
  private let tracks: [Track]

  init() throws {
    for name in ["one", "two", "three"] { try queue.queue.add(Track(id: 0, path: name)) }
    tracks = queue.queue.tracks
    queue.select(tracks[0])
  }

  @Test func aSkipPastATrackIsAnsweredOnce() {
    queue.skip(past: tracks[1], stayingWith: tracks[0])
    #expect(queue.hasAnswer)
    #expect(queue.takeAnswer() == .skip(to: tracks[2]))
    #expect(queue.takeAnswer() == nil && !queue.hasAnswer)
  }

  @Test func withoutAnotherTrackItStaysWithTheCurrentOne() {
    queue.select(tracks[2])
    queue.skip(past: tracks[2], stayingWith: tracks[1])
    #expect(queue.takeAnswer() == nil)
    #expect(queue.queue.current == tracks[1])
  }

  @Test func itMovesOnFromATrackThatFailedForGood() {
    queue.moveOn(from: tracks[0])
    #expect(queue.takeAnswer() == .queueMovedOn(to: tracks[1]))
    queue.queue.repeatMode = .all
    queue.select(tracks[2])
    queue.moveOn(from: nil)
    // The first track failed and is skipped.
    #expect(queue.takeAnswer() == .queueMovedOn(to: tracks[1]))
  }

  @Test func atTheEndThereIsNothingToMoveOnTo() {
    queue.select(tracks[2])
    queue.moveOn(from: tracks[2])
    #expect(!queue.hasAnswer)
  }

  @Test func aPersonsRequestTakesTheAnswersPlace() {
    queue.moveOn(from: tracks[0])
    queue.dropAnswer()
    #expect(queue.takeAnswer() == nil)
  }

  @Test func eachChangeIsAnnounced() {
    var changes = 0
    queue.onChange = { changes += 1 }
    queue.select(tracks[0])
    #expect(changes == 0, "it is the current one already")
    queue.select(tracks[1])
    queue.markFailed(tracks[2])
    #expect(changes == 2)
  }

  @Test func whatIsCuedFollowsTheFirstOfTheQueue() throws {
    let queue = PlayerQueue(PlayQueue())
    try queue.queue.add([tracks[0], tracks[1]])
    let (first, second) = (queue.queue.tracks[0], queue.queue.tracks[1])
    let ready = PlayerState.ready(track: first, position: .zero)
    #expect(queue.recue(in: ready) == nil)
    try queue.queue.move(second.id, to: 0)
    #expect(queue.recue(in: ready) == .load(second, at: .zero))
    #expect(queue.recue(in: .ready(track: first, position: frames(1))) == nil, "a person has moved in it")
    #expect(queue.recue(in: .playing(track: first)) == nil)
    queue.queue.clear()
    #expect(queue.recue(in: ready) == .load(nil, at: .zero))
    queue.queue = PlayQueue()
    try queue.queue.add(first)
    queue.select(queue.queue.tracks[0])
    #expect(queue.recue(in: .ready(track: second, position: .zero)) == nil, "a person has picked it")
  }
}
