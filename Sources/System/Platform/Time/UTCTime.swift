// Conversion of times to and from ISO 8601 in UTC. Pure; any thread.

/// Times in seconds since 1970.
package enum UTCTime {
  /// Parses `2026-11-23T10:00:00Z`, optionally without the time or without hyphens and colons, or a number of
  /// seconds since 1970; nil if it is invalid.
  package static func seconds(_ text: String) -> Int64? {
    if let seconds = Int64(text), text.utf8.count != 8 { return seconds }
    // 2026-11-23, 2026-11-23T10:00:00Z, and both without hyphens and colons.
    let digits = text.utf8.filter { $0 >= 0x30 && $0 <= 0x39 }.map { Int64($0 - 0x30) }
    let isFine = text.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D || $0 == 0x3A || $0 == 0x54 || $0 == 0x5A
    }
    guard isFine, digits.count == 8 || digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int64 {
      range.upperBound <= digits.count ? digits[range].reduce(0) { $0 * 10 + $1 } : 0
    }
    let days = days(year: number(0..<4), month: number(4..<6), day: number(6..<8))
    return days * 86_400 + number(8..<10) * 3600 + number(10..<12) * 60 + number(12..<14)
  }

  /// Converts a day of the Gregorian calendar to days since 1970 (Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms").
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Formats a time as `2026-11-23T10:00:00Z`; times before 1970 give 1970-01-01T00:00:00Z.
  package static func text(_ seconds: Int64) -> String {
    let seconds = max(seconds, 0)
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let isEarly = month < 10
    let year = yearOfEra + era * 400 + (isEarly ? 0 : 1)
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(year)-\(two(isEarly ? month + 3 : month - 9))-\(two(day))T"
      + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
  }
}
