// The event feed in isolation: order, listeners that come and go, and its bounds. Test threads.

import Console
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct EventFeedTests {
  private let clock = SimulatedScheduler()

  private func volume(_ event: StampedEvent) -> Int? {
    if case .volume(let percent, _) = event.event { percent } else { nil }
  }

  private func post(_ percent: Int, to feed: EventFeed) {
    feed.post(.volume(percent: percent, wanted: .init(Float(percent))))
  }

  @Test func everyListenerHearsEverythingInTheSameOrder() {
    let feed = EventFeed(clock)
    var heard: [[Int?]] = [[], []]
    // The first listener posts another event from its handler.
    let one = feed.listen { event in
      heard[0].append(volume(event))
      if volume(event) == 1 { post(2, to: feed) }
    }
    let two = feed.listen { heard[1].append(volume($0)) }
    post(1, to: feed)
    post(3, to: feed)
    #expect(heard[0] == [1, 2, 3] && heard[1] == [1, 2, 3])
    withExtendedLifetime((one, two)) {}
  }

  @Test func whoGoesHearsNothingMore() {
    let feed = EventFeed(clock)
    var heard = 0
    var other: EventSubscription?
    let one = feed.listen { _ in other = nil }
    other = feed.listen { _ in heard += 1 }
    post(1, to: feed)
    #expect(heard == 0 && other == nil, "it went while the event was on its way")
    withExtendedLifetime(one) {}
  }

  @Test func numbersGrowByOneAndOnlyWithWhatHasASubject() {
    let feed = EventFeed(clock)
    var ids: [UInt64] = []
    let one = feed.listen { ids.append($0.id) }
    post(1, to: feed)
    feed.post(.adjusted)
    post(2, to: feed)
    #expect(ids == [1, 0, 2] && feed.lastID == 2)
    withExtendedLifetime(one) {}
  }

  @Test func theLastOnesAreKept() {
    let feed = EventFeed(clock)
    for percent in 1...100 { post(percent, to: feed) }
    let all = feed.events(after: 0, about: .all)
    #expect(all.events.count == EventTable.kept && all.missed == 100 - EventTable.kept)
    #expect(all.events.first.flatMap { volume($0) } == 100 - EventTable.kept + 1)
    let last = feed.events(after: 98, about: .all)
    #expect(last.events.map { $0.id } == [99, 100] && last.missed == 0)
    #expect(feed.events(after: 0, about: EventSubjects([.track])).events.isEmpty)
    #expect(feed.events(after: 100, about: .all).missed == 0)
  }

  @Test func aListenerThatAlwaysAnswersIsBounded() {
    let feed = EventFeed(clock)
    var heard = 0
    let one = feed.listen { _ in
      heard += 1
      if heard < 10 { for percent in 0..<1000 { post(percent % 100, to: feed) } }
    }
    post(1, to: feed)
    #expect(feed.dropped > 0 && heard < 10_000)
    withExtendedLifetime(one) {}
  }
}
