// Which events a session wants: those it watches, and those that `idle` waits for. A pure value; control thread.

import Console

/// A session's interest in events.
struct EventInterest {
  /// Subjects that it watches.
  var watched: EventSubjects = []
  /// What `idle` waits for an event about; nil while it does not.
  private var awaited: EventSubjects?
  /// The last event that `idle` has answered with, or that was there before the session.
  private(set) var answered: UInt64

  /// None yet; events up to this one are old.
  init(after event: UInt64) { answered = event }

  /// Whether any of these subjects is watched or waited for.
  func includes(_ subjects: EventSubjects) -> Bool {
    !watched.isDisjoint(with: subjects) || awaited.map { !$0.isDisjoint(with: subjects) } == true
  }

  /// Waits for an event about these subjects.
  mutating func wait(for subjects: EventSubjects) { awaited = subjects }

  /// Waits no more, if it is for this subject. Returns what was waited for; nil where it was something else.
  mutating func endWaiting(for subject: EventSubject) -> EventSubjects? {
    guard let awaited, awaited.contains(subject) else { return nil }
    self.awaited = nil
    return awaited
  }

  /// Waits no more. Returns whether it did.
  mutating func endWaiting() -> Bool {
    defer { awaited = nil }
    return awaited != nil
  }

  /// `idle` has answered with the events up to this one.
  mutating func noteAnswer(upTo event: UInt64) { answered = event }

  /// Wants nothing more.
  mutating func end() {
    watched = []
    awaited = nil
  }
}
