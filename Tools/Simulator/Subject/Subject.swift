// Interface between the simulation and the program under test, which is a bare player or a whole box. One thread.

import Daemon

/// How a subject ends.
enum Death {
  /// Loss of power.
  case power
  /// The process was killed; what it had written is still in the page cache.
  case killed
  /// The process ended by itself.
  case ended
}

/// The program under test: a whole box, or a bare player.
protocol Subject: AnyObject {
  /// Processes pending reports, as the program does before it handles a request.
  func catchUp()
  /// Carries out an action of a user or the outside world. The simulation carries out faults itself.
  func perform(_ action: Action)
  /// Runs one turn of the audio loop.
  /// - Returns: Nanoseconds until the next turn; nil if it must be woken.
  func turnAudio() -> UInt64?
  /// Reported state; nil before the subject has reported anything.
  func claims() -> Claims?
  /// Stops the subject; none of its code runs afterwards.
  func die(_ death: Death)
  /// When `work()` is next needed, for example for a button's edge or a background thread, in nanoseconds; nil if
  /// never.
  var due: UInt64? { get }
  /// Does the work that is due around the subject.
  func work()
  /// Called after each turn of the control thread.
  func look(_ claims: Claims)
  /// Whether the subject has ended by itself.
  var hasEnded: Bool { get }
  /// Phase of the box; nil for a bare player.
  var phase: BoxPhase.Kind? { get }
  /// Whether the subject itself reports orders to the oracle, because it handles them some time after they were
  /// given.
  var notesOrders: Bool { get }
}

extension Subject {
  var due: UInt64? { nil }
  func work() {}
  func catchUp() {}
  func look(_ claims: Claims) {}
  var hasEnded: Bool { false }
  var phase: BoxPhase.Kind? { nil }
  var notesOrders: Bool { false }
}

/// Boots subjects, and keeps the state that survives them.
protocol SubjectMaker: AnyObject {
  /// Returns a subject that has just been powered on.
  func boot() -> any Subject
  /// Actions that repair everything that is currently broken around the subject.
  var mendings: [Action] { get }
}

extension SubjectMaker {
  var mendings: [Action] { [] }
}
