// The day and the time of day where the box stands, as one number. Pure values; any thread.

/// Local time: whole seconds since the midnight that began 1970-01-01 by the same clock. It jumps when somebody sets the
/// clock, and with summer time.
package struct LocalTime: Hashable, Comparable, Sendable {
  /// The seconds: more than the numbers of a 32-bit board hold from 2038 on.
  package let seconds: Int64

  /// So many seconds after that midnight.
  package init(seconds: Int64) { self.seconds = seconds }

  /// The beginning of the minute that lies so many after that midnight.
  package init(minute: Int) { seconds = Int64(minute) * 60 }

  /// Whole minutes since that midnight.
  package var minute: Int { Int(Self.divide(seconds, by: 60).quotient) }
  /// Minutes since local midnight, 0…1439.
  package var minuteOfDay: Int { Self.divide(minute, by: 1440).remainder }
  /// The day of the week.
  package var weekday: Weekday { Weekday(minute: minute) }

  /// As people read it: `mon 07:00`.
  package var text: String { weekday.name + " " + Self.clock(minuteOfDay) }

  /// Minutes since midnight as a clock shows them.
  package static func clock(_ minuteOfDay: Int) -> String {
    func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
    return two(minuteOfDay / 60) + ":" + two(minuteOfDay % 60)
  }

  package static func < (a: LocalTime, b: LocalTime) -> Bool { a.seconds < b.seconds }

  /// Rounded down, so that a clock before 1970 counts on.
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

  /// The day on which a minute of local time lies.
  init(minute: Int) {
    // 1970 began on a Thursday.
    let day = LocalTime.divide(minute, by: 1440).quotient + 3
    self = Self.allCases[LocalTime.divide(day, by: 7).remainder]
  }

  /// The three letters of commands.
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
