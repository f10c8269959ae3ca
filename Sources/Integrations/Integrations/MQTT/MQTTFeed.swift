// Polls the daemon's `status` and `stats` after events and at regular intervals, for publication. Single thread;
// never blocks.

import Console
import Platform

/// Polls the daemon at a limited rate and passes on its answers.
package final class MQTTFeed {
  /// The subjects of events that trigger a poll.
  package static let subjects = EventSubjects([
    .state, .track, .queue, .volume, .setting, .sleep, .alarm, .output, .error, .storage, .announcement, .tag,
    .limits, .playlist,
  ])
  /// Delay in nanoseconds from an event to the poll, which combines events in quick succession.
  private static let settling: UInt64 = 100_000_000
  /// Minimum interval of polls in nanoseconds.
  private static let pause: UInt64 = 250_000_000
  /// Interval of regular polls in nanoseconds while playing, for the position, and otherwise.
  private static let moving: UInt64 = 10_000_000_000
  private static let resting: UInt64 = 60_000_000_000

  /// Called with the fields of `status`.
  package var onStatus: (BoxFields) -> Void = { _ in }
  /// Called with the fields of `stats`.
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

  /// Creates a stopped feed.
  package init(_ box: any BoxCommands, scheduler: any Scheduler) {
    self.box = box
    self.scheduler = scheduler
    look = DeadlineTimer(scheduler)
    round = DeadlineTimer(scheduler)
  }

  /// Polls now and then regularly.
  package func start() {
    isRunning = true
    countedAt = nil
    want()
  }

  /// Stops polling.
  package func stop() {
    isRunning = false
    look.stop()
    round.stop()
  }

  /// Requests a poll after a change.
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
      box.ask(.stats) { [unowned(unsafe) self] answer in
        if isRunning, case .done(let fields, _) = answer { onStats(fields) }
      }
    }
    box.ask(.status) { [unowned(unsafe) self] answer in
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
