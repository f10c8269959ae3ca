// Titles of a chained stream's links, and a rate limit on links. Pure; worker process only.

/// The state of a stream's links as one continuous track.
struct LinkedTracks {
  /// A title from a frame on; empty if the link has none.
  struct Name: Equatable {
    let position: Int64
    let title: String
  }

  /// Maximum number of links in a row without audio between them.
  static let limit = 32
  /// Audio for which one more link is allowed, as a fraction of a second.
  private static let share = 10

  /// A link with another rate or channel count that waits to be adopted; nil if there is none.
  var shape: StreamInfo?
  private var names: [Name] = []
  private var isNamed = false
  private var allowance = Self.limit
  private var rate: Int64
  /// Frames since the allowance last grew.
  private var frames: Int64 = 0

  init(rate: Int) { self.rate = Int64(rate) }

  /// Starts a link.
  ///
  /// - Parameters:
  ///   - tags: The link's tags.
  ///   - position: Its first frame.
  mutating func begin(_ tags: StreamInfo.Tags, at position: Int64) {
    let name = Name(position: position, title: Self.title(tags))
    // A stream that never had a title does not need an empty one.
    if name.title.utf8.isEmpty && !isNamed { return }
    isNamed = true
    // Of several links without audio, the last title wins.
    if names.last?.position == position { names.removeLast() }
    names.append(name)
  }

  /// Counts decoded frames and grows the allowance.
  mutating func note(frames count: Int64) {
    frames += count
    let earned = frames / max(1, rate / Int64(Self.share))
    guard earned > 0 else { return }
    frames = 0
    allowance = Int(min(Int64(Self.limit), Int64(allowance) + earned))
  }

  /// Uses one link of the allowance.
  ///
  /// - Parameter isFile: Whether the link is a part of a file, for the error text.
  /// - Throws: `corrupt` if the allowance is used up.
  mutating func pay(isFile: Bool = false) throws(WorkerFailure) {
    guard allowance > 0 else {
      throw WorkerFailure(
        .corrupt,
        isFile
          ? "The file begins anew more than \(Self.limit) times with hardly any sound between."
          : "The station's stream begins anew again and again, with hardly any sound between.")
    }
    allowance -= 1
  }

  /// Adopts the pending link, whose first frame is 0. Drops pending titles.
  mutating func adopt(rate: Int) {
    shape = nil
    names = []
    self.rate = Int64(rate)
  }

  /// Dequeues the pending titles.
  mutating func takeNames() -> [Name] {
    defer { names = [] }
    return names
  }

  /// Formats artist and title in one line, as stations do.
  private static func title(_ tags: StreamInfo.Tags) -> String {
    if tags.artist.utf8.isEmpty { return tags.title }
    return tags.title.utf8.isEmpty ? tags.artist : tags.artist + " - " + tags.title
  }
}
