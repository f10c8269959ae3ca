// The playlists that the box keeps, which a home has as buttons. One thread; never waits.

import Platform

/// Knows the playlists' names, by asking the box when they have changed.
package final class MQTTPresets {
  /// Buttons at most: the playlists whose names come first.
  package static let maxCount = 64
  /// Nanoseconds after which a box that could not answer is asked again.
  private static let pause: UInt64 = 30_000_000_000

  /// Told of the names before, nil where they were not known, and of those that are there.
  package var onChange: (_ former: [String]?, _ names: [String]) -> Void = { _, _ in }
  /// The names; nil while the box has not said them.
  package private(set) var names: [String]?

  private let box: any BoxCommands
  private let retry: DeadlineTimer
  private var isAsking = false
  private var isWanted = false

  /// Presets that nobody has asked for yet.
  package init(_ box: any BoxCommands, scheduler: any Scheduler) {
    self.box = box
    retry = DeadlineTimer(scheduler)
  }

  /// The box is there, or they have changed.
  package func want() {
    guard !isAsking else {
      isWanted = true
      return
    }
    retry.stop()
    isAsking = true
    isWanted = false
    box.ask(["playlist"], mayWait: true) { [unowned(unsafe) self] in take($0) }
  }

  /// The box is gone: what was there is there when it comes back, as far as one knows.
  package func stop() { retry.stop() }

  private func take(_ answer: BoxAnswer) {
    isAsking = false
    switch answer {
    case .done(_, let rows):
      let former = names
      let found = Array(rows.compactMap { $0["playlist"] }.prefix(Self.maxCount))
      names = found
      if found != former { onChange(former, found) }
    case .refused: retry.start(after: Self.pause) { [unowned(unsafe) self] in want() }
    case .gone: return
    }
    if isWanted { want() }
  }
}
