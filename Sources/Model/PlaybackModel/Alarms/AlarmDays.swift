// The days on which an alarm rings, and their textual form. Pure values; any thread.

/// Repetition of an alarm.
package enum AlarmDays: Hashable, Sendable {
  /// Rings the next time that the clock shows its time, and is then removed.
  case once
  /// Rings on these days of every week; at least one.
  case weekly(Weekdays)

  /// Every day.
  package static var daily: AlarmDays { .weekly(.all) }

  /// Text for commands: `once`, `daily`, `weekdays`, `weekend`, or days such as `mon,wed`.
  package var text: String {
    switch self {
    case .once: "once"
    case .weekly(.all): "daily"
    case .weekly(.working): "weekdays"
    case .weekly(.weekend): "weekend"
    case .weekly(let days):
      Weekday.allCases.filter { days.contains($0) }.map { $0.name }.joined(separator: ",")
    }
  }

  /// Parses lower-case text as in `text`; nil if it is invalid.
  package init?(_ text: String) {
    switch text {
    case "once": self = .once
    case "daily": self = .daily
    case "weekdays": self = .weekly(.working)
    case "weekend": self = .weekly(.weekend)
    default:
      var days: Weekdays = []
      for word in text.utf8.split(separator: 0x2C, omittingEmptySubsequences: false) {
        let name = String(decoding: word, as: UTF8.self)
        guard let day = Weekday.allCases.first(where: { $0.name == name }) else { return nil }
        days.insert(day)
      }
      self = .weekly(days)
    }
  }

  func contains(_ day: Weekday) -> Bool {
    switch self {
    case .once: true
    case .weekly(let days): days.contains(day)
    }
  }
}

/// A set of days of the week.
package struct Weekdays: OptionSet, Hashable, Sendable {
  /// One bit per day; Monday is the least significant.
  package let rawValue: UInt8

  /// The days with these bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  static var all: Weekdays { Weekdays(rawValue: 0b111_1111) }
  static var working: Weekdays { Weekdays(rawValue: 0b001_1111) }
  static var weekend: Weekdays { Weekdays(rawValue: 0b110_0000) }

  func contains(_ day: Weekday) -> Bool { rawValue & 1 << day.rawValue != 0 }
  mutating func insert(_ day: Weekday) { self = Weekdays(rawValue: rawValue | 1 << day.rawValue) }
}
