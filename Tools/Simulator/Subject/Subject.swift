// What the simulation needs of whatever it tries: the bare player, or a whole box. One thread.

/// How a subject ends.
enum Death {
  /// The supply is gone.
  case power
  /// The process was killed; what it had written is in the kernel's memory.
  case killed
  /// It had ended by itself.
  case ended
}

/// A box, or as much of one as is being tried.
protocol Subject: AnyObject {
  /// Takes in what has been reported, as it does before it carries out a request.
  func catchUp()
  /// Carries out what a person or the world outside does; faults are the simulation's.
  func perform(_ action: Action)
  /// One turn of the audio loop. Answers how many nanoseconds may pass until the next; nil if it has to be woken.
  func turnAudio() -> UInt64?
  /// What it says of itself; nil while it does not say anything yet.
  func claims() -> Claims?
  /// Nothing of it runs any more.
  func die(_ death: Death)
  /// When something around it has to be done: an edge of a button, work of a background thread.
  var due: UInt64? { get }
  /// Does what is due around it.
  func work()
  /// Called after each turn of the control side.
  func look(_ claims: Claims)
  /// Whether it has ended by itself.
  var hasEnded: Bool { get }
  /// Whether it tells the oracle by itself when it is given an order: there may be a while until it takes it.
  var notesOrders: Bool { get }
}

extension Subject {
  var due: UInt64? { nil }
  func work() {}
  func catchUp() {}
  func look(_ claims: Claims) {}
  var hasEnded: Bool { false }
  var notesOrders: Bool { false }
}

/// Makes subjects, and keeps what outlasts them.
protocol SubjectMaker: AnyObject {
  /// A subject that has just got its supply.
  func boot() -> any Subject
  /// What has to be done to mend what is broken around it.
  var mendings: [Action] { get }
}

extension SubjectMaker {
  var mendings: [Action] { [] }
}
