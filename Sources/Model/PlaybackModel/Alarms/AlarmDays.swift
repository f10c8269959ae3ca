// The days on which an alarm rings, and their words. Pure values; any thread.

/// When an alarm comes again.
package enum AlarmDays: Hashable, Sendable {
  /// It rings the next time that the clock shows its time, and is gone then.
  case once
  /// It rings on these days of every week; at least one.
  case weekly(Weekdays)

  /// Every day.
  package static var daily: AlarmDays { .weekly(.all) }

  /// As in commands: `once`, `daily`, `weekdays`, `weekend`, or days such as `mon,wed`.
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

  /// Reads small letters, as `text` writes them; nil: they name no days.
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

/// Days of the week.
package struct Weekdays: OptionSet, Hashable, Sendable {
  /// A bit for each day, Monday's the lowest.
  package let rawValue: UInt8

  /// The days of these bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  static var all: Weekdays { Weekdays(rawValue: 0b111_1111) }
  static var working: Weekdays { Weekdays(rawValue: 0b001_1111) }
  static var weekend: Weekdays { Weekdays(rawValue: 0b110_0000) }

  func contains(_ day: Weekday) -> Bool { rawValue & 1 << day.rawValue != 0 }
  mutating func insert(_ day: Weekday) { self = Weekdays(rawValue: rawValue | 1 << day.rawValue) }
}
