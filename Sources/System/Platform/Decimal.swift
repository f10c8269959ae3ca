// Parses and formats decimal numbers without Foundation. Any thread.

import CLinux

/// Parses and formats decimal numbers.
package enum Decimal {
  /// Parses a whole text such as `12.5`; nil if it is invalid, infinite or NaN.
  package static func parse(_ text: Substring) -> Double? {
    guard let first = text.utf8.first, text.utf8.count <= 32 else { return nil }
    for byte in text.utf8 {
      let isPart = (byte >= 0x30 && byte <= 0x39) || byte == 0x2E || byte == 0x2D || byte == 0x2B
      guard isPart else { return nil }
    }
    guard first != 0x2B else { return nil }
    let copy = String(text)
    return copy.withCString { start -> Double? in
      var end: UnsafeMutablePointer<CChar>?
      let value = strtod(start, &end)
      guard let end, end.pointee == 0, UnsafePointer(end) != start else { return nil }
      return value
    }
  }

  /// Formats a number with 0 to 6 decimals, rounded half away from zero.
  package static func format(_ value: Double, decimals: Int) -> String {
    var scale = 1.0
    var i = 0
    while i < decimals {
      scale *= 10
      i += 1
    }
    guard value > -1e12, value < 1e12 else { return value != value ? "?" : value < 0 ? "-inf" : "inf" }
    let scaled = Int64((value < 0 ? -value : value) * scale + 0.5)
    let whole = scaled / Int64(scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(whole) }
    let fraction = String(scaled % Int64(scale))
    let zeros = String(repeating: "0", count: max(0, decimals - fraction.utf8.count))
    return sign + String(whole) + "." + zeros + fraction
  }

  /// Describes an approximate duration that is missing, such as `about 3:07`.
  package static func gap(seconds: Double) -> String {
    seconds < 1 ? "less than a second" : "about " + clock(seconds: seconds)
  }

  /// Formats a duration as `3:07` or `1:02:03`.
  package static func clock(seconds: Double) -> String {
    let total = Int64(max(0, min(seconds, 1e9)))
    func two(_ value: Int64) -> String { value < 10 ? "0" + String(value) : String(value) }
    let hours = total / 3600
    let rest = String(total % 3600 / 60)
    if hours == 0 { return rest + ":" + two(total % 60) }
    return String(hours) + ":" + two(total % 3600 / 60) + ":" + two(total % 60)
  }
}
