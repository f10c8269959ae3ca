// Parses the `sort` and `window` arguments that may follow an MPD filter, and applies them to the queue. Pure; total.

/// The filter, order and range of a search, such as `artist Harbour sort -Title window 0:10`.
struct MPDSelection: Sendable {
  private enum Order: Sendable {
    case tag(MPDTag)
    /// A tag that MPD has and this server does not support, so that all songs are equal.
    case unknown
    case priority
    case modified
  }

  /// The arguments before `sort` and `window`.
  let filter: ArraySlice<String>
  private var order: Order?
  private var isDescending = false
  private var window: Range<Int>?

  /// Splits `sort` and `window` off the end of the arguments, as MPD does.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - ofQueue: Whether the queue is searched, which can be sorted by priority.
  /// - Throws: `MPDRefusal` if an argument is malformed.
  init(of words: ArraySlice<String>, ofQueue: Bool = true) throws(MPDRefusal) {
    var rest = words
    func value(_ name: String) -> String? {
      guard rest.count > 2, MPDTag.small(rest[rest.endIndex - 2]) == name else { return nil }
      return rest.last
    }
    if let word = value("window") {
      window = try MPDArguments.range(word, count: Int(Int32.max))
      rest = rest.dropLast(2)
    }
    if let word = value("sort") {
      isDescending = word.utf8.first == 0x2D
      order = try Self.order(isDescending ? String(word.dropFirst()) : word, ofQueue)
      rest = rest.dropLast(2)
    }
    filter = rest
  }

  private static func order(_ name: String, _ ofQueue: Bool) throws(MPDRefusal) -> Order {
    switch MPDTag.small(name) {
    case "prio" where ofQueue: return .priority
    case "added" where !ofQueue: return .modified
    case "last-modified": return .modified
    case let small where MPDTag.others.contains { MPDTag.small($0) == small }: return .unknown
    default:
      do throws(MPDRefusal) { return .tag(try MPDTag(named: name)) } catch {
        throw MPDRefusal(.argument, "Unknown sort tag")
      }
    }
  }

  /// Sorts positions of the queue in the requested order; the sort is stable.
  func sorted(_ places: [Int], of entries: [QueueEntry]) -> [Int] {
    switch order {
    case nil, .unknown?: return places
    case .priority?: return sorted(places, by: { entries[$0].priority }, <)
    // ISO 8601 times sort chronologically as text.
    case .modified?: return sorted(places) { entries[$0].modified }
    case .tag(.track)?:
      return sorted(places, by: { Int(entries[$0].number ?? "") ?? 0 }, <)
    case .tag(.disc)?:
      return sorted(places, by: { Int(entries[$0].disc ?? "") ?? 0 }, <)
    case .tag(let tag)?: return sorted(places) { MPDStatus.tag(tag, of: entries[$0]) }
    }
  }

  /// Sorts by bytes, as MPD does.
  private func sorted(_ places: [Int], by text: (Int) -> String?) -> [Int] {
    sorted(places, by: { Array((text($0) ?? "").utf8) }) { $0.lexicographicallyPrecedes($1) }
  }

  private func sorted<Key>(
    _ places: [Int], by key: (Int) -> Key, _ precedes: (Key, Key) -> Bool
  ) -> [Int] {
    let keyed = places.map { (place: $0, key: key($0)) }
    return keyed.sorted { one, other in
      let (first, second) = isDescending ? (other, one) : (one, other)
      if precedes(first.key, second.key) { return true }
      return !precedes(second.key, first.key) && one.place < other.place
    }.map { $0.place }
  }

  /// The part of a result inside the window.
  func part(of places: [Int]) -> ArraySlice<Int> {
    guard let window else { return places[...] }
    return places[window.clamped(to: places.indices)]
  }
}
