// The one feed of events: whoever wants to know what happens listens here. Control thread; never waits, bounded.

import Console
import Platform

/// Delivers events to any number of listeners, all in the same order, and keeps the last ones.
///
/// An event that a listener causes is delivered when the present one has reached everybody.
final class EventFeed {
  /// Events that may wait while one is being delivered. What is beyond is dropped, and counted.
  static let maxWaiting = 256

  /// How many events were dropped.
  private(set) var dropped = 0
  /// The number of the last event that has a subject.
  private(set) var lastID: UInt64 = 0

  private struct Listener {
    let number: Int
    let receive: (StampedEvent) -> Void
  }

  private let scheduler: any Scheduler
  private let started: UInt64
  private var listeners: [Listener] = []
  private var nextListener = 0
  private var waiting: [StampedEvent] = []
  private var isDelivering = false
  private var kept: [StampedEvent] = []
  private var oldest = 0

  /// A feed without listeners.
  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    started = scheduler.now
  }

  /// Calls `receive` with every event for as long as the subscription is kept, after those that listened before.
  func listen(_ receive: @escaping (StampedEvent) -> Void) -> EventSubscription {
    nextListener += 1
    listeners.append(Listener(number: nextListener, receive: receive))
    return EventSubscription(self, nextListener)
  }

  /// Delivers an event to everybody: before this returns, unless another one is being delivered.
  func post(_ event: FeedEvent) {
    guard waiting.count < Self.maxWaiting else {
      dropped += 1
      return
    }
    if event.subject != nil { lastID += 1 }
    let stamped = StampedEvent(id: event.subject == nil ? 0 : lastID, time: scheduler.now, event: event)
    keep(stamped)
    waiting.append(stamped)
    guard !isDelivering else { return }
    isDelivering = true
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      // Who comes or goes meanwhile is none of this event's business, or must not be called any more.
      for listener in listeners where listeners.contains(where: { $0.number == listener.number }) {
        listener.receive(next)
      }
    }
    isDelivering = false
  }

  /// The events about some subjects after one, oldest first, and how many more there may have been that are not kept.
  func events(after id: UInt64, about subjects: EventSubjects) -> (events: [StampedEvent], missed: Int) {
    let all = kept[oldest...] + kept[..<oldest]
    let first = all.first?.id ?? lastID + 1
    let missed = first > id + 1 ? Int(first - id - 1) : 0
    return (all.filter { $0.id > id && $0.isAbout(subjects) }, missed)
  }

  /// Seconds from the start to an event.
  func seconds(_ event: StampedEvent) -> Double { Double(event.time - min(started, event.time)) / 1e9 }

  fileprivate func remove(_ number: Int) { listeners.removeAll { $0.number == number } }

  private func keep(_ event: StampedEvent) {
    guard event.id > 0 else { return }
    if kept.count < EventTable.kept {
      kept.append(event)
    } else {
      kept[oldest] = event
      oldest = (oldest + 1) % EventTable.kept
    }
  }
}

/// A listener's place at a feed: it hears no more when this goes.
final class EventSubscription {
  private let feed: EventFeed
  private let number: Int

  fileprivate init(_ feed: EventFeed, _ number: Int) {
    self.feed = feed
    self.number = number
  }

  deinit { feed.remove(number) }
}

extension StampedEvent {
  /// Whether it is about one of these subjects.
  func isAbout(_ subjects: EventSubjects) -> Bool { event.subject.map { subjects.contains($0) } ?? false }
}
