// What the box does, looked at when something has changed and now and then, as documents. One thread; never waits.

import Platform

/// Asks the box, no more often than it is worth, and gives what it says.
package final class MQTTFeed {
  /// Subjects of the box's events after which it is looked at.
  package static let subjects = [
    "state", "track", "queue", "volume", "setting", "sleep", "alarm", "output", "error", "storage",
    "announcement", "tag", "limits", "playlist",
  ]
  /// Nanoseconds between an event and the look, so that those that come together are one.
  private static let settling: UInt64 = 100_000_000
  /// Nanoseconds between two looks.
  private static let pause: UInt64 = 250_000_000
  /// Nanoseconds between two looks at a box that plays, for its position, and at one that does not.
  private static let moving: UInt64 = 10_000_000_000
  private static let resting: UInt64 = 60_000_000_000

  /// Told what `status` says.
  package var onStatus: (BoxFields) -> Void = { _ in }
  /// Told what `stats` says.
  package var onStats: (BoxFields) -> Void = { _ in }

  private let box: any BoxCommands
  private let scheduler: any Scheduler
  private let look: DeadlineTimer
  private let round: DeadlineTimer
  private var isAsking = false
  private var isWanted = false
  private var lookedAt: UInt64?
  private var countedAt: UInt64?
  private var isRunning = false

  /// A feed that looks at nothing yet.
  package init(_ box: any BoxCommands, scheduler: any Scheduler) {
    self.box = box
    self.scheduler = scheduler
    look = DeadlineTimer(scheduler)
    round = DeadlineTimer(scheduler)
  }

  /// Looks at everything, and goes on doing so.
  package func start() {
    isRunning = true
    countedAt = nil
    want()
  }

  /// Looks at nothing.
  package func stop() {
    isRunning = false
    look.stop()
    round.stop()
  }

  /// Something has changed.
  package func want() {
    guard isRunning else { return }
    guard !isAsking else {
      isWanted = true
      return
    }
    guard !look.isRunning else { return }
    let now = scheduler.now
    let earliest = max(now + Self.settling, lookedAt.map { $0 + Self.pause } ?? 0)
    look.start(at: earliest) { [unowned(unsafe) self] in ask() }
  }

  private func ask() {
    isAsking = true
    isWanted = false
    let now = scheduler.now
    lookedAt = now
    if countedAt.map({ now - $0 >= Self.resting }) ?? true {
      countedAt = now
      box.ask(["stats"], mayWait: false) { [unowned(unsafe) self] answer in
        if isRunning, case .done(let fields, _) = answer { onStats(fields) }
      }
    }
    box.ask(["status"], mayWait: false) { [unowned(unsafe) self] answer in
      isAsking = false
      guard isRunning else { return }
      var isMoving = false
      if case .done(let fields, _) = answer {
        isMoving = !["idle", "ready", "paused", "crossfadePaused", "finished"].contains(
          fields["state"] ?? "idle")
        onStatus(fields)
      }
      if isWanted { want() }
      round.start(after: isMoving ? Self.moving : Self.resting) { [unowned(unsafe) self] in want() }
    }
  }
}
