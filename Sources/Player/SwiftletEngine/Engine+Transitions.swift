// The state machine's history and its watchers, as part of `Engine`. The engine's thread; memory is bounded.

import Platform
import PlaybackModel
import Player

extension Engine {
  /// The last 128 events handled by the state machine, oldest first, including rejected ones and those without
  /// effect.
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

  /// Calls `receive` with the present state, and then with every change of state in order.
  ///
  /// The first call happens before this method returns, so the initial state needs no extra query and no change can
  /// be missed. The engine retains `receive` until ``EngineWatch/end()``; capture the engine as `[unowned engine]` in
  /// it.
  ///
  /// ```swift
  /// let watch = engine.watchTransitions { transition in
  ///   display.show(transition.to.text)
  /// }
  /// ```
  ///
  /// - Parameter receive: Called on the engine's thread. It may give commands.
  /// - Returns: The watch; call ``EngineWatch/end()`` to stop it.
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

  /// Records the wall-clock time of new transitions and queues the effective ones for the watches.
  func noteTransitions() {
    let history = player.machine.history
    guard history.total > news.dates.total else { return }
    let (now, wall) = (scheduler.now, WallClock.now())
    let new = min(history.count, Int(clamping: history.total - news.dates.total))
    for index in (history.count - new)..<history.count {
      let entry = history[index]
      // A recording's time counts rendered music and cannot be related to the wall clock.
      let ago = offline == nil && now > entry.time ? Double(now - entry.time) / 1e9 : 0
      news.dates.note(wall - ago, of: entry.sequence)
      guard entry.verdict == .changed, !news.watches.isEmpty else { continue }
      news.waiting.append(.transition(transition(entry)))
    }
  }

  /// Passes a transition to all watches that started before it.
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

/// Wall-clock times of the transitions in the history, in a fixed-size buffer.
struct TransitionDates {
  /// Sequence number of the last recorded transition.
  private(set) var total: UInt64 = 0
  private var dates = [Double](repeating: 0, count: History.capacity)

  mutating func note(_ date: Double, of sequence: UInt64) {
    dates[Int(sequence % UInt64(History.capacity))] = date
    total = sequence
  }

  func date(of sequence: UInt64) -> Double { dates[Int(sequence % UInt64(History.capacity))] }
}
