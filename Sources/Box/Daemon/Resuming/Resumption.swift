// How far a box has come with what it remembers: its storage may answer late, or not. Control thread; never waits.

import Checkpoints
import PlaybackModel
import Platform

/// What has become of what a box remembered.
package enum ResumeOutcome: Hashable, Sendable {
  /// Its storage has not answered yet.
  case pending
  /// It was taken up as far as settings want it, or there was nothing to take up.
  case taken
  /// Its storage answered when a person had put something else in its place.
  case replaced
}

/// What is known of what is remembered, since power-on.
final class Resumption {
  /// Nanoseconds after which a person who has asked for music gets other music than what is remembered.
  private static let timeoutNanoseconds: UInt64 = 10_000_000_000

  /// Called when it is known what is remembered, or that it cannot be known now.
  var onKnown: () -> Void = {}
  /// Called when it was taken up, before anything else happens.
  var onTaken: () -> Void = {}
  /// Whether what the file holds was taken up or found to be nothing, or that cannot be known now.
  private(set) var isKnown = false
  /// What has become of what the file holds.
  private(set) var outcome = ResumeOutcome.pending
  /// What the file holds, until there is an output to go on with.
  var found: JournalOpening?
  /// The knob as it was after power-on, once there is an output.
  var firstVolume: Volume?
  /// Whether what is taken up waits for a press of play.
  var isCautious = false
  /// Whether a person has asked for silence since power-on, last of all.
  var isSilenced = false
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// The storage is asked from now on.
  func begin() {
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in know() }
  }

  /// The storage has answered, or refused to.
  func settle(_ outcome: ResumeOutcome) {
    self.outcome = outcome
    onTaken()
    know()
  }

  /// Nobody waits any more.
  func end() { timer.stop() }

  private func know() {
    guard !isKnown else { return }
    isKnown = true
    timer.stop()
    onKnown()
  }
}
