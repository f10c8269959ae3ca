// The history of an engine's state machine, and those who watch it. The engine's thread; bounded.

import Platform
import PlaybackModel
import Player

extension Engine {
  /// The last events that the state machine has handled, oldest first: 128 at most. Rejected events and those that changed
  /// nothing are among them.
  ///
  /// ```swift
  /// for entry in engine.history {
  ///   print(entry.wallClock, entry.from.state, entry.event?.name ?? "", entry.to.state, entry.outcome)
  /// }
  /// ```
  public var history: [EngineTransition] {
    noteTransitions()
    let history = player.machine.history
    return (0..<history.count).map { transition(history[$0]) }
  }

  /// Receives each change of the state from now on, beginning with the present state at once: no first state has to be asked
  /// for, and none is missed.
  ///
  /// Transitions arrive where events do, in the order in which they happened. The engine keeps `receive` until
  /// ``EngineWatch/end()``, so a closure that names the engine has to capture it `[unowned engine]`.
  ///
  /// ```swift
  /// let watch = engine.watchTransitions { transition in
  ///   display.show(transition.to.text)
  /// }
  /// ```
  ///
  /// - Parameter receive: Called on the engine's thread, the first time before this returns. Commands may be given in it.
  /// - Returns: The watch, to be ended.
  @discardableResult
  public func watchTransitions(_ receive: @escaping (EngineTransition) -> Void) -> EngineWatch {
    noteTransitions()
    let history = player.machine.history
    let watch = EngineWatch(after: history.total, receive)
    news.watches.append(watch)
    receive(
      EngineTransition(
        present: player.machine.state, sequence: history.total, rate: player.machine.settings.rate,
        time: scheduler.now, wallClock: WallClock.now()))
    return watch
  }

  /// Notes when new transitions happened, and queues the changes among them for the watches.
  func noteTransitions() {
    let history = player.machine.history
    guard history.total > news.dates.total else { return }
    let (now, wall) = (scheduler.now, WallClock.now())
    let new = min(history.count, Int(clamping: history.total - news.dates.total))
    for index in (history.count - new)..<history.count {
      let entry = history[index]
      // A recording's time is that of its music, which no clock shows.
      let ago = offline == nil && now > entry.time ? Double(now - entry.time) / 1e9 : 0
      news.dates.note(wall - ago, of: entry.sequence)
      guard entry.verdict == .changed, !news.watches.isEmpty else { continue }
      news.waiting.append(.transition(transition(entry)))
    }
  }

  /// Tells those who watch of a transition, except those that began after it.
  func deliver(_ transition: EngineTransition) {
    for watch in news.watches where !watch.hasEnded && watch.told < transition.sequence {
      watch.told = transition.sequence
      watch.receive(transition)
    }
    news.watches.removeAll { $0.hasEnded }
  }

  private func transition(_ entry: Transition) -> EngineTransition {
    EngineTransition(
      entry, rate: player.machine.settings.rate, wallClock: news.dates.date(of: entry.sequence))
  }
}

/// When the transitions of a history happened, by the wall clock, in fixed space.
struct TransitionDates {
  /// The last transition that was noted.
  private(set) var total: UInt64 = 0
  private var dates = [Double](repeating: 0, count: History.capacity)

  mutating func note(_ date: Double, of sequence: UInt64) {
    dates[Int(sequence % UInt64(History.capacity))] = date
    total = sequence
  }

  func date(of sequence: UInt64) -> Double { dates[Int(sequence % UInt64(History.capacity))] }
}
