// The times that distinguish gestures. Pure values; any thread.

/// The gesture times of a button, in milliseconds.
package struct GestureTiming: Hashable, Sendable {
  /// From the down edge to `long`; also the longest `short`.
  package var long = 800
  /// The longest time from up to the next down of a `double` or `triple`.
  package var gap = 300
  /// From the down edge to the first `hold`.
  package var hold = 500
  /// From the first `hold` to the second; each following wait is a tenth shorter.
  package var repeatInterval = 250
  /// The shortest time between two `hold` gestures.
  package var shortestRepeat = 50
  /// The longest time from the first to the last button of a chord.
  package var chord = 80
  /// The time that a level must be stable to count.
  package var debounce = 20

  /// Creates the defaults.
  package init() {}

  /// The configurable times, with their ranges.
  package enum Key: UInt8, Hashable, Sendable, CaseIterable {
    case long, gap, hold, repeatInterval, shortestRepeat, chord, debounce

    /// The word in `timing`.
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

    /// The valid values, in milliseconds.
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

  /// Accesses a time; a set value is clamped to the key's range.
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

  /// The maximum of each time over several buttons, which their chord uses.
  package static func slowest(of timings: [GestureTiming]) -> GestureTiming {
    var slowest = timings.first ?? GestureTiming()
    for timing in timings.dropFirst() {
      for key in Key.allCases { slowest[key] = max(slowest[key], timing[key]) }
    }
    return slowest
  }
}
