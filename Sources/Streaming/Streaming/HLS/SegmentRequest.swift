// A request of the HLS fetcher and the state of its response. A value; fetcher process.

/// A request for a playlist, an initialisation section or a segment.
struct SegmentRequest {
  enum Goal: Equatable {
    case playlist
    /// An initialisation section.
    case map
    case segment(Segment)
  }

  /// Timeout of a response in nanoseconds, not counting the time that the spool is full.
  static let limit: UInt64 = 90_000_000_000
  /// Maximum size of a segment in bytes, and of the data skipped before it.
  static let maxLength: Int64 = 64 << 20

  let goal: Goal
  let address: String
  /// Name for error texts.
  let name: String
  /// The requested byte range; nil for the whole resource.
  var part: Part.Bytes?
  /// Start and timeout of the request, in monotonic nanoseconds.
  var begun: UInt64 = 0
  var deadline: UInt64 = 0
  /// Number of requested bytes received.
  private(set) var received: Int64 = 0
  /// Bytes of the present response before the requested range.
  private var skipping: Int64 = 0
  /// Whether the rest of the response is not needed.
  var isComplete = false

  init(_ goal: Goal, at address: String, called name: String, _ part: Part.Bytes? = nil) {
    (self.goal, self.address, self.name, self.part) = (goal, address, name, part)
  }

  /// Offset of the next byte to request.
  var offset: Int64 { goal == .playlist ? 0 : (part?.offset ?? 0) + received }

  /// Whether all requested bytes were received, if their number is known.
  var isWhole: Bool { part.map { received >= $0.count } ?? true }

  /// Processes the headers of a response to a request from `offset` on. Returns the failure if it is not
  /// usable.
  mutating func take(_ answer: SourceAnswer) -> FetchFailure? {
    skipping = 0
    if answer.status == 206 {
      guard answer.first == offset else {
        return FetchFailure(sentence: "The server sends another part than it was asked for.")
      }
    } else {
      skipping = offset
    }
    return skipping > Self.maxLength
      ? FetchFailure(sentence: "The server gives no parts of it (no Accept-Ranges: bytes).") : nil
  }

  /// Processes bytes of the response. Returns those in the requested range.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let before = Int(min(skipping, Int64(bytes.count)))
    skipping -= Int64(before)
    var wanted = UnsafeRawBufferPointer(rebasing: bytes[before...])
    let missing = max(0, (part?.count ?? Self.maxLength) - received)
    if Int64(wanted.count) >= missing { isComplete = true }
    wanted = UnsafeRawBufferPointer(rebasing: wanted.prefix(Int(min(missing, Int64(wanted.count)))))
    received += Int64(wanted.count)
    return wanted
  }
}
