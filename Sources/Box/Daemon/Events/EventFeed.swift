// Event bus of the daemon: controllers and sessions subscribe to events. Control thread; never blocks, bounded queue.

import Console
import Platform

/// Delivers events to all listeners in the same order, and keeps the latest ones for `idle`. An event posted by a
/// listener is delivered after the current one has reached all listeners.
final class EventFeed {
  /// Maximum number of undelivered events; further ones are dropped and counted.
  static let maxWaiting = 256

  /// Number of dropped events.
  private(set) var dropped = 0
  /// ID of the latest event that has a subject.
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

  /// Creates a feed without listeners.
  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    started = scheduler.now
  }

  /// Adds a listener, called after all earlier ones.
  ///
  /// - Parameter receive: Called with every event.
  /// - Returns: The subscription; releasing it removes the listener.
  func listen(_ receive: @escaping (StampedEvent) -> Void) -> EventSubscription {
    nextListener += 1
    listeners.append(Listener(number: nextListener, receive: receive))
    return EventSubscription(self, nextListener)
  }

  /// Posts an event. It is delivered before this returns, unless called from a listener.
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
      // Iterates over a copy: listeners added during delivery do not get this event, removed ones must not be called
      // any more.
      for listener in listeners where listeners.contains(where: { $0.number == listener.number }) {
        listener.receive(next)
      }
    }
    isDelivering = false
  }

  /// Kept events about some subjects.
  ///
  /// - Parameters:
  ///   - id: Only events after this ID.
  ///   - subjects: The subjects.
  /// - Returns: The events, oldest first, and the number of later events that are no longer kept.
  func events(after id: UInt64, about subjects: EventSubjects) -> (events: [StampedEvent], missed: Int) {
    let all = kept[oldest...] + kept[..<oldest]
    let first = all.first?.id ?? lastID + 1
    let missed = first > id + 1 ? Int(first - id - 1) : 0
    return (all.filter { $0.id > id && $0.isAbout(subjects) }, missed)
  }

  /// Seconds from daemon start to an event.
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

/// Registration of a listener; releasing it removes the listener from the feed.
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
  /// Whether the event's subject is one of these.
  func isAbout(_ subjects: EventSubjects) -> Bool { event.subject.map { subjects.contains($0) } ?? false }
}
