// Layout of a spool, the stream buffer in shared memory between fetcher and worker. Values; any process.

/// Sizes and offsets of a spool: one header page, then a ring of bytes. Offset `o` of the stream is at `o &
/// (capacity - 1)`.
struct SpoolLayout {
  /// Size of the header in bytes.
  static let headerBytes = 4096
  /// Header offsets of 64-bit atomics: the oldest byte in the window, and the offset after the newest.
  static let startOffset = 0
  static let endOffset = 64
  /// Length of the stream in bytes; `unknown` if the source does not state it.
  static let lengthOffset = 128
  static let phaseOffset = 192
  /// 1 if any byte can be requested.
  static let seekableOffset = 256
  /// The sum of the `SpoolKind` flags.
  static let kindOffset = 320
  /// The offsets of a station's last reconnects, in a ring of slots; 0 for none.
  static let seamOffset = 512
  static let seamCount = 8
  /// When a station began to lag behind live, in nanoseconds of the monotonic clock, 0 if it does not; and
  /// the offset after its newest byte then.
  static let lagSinceOffset = 640
  static let lagEndOffset = 704
  static let unknown = Int64(-1)
  /// Maximum length of a stream in bytes, far from overflow.
  static let maxLength: Int64 = 1 << 50

  /// Size of the window in bytes, a power of two.
  let capacity: Int

  /// Size of the whole mapping in bytes.
  var totalBytes: Int { Self.headerBytes + capacity }
}

/// Properties of a stream, as stated by the source.
struct SpoolKind: OptionSet {
  let rawValue: Int64

  /// A live stream: no end, and no byte can be requested again.
  static let live = SpoolKind(rawValue: 1)
  /// A playlist of addresses.
  static let list = SpoolKind(rawValue: 2)
}

/// The state of a stream.
enum SpoolPhase: UInt64 {
  /// The source has not responded.
  case connecting
  case open
  /// The end of the window is the end of the stream.
  case complete
  /// No more bytes will be written.
  case failed
}
