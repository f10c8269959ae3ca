// A time zone's rule for future years, from the last line of a tz database file (POSIX TZ format). Pure; any
// thread.

/// Standard time and, optionally, daylight saving time, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Hashable, Sendable {
  /// A day of each year, and seconds from its midnight.
  private struct Change: Hashable {
    enum Day: Hashable {
      /// A day number, 1…365, that never counts leap days.
      case withoutLeap(Int)
      /// A day number, 0…365, that counts leap days.
      case withLeap(Int)
      /// A weekday (0 is Sunday) of a week (5 is the last) of a month.
      case weekday(month: Int, week: Int, day: Int)
    }

    let day: Day
    let seconds: Int64
  }

  private let standard: Int64
  private var summer: Int64?
  private var begin: Change?
  private var end: Change?

  /// Parses a rule; nil if it is invalid.
  init?(_ text: [UInt8]) {
    var reader = Reader(text[...])
    guard reader.takeName(), let west = reader.takeTime(maxHours: 24) else { return nil }
    standard = -west
    guard !reader.rest.isEmpty else { return }
    guard reader.takeName() else { return nil }
    if reader.rest.first == 0x2C {
      summer = standard + 3600
    } else {
      guard let west = reader.takeTime(maxHours: 24) else { return nil }
      summer = -west
    }
    guard let begin = reader.takeChange(), let end = reader.takeChange(), reader.rest.isEmpty else {
      return nil
    }
    (self.begin, self.end) = (begin, end)
  }

  /// The offset of local time from UTC in seconds at a time, given in seconds since 1970.
  func offset(at moment: Int64) -> Int64 {
    guard let summer, let begin, let end else { return standard }
    let year = Calendar.year(ofDay: Calendar.days(moment + standard))
    let first = Self.moment(begin, year) - standard
    let last = Self.moment(end, year) - summer
    let isSummer = first < last ? moment >= first && moment < last : !(moment >= last && moment < first)
    return isSummer ? summer : standard
  }

  /// The local time of a change, in seconds since 1970.
  private static func moment(_ change: Change, _ year: Int64) -> Int64 {
    let newYear = Calendar.days(year: year, month: 1, day: 1)
    let day: Int64
    switch change.day {
    case .withLeap(let number): day = newYear + Int64(number)
    case .withoutLeap(let number):
      let isAfterFebruary = number > 59
      day =
        isAfterFebruary
        ? Calendar.days(year: year, month: 3, day: 1) + Int64(number - 60) : newYear + Int64(number - 1)
    case .weekday(let month, let week, let weekday):
      let first = Calendar.days(year: year, month: Int64(month), day: 1)
      let next =
        month == 12
        ? Calendar.days(year: year + 1, month: 1, day: 1)
        : Calendar.days(year: year, month: Int64(month) + 1, day: 1)
      // 1970-01-01 was a Thursday.
      let present = ((first + 4) % 7 + 7) % 7
      var found = first + (Int64(weekday) - present + 7) % 7 + 7 * Int64(week - 1)
      if found >= next { found -= 7 }
      day = found
    }
    return day * 86_400 + change.seconds
  }

  /// An incremental parser of a rule.
  private struct Reader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    /// Skips a name: letters, or anything between `<` and `>`.
    mutating func takeName() -> Bool {
      if rest.first == 0x3C {
        guard let end = rest.firstIndex(of: 0x3E) else { return false }
        rest = rest[(end + 1)...]
        return true
      }
      let name = rest.prefix { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
      rest = rest.dropFirst(name.count)
      return name.count >= 3
    }

    mutating func take(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func takeNumber(_ range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard !digits.isEmpty, digits.count <= 3 else { return nil }
      let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      guard range.contains(value) else { return nil }
      rest = rest.dropFirst(digits.count)
      return value
    }

    /// Parses `[+-]hh[:mm[:ss]]` into seconds.
    mutating func takeTime(maxHours: Int) -> Int64? {
      let isNegative = take(0x2D)
      if !isNegative { _ = take(0x2B) }
      guard let hours = takeNumber(0...maxHours) else { return nil }
      var seconds = Int64(hours) * 3600
      if take(0x3A) {
        guard let minutes = takeNumber(0...59) else { return nil }
        seconds += Int64(minutes) * 60
        if take(0x3A) {
          guard let more = takeNumber(0...59) else { return nil }
          seconds += Int64(more)
        }
      }
      return isNegative ? -seconds : seconds
    }

    mutating func takeChange() -> Change? {
      guard take(0x2C), let day = takeDay() else { return nil }
      guard take(0x2F) else { return Change(day: day, seconds: 7200) }
      return takeTime(maxHours: 167).map { Change(day: day, seconds: $0) }
    }

    private mutating func takeDay() -> Change.Day? {
      if take(0x4A) { return takeNumber(1...365).map { .withoutLeap($0) } }
      guard take(0x4D) else { return takeNumber(0...365).map { .withLeap($0) } }
      guard let month = takeNumber(1...12), take(0x2E), let week = takeNumber(1...5), take(0x2E),
        let day = takeNumber(0...6)
      else { return nil }
      return .weekday(month: month, week: week, day: day)
    }
  }
}

/// Days of the Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
private enum Calendar {
  /// Converts seconds since 1970 to days since 1970, rounding down.
  static func days(_ seconds: Int64) -> Int64 {
    seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
  }

  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func year(ofDay day: Int64) -> Int64 {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    return yearOfEra + era * 400 + ((5 * dayOfYear + 2) / 153 >= 10 ? 1 : 0)
  }
}
