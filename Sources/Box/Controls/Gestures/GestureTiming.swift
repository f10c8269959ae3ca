// How long is long. Pure values; any thread.

/// The times that tell one gesture of a button from another. Milliseconds.
package struct GestureTiming: Hashable, Sendable {
  /// From down to `long`, and the longest `short`.
  package var long = 800
  /// From up to the next down of a `double` or `triple`, at most.
  package var gap = 300
  /// From down to the first `hold`.
  package var hold = 500
  /// From the first `hold` to the second; each following wait is a tenth shorter.
  package var repeatInterval = 250
  /// The shortest wait between two `hold`s.
  package var shortestRepeat = 50
  /// From the first button of a chord to the last, at most.
  package var chord = 80
  /// How long a level must stand before it counts.
  package var debounce = 20

  /// The defaults.
  package init() {}

  /// The times that can be set, with their ranges.
  package enum Key: UInt8, Hashable, Sendable, CaseIterable {
    case long, gap, hold, repeatInterval, shortestRepeat, chord, debounce

    /// As it is written in `timing`.
    package var name: String {
      switch self {
      case .long: "long"
      case .gap: "gap"
      case .hold: "hold"
      case .repeatInterval: "repeat"
      case .shortestRepeat: "shortest-repeat"
      case .chord: "chord"
      case .debounce: "debounce"
      }
    }

    /// The values it may have, in milliseconds.
    package var range: ClosedRange<Int> {
      switch self {
      case .long: 200...10_000
      case .gap: 100...2000
      case .hold: 100...10_000
      case .repeatInterval: 20...5000
      case .shortestRepeat: 20...5000
      case .chord: 10...500
      case .debounce: 0...200
      }
    }
  }

  /// One of the times.
  package subscript(key: Key) -> Int {
    get {
      switch key {
      case .long: long
      case .gap: gap
      case .hold: hold
      case .repeatInterval: repeatInterval
      case .shortestRepeat: shortestRepeat
      case .chord: chord
      case .debounce: debounce
      }
    }
    set {
      let value = min(max(newValue, key.range.lowerBound), key.range.upperBound)
      switch key {
      case .long: long = value
      case .gap: gap = value
      case .hold: hold = value
      case .repeatInterval: repeatInterval = value
      case .shortestRepeat: shortestRepeat = value
      case .chord: chord = value
      case .debounce: debounce = value
      }
    }
  }

  /// The slowest of several buttons, time by time: what their chord goes by.
  package static func slowest(of timings: [GestureTiming]) -> GestureTiming {
    var slowest = timings.first ?? GestureTiming()
    for timing in timings.dropFirst() {
      for key in Key.allCases { slowest[key] = max(slowest[key], timing[key]) }
    }
    return slowest
  }
}
