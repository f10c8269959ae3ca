// Runs the steps that bring decks and state into agreement, with a limit per turn so that the control thread stays
// responsive. Control thread only.

import Platform

/// Runs steps until none is left. Beyond the limit, the remaining steps run in the scheduler's next turn.
final class SettleLoop {
  /// Called when postponed steps are due.
  var onDue: () -> Void = {}
  private let sender: CommandSender
  private let timer: DeadlineTimer
  private var isRunning = false

  init(_ scheduler: any Scheduler, _ sender: CommandSender) {
    self.sender = sender
    timer = DeadlineTimer(scheduler)
  }

  /// Maximum number of consecutive steps per turn.
  static let stepLimit = 12
  /// Delay in nanoseconds before further orders while the audio thread is blocked by its device.
  private static let overloadWait: UInt64 = 20_000_000

  /// Calls `step` until it returns false or the limit is reached.
  ///
  /// - Parameter step: Performs one step. Returns whether there may be more to do.
  /// - Returns: Whether the loop ran; false if called from within a step.
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

  /// Calls `onDue` after a delay, by default in the next turn of the event loop. Does nothing if a call is already
  /// scheduled.
  func runSoon(after nanoseconds: UInt64 = 0) {
    guard !timer.isRunning else { return }
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in onDue() }
  }

  /// Cancels the timer.
  func end() { timer.stop() }
}
