// A time zone's rules, read from a tz database file (RFC 9636). The C library supports only one zone per
// process, chosen by the environment, which must not be changed in a process with threads. Pure; any thread.

/// The offsets of local time from UTC over time.
package struct TimeZoneRules: Hashable, Sendable {
  /// The most bytes of a file.
  package static let maxFile = 64 * 1024

  /// The times from which offsets apply, in seconds since 1970, ascending.
  private let transitions: [(moment: Int64, offset: Int64)]
  /// The offset before the first transition.
  private let first: Int64
  /// The rule after the last transition; nil: the last offset stays.
  private let rule: TimeZoneRule?

  /// Parses a file; nil if it is invalid.
  package init?(_ file: [UInt8]) {
    guard file.count <= Self.maxFile, var data = TimeZoneData(file, at: 0, timeBytes: 4) else { return nil }
    var footer: ArraySlice<UInt8> = []
    if file[4] >= 0x32 {
      // The first part has 32-bit times; skip it.
      guard let long = TimeZoneData(file, at: data.end, timeBytes: 8) else { return nil }
      data = long
      let rest = file[data.end...]
      guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else { return nil }
      footer = rest[(rest.startIndex + 1)..<end]
    }
    first = data.first
    transitions = data.transitions
    if footer.isEmpty {
      rule = nil
    } else {
      guard let rule = TimeZoneRule(Array(footer)) else { return nil }
      self.rule = rule
    }
  }

  /// The offset of local time from UTC in seconds at a time, given in seconds since 1970.
  package func offset(at moment: Int64) -> Int64 {
    guard let last = transitions.last else { return rule?.offset(at: moment) ?? first }
    if moment >= last.moment { return rule?.offset(at: moment) ?? last.offset }
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].moment <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : transitions[low - 1].offset
  }

  package static func == (a: TimeZoneRules, b: TimeZoneRules) -> Bool {
    a.first == b.first && a.rule == b.rule && a.transitions.elementsEqual(b.transitions) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(rule)
    hasher.combine(transitions.count)
  }

  /// Whether a text is a valid zone name: words of letters, digits, `_`, `+` and `-` separated by slashes,
  /// such as `America/Argentina/Salta`. Excludes paths that lead out of the database.
  package static func isName(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    return text.utf8.count <= 64
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x5F: true
            default: false
            }
          }
      }
  }
}

/// One of the two data blocks of a file: a header, and tables whose sizes it contains.
private struct TimeZoneData {
  var transitions: [(moment: Int64, offset: Int64)] = []
  var first: Int64 = 0
  /// The offset of the first byte after the block.
  let end: Int

  init?(_ file: [UInt8], at start: Int, timeBytes: Int) {
    guard file.count - start >= 44, file[start..<(start + 4)].elementsEqual("TZif".utf8) else { return nil }
    func number(_ place: Int, _ count: Int) -> Int64 {
      var value: Int64 = file[place] >= 0x80 ? -1 : 0
      for index in 0..<count { value = value << 8 | Int64(file[place + index]) }
      return value
    }
    var counts: [Int] = []
    for index in 0..<6 {
      let count = number(start + 20 + 4 * index, 4)
      guard count >= 0, count <= Int64(file.count) else { return nil }
      counts.append(Int(count))
    }
    let (leaps, times, types, letters) = (counts[2], counts[3], counts[4], counts[5])
    let body = start + 44
    let indices = body + times * timeBytes
    let offsets = indices + times
    end = offsets + 6 * types + letters + leaps * (timeBytes + 4) + counts[0] + counts[1]
    guard end <= file.count, types > 0 else { return nil }
    first = number(offsets, 4)
    for index in 0..<times {
      let type = Int(file[indices + index])
      let moment = number(body + index * timeBytes, timeBytes)
      guard type < types, transitions.last.map({ $0.moment < moment }) ?? true else { return nil }
      transitions.append((moment, number(offsets + 6 * type, 4)))
    }
    let all = transitions.map { $0.offset } + [first]
    guard all.allSatisfy({ abs($0) <= 26 * 3600 }) else { return nil }
  }
}
