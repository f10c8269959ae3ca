// Local date and time as one number. Pure values; any thread.

/// Local time: whole seconds since 1970-01-01 00:00 of the local clock. It jumps when the clock is set and at changes
/// of daylight saving time.
package struct LocalTime: Hashable, Comparable, Sendable {
  /// Seconds; 64 bits, because 32 bits overflow in 2038.
  package let seconds: Int64

  /// Local time from seconds since 1970-01-01 00:00.
  package init(seconds: Int64) { self.seconds = seconds }

  /// Local time at the start of a minute since 1970-01-01 00:00.
  package init(minute: Int) { seconds = Int64(minute) * 60 }

  /// Whole minutes since 1970-01-01 00:00.
  package var minute: Int { Int(Self.divide(seconds, by: 60).quotient) }
  /// Minutes since local midnight, 0…1439.
  package var minuteOfDay: Int { Self.divide(minute, by: 1440).remainder }
  /// The day of the week.
  package var weekday: Weekday { Weekday(minute: minute) }

  /// Text for displays, such as `mon 07:00`.
  package var text: String { weekday.name + " " + Self.clock(minuteOfDay) }

  /// Minutes since midnight as `HH:MM`.
  package static func clock(_ minuteOfDay: Int) -> String {
    func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
    return two(minuteOfDay / 60) + ":" + two(minuteOfDay % 60)
  }

  package static func < (a: LocalTime, b: LocalTime) -> Bool { a.seconds < b.seconds }

  /// Division rounded down, so that times before 1970 are correct.
  static func divide<Number: SignedInteger & FixedWidthInteger>(
    _ number: Number, by divisor: Number
  ) -> (quotient: Number, remainder: Number) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A day of the week.
package enum Weekday: UInt8, Hashable, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The weekday of a minute of local time.
  init(minute: Int) {
    // 1970 began on a Thursday.
    let day = LocalTime.divide(minute, by: 1440).quotient + 3
    self = Self.allCases[LocalTime.divide(day, by: 7).remainder]
  }

  /// Three-letter name in commands.
  package var name: String {
    switch self {
    case .monday: "mon"
    case .tuesday: "tue"
    case .wednesday: "wed"
    case .thursday: "thu"
    case .friday: "fri"
    case .saturday: "sat"
    case .sunday: "sun"
    }
  }
}
