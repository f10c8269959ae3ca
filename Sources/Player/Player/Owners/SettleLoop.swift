// Repeats the steps by which decks and state come to agree, without keeping the control thread to itself. Control thread
// only.

import Platform

/// Runs steps until nothing is left to do; what is too much for one turn waits for the scheduler's next.
final class SettleLoop {
  /// Called when steps are due that were put off.
  var onDue: () -> Void = {}
  private let sender: CommandSender
  private let timer: DeadlineTimer
  private var isRunning = false

  init(_ scheduler: any Scheduler, _ sender: CommandSender) {
    self.sender = sender
    timer = DeadlineTimer(scheduler)
  }

  /// Steps that follow from one another at once.
  static let stepLimit = 12
  /// How long an audio thread that is held up is given before anything more is ordered of it, in nanoseconds.
  private static let overloadWait: UInt64 = 20_000_000

  /// Takes steps for as long as each says that there may be more to do.
  ///
  /// - Returns: Whether it ran: false where this is called from within a step.
  func run(_ step: () -> Bool) -> Bool {
    guard !isRunning else { return false }
    isRunning = true
    var steps = 0
    var mayGoOn = true
    while mayGoOn {
      if sender.isOverloaded || steps == Self.stepLimit {
        runSoon(after: sender.isOverloaded ? Self.overloadWait : 0)
        break
      }
      mayGoOn = step()
      steps += 1
    }
    isRunning = false
    return true
  }

  /// Calls `onDue` once whoever changes something is done with it.
  func runSoon(after nanoseconds: UInt64 = 0) {
    guard !timer.isRunning else { return }
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in onDue() }
  }

  /// Calls nothing any more.
  func end() { timer.stop() }
}
