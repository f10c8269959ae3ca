// A stream's window in shared memory: where things are in it. The fetcher writes it, the worker reads it; neither believes the other.

/// Sizes and offsets of a spool: one header page, then the window. Byte `o` of the source lies at `o & (capacity - 1)`.
struct SpoolLayout {
  /// Bytes before the window.
  static let headerBytes = 4096
  /// Header offsets of the 64-bit atomics: the oldest byte that is there, and one past the newest.
  static let startOffset = 0
  static let endOffset = 64
  /// Bytes of the whole; `unknown` where the source does not say.
  static let lengthOffset = 128
  static let phaseOffset = 192
  /// 1 where any byte may be asked for.
  static let seekableOffset = 256
  /// A sum of `SpoolKind`s.
  static let kindOffset = 320
  /// The last bytes at which a station's connection began anew, in turn; 0 for none.
  static let seamOffset = 512
  static let seamCount = 8
  /// Since when, in nanoseconds of the monotonic clock, a station's bytes come later than they could; 0 while they do not. And one past the
  /// newest byte at that time.
  static let lagSinceOffset = 640
  static let lagEndOffset = 704
  static let unknown = Int64(-1)
  /// No source is longer: offsets stay far from overflow.
  static let maxLength: Int64 = 1 << 50

  /// Bytes of the window, a power of two.
  let capacity: Int

  /// Bytes of the whole mapping.
  var totalBytes: Int { Self.headerBytes + capacity }
}

/// What a source says that it is.
struct SpoolKind: OptionSet {
  let rawValue: Int64

  /// It has no end, and gives no byte twice.
  static let live = SpoolKind(rawValue: 1)
  /// A list of addresses.
  static let list = SpoolKind(rawValue: 2)
}

/// How far a stream has come.
enum SpoolPhase: UInt64 {
  /// Nothing is known of it yet.
  case connecting
  case open
  /// The end of what is there is the stream's.
  case complete
  /// No more will come.
  case failed
}
