// What may stand behind a filter about the queue: in which order the songs are wanted, and which of them. Pure; total.

/// Songs that are wanted, of those that a filter finds: `artist Harbour sort -Title window 0:10`.
struct MPDSelection: Sendable {
  private enum Order: Sendable {
    case tag(MPDTag)
    /// A tag that no song of a box has, so that all of them are equal.
    case unknown
    case priority
    case modified
  }

  /// The words in front.
  let filter: ArraySlice<String>
  private var order: Order?
  private var isDescending = false
  private var window: Range<Int>?

  /// Takes order and window from the end of the words, as MPD does.
  ///
  /// - Parameter ofQueue: Whether songs of the queue are meant, which can be sorted by priority.
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

  /// Places of the queue in the wanted order; those that are equal stay as they are.
  func sorted(_ places: [Int], of entries: [QueueEntry]) -> [Int] {
    switch order {
    case nil, .unknown?: return places
    case .priority?: return sorted(places, by: { entries[$0].priority }, <)
    // Dates of this form are in the order of their letters.
    case .modified?: return sorted(places) { entries[$0].modified }
    case .tag(.track)?:
      return sorted(places, by: { Int(entries[$0].number ?? "") ?? 0 }, <)
    case .tag(.disc)?:
      return sorted(places, by: { Int(entries[$0].disc ?? "") ?? 0 }, <)
    case .tag(let tag)?: return sorted(places) { MPDStatus.tag(tag, of: entries[$0]) }
    }
  }

  /// As bytes, as MPD compares.
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

  /// Those that the window shows.
  func part(of places: [Int]) -> ArraySlice<Int> {
    guard let window else { return places[...] }
    return places[window.clamped(to: places.indices)]
  }
}
