// Tracks the names of the daemon's saved playlists, which appear as buttons in Home Assistant. Single thread; never
// blocks.

import Console
import Platform

/// Queries the daemon for the playlists' names when they have changed.
package final class MQTTPresets {
  /// Maximum number of presets; the first playlists in the daemon's order are used.
  package static let maxCount = 64
  /// Delay in nanoseconds before a refused query is repeated.
  private static let pause: UInt64 = 30_000_000_000

  /// Called with the previous names, nil if unknown, and the present names.
  package var onChange: (_ former: [String]?, _ names: [String]) -> Void = { _, _ in }
  /// The names; nil until the daemon has answered.
  package private(set) var names: [String]?

  private let box: any BoxCommands
  private let retry: DeadlineTimer
  private var isAsking = false
  private var isWanted = false

  /// Creates presets without querying.
  package init(_ box: any BoxCommands, scheduler: any Scheduler) {
    self.box = box
    retry = DeadlineTimer(scheduler)
  }

  /// Queries the names after a change, or once the daemon is reachable.
  package func want() {
    guard !isAsking else {
      isWanted = true
      return
    }
    retry.stop()
    isAsking = true
    isWanted = false
    box.ask(.playlist(.list)) { [unowned(unsafe) self] in take($0) }
  }

  /// Cancels the retry while the daemon is unreachable. The known names are kept.
  package func stop() { retry.stop() }

  private func take(_ answer: BoxAnswer) {
    isAsking = false
    switch answer {
    case .done(_, let rows):
      let former = names
      let found = Array(rows.compactMap { $0["playlist"] }.prefix(Self.maxCount))
      names = found
      if found != former { onChange(former, found) }
    case .refused, .outdated: retry.start(after: Self.pause) { [unowned(unsafe) self] in want() }
    case .gone: return
    }
    if isWanted { want() }
  }
}
