// The tracks of a chained stream, one for each link: what each is called, and how many of them are too many. Pure; worker process.

/// What is known of a stream's links.
struct LinkedTracks {
  /// From a frame on, the sound is called so; by nothing, where the link does not say.
  struct Name: Equatable {
    let position: Int64
    let title: String
  }

  /// Links without sound between them, at once.
  static let limit = 32
  /// Frames that allow for another link, as a part of a second's.
  private static let share = 10

  /// A link that has another rate or other channels than what came before; nil where there is none.
  var shape: StreamInfo?
  private var names: [Name] = []
  private var isNamed = false
  private var allowance = Self.limit
  private var rate: Int64
  /// Frames since the allowance last grew.
  private var frames: Int64 = 0

  init(rate: Int) { self.rate = Int64(rate) }

  /// A link begins whose first frame is that one.
  mutating func begin(_ tags: StreamInfo.Tags, at position: Int64) {
    let name = Name(position: position, title: Self.title(tags))
    // What never had a name loses none.
    if name.title.utf8.isEmpty && !isNamed { return }
    isNamed = true
    // Of links without sound the last one counts.
    if names.last?.position == position { names.removeLast() }
    names.append(name)
  }

  /// So many frames were decoded.
  mutating func note(frames count: Int64) {
    frames += count
    let earned = frames / max(1, rate / Int64(Self.share))
    guard earned > 0 else { return }
    frames = 0
    allowance = Int(min(Int64(Self.limit), Int64(allowance) + earned))
  }

  /// Pays for a link of a station, or for a part of a file.
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

  /// The new shape is what is decoded now, from frame 0 on. Names that were not taken before are lost.
  mutating func adopt(rate: Int) {
    shape = nil
    names = []
    self.rate = Int64(rate)
  }

  /// Names that were not taken before.
  mutating func takeNames() -> [Name] {
    defer { names = [] }
    return names
  }

  /// The performer and the title in a line, as stations call their tracks.
  private static func title(_ tags: StreamInfo.Tags) -> String {
    if tags.artist.utf8.isEmpty { return tags.title }
    return tags.title.utf8.isEmpty ? tags.artist : tags.artist + " - " + tags.title
  }
}
