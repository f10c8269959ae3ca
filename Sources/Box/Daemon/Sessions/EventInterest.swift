// Event subscriptions of one session, by `watch` and `idle`. A plain value; control thread.

import Console

/// The subjects that a session watches or waits for.
struct EventInterest {
  /// Subjects of `watch`.
  var watched: EventSubjects = []
  /// Subjects of a pending `idle`; nil: none is pending.
  private var awaited: EventSubjects?
  /// ID of the last event reported by `idle`, or posted before the session began.
  private(set) var answered: UInt64

  /// No subscriptions; `idle` reports events after this ID.
  init(after event: UInt64) { answered = event }

  /// Whether any of these subjects is watched or waited for.
  func includes(_ subjects: EventSubjects) -> Bool {
    !watched.isDisjoint(with: subjects) || awaited.map { !$0.isDisjoint(with: subjects) } == true
  }

  /// Begins an `idle` for these subjects.
  mutating func wait(for subjects: EventSubjects) { awaited = subjects }

  /// Ends a pending `idle` if it waits for this subject.
  ///
  /// - Returns: The subjects it waited for; nil if it does not end.
  mutating func endWaiting(for subject: EventSubject) -> EventSubjects? {
    guard let awaited, awaited.contains(subject) else { return nil }
    self.awaited = nil
    return awaited
  }

  /// Ends a pending `idle`.
  ///
  /// - Returns: Whether one was pending.
  mutating func endWaiting() -> Bool {
    defer { awaited = nil }
    return awaited != nil
  }

  /// Records that `idle` has reported the events up to this ID.
  mutating func noteAnswer(upTo event: UInt64) { answered = event }

  /// Removes all subscriptions.
  mutating func end() {
    watched = []
    awaited = nil
  }
}
