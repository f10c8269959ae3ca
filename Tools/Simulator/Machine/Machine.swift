// What the simulation needs of whatever it tries: the bare player today, a whole box as well. One thread.

import PlaybackModel

/// What a machine says of itself at one moment.
struct Claims {
  var state: PlayerState
  var moment: Moment
  /// Reports of its own parts that it could not understand.
  var contradictions: UInt64
  /// The last events and what became of them, for people.
  var history: () -> [String]
  /// The number of the queue's current track, of the one that follows by itself, and of the one that a person's `next`
  /// leads to.
  var current: Int?
  var following: Int?
  var next: Int?
  /// Whether a person's `previous` leads to the beginning of the track that is heard.
  var previousRestarts: Bool
}

/// A box, or as much of one as is being tried.
protocol Machine: AnyObject {
  /// Takes in what has been reported, as it does before it carries out a wish.
  func catchUp()
  /// Carries out what a person or the world outside does; faults are the simulation's.
  func perform(_ action: Action)
  /// One turn of the audio loop. Answers how many nanoseconds may pass until the next; nil if it has to be woken.
  func turnAudio() -> UInt64?
  /// What it says of itself.
  func claims() -> Claims
  /// The supply is gone: nothing of it runs any more.
  func die()
}

/// Makes machines, and keeps what outlasts them.
protocol MachineMaker: AnyObject {
  /// A machine that has just got its supply.
  func boot() -> any Machine
}
