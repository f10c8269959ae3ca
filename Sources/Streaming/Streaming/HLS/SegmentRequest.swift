// What a fetcher of segments has asked a server for. A value; fetcher process.

/// One request, and how far its answer has come.
struct SegmentRequest {
  enum Goal: Equatable {
    case playlist
    /// What segments need to be understood.
    case map
    case segment(Segment)
  }

  /// Nanoseconds within which an answer has to be whole, unless there is no room for it.
  static let limit: UInt64 = 90_000_000_000
  /// Bytes of a segment at most, and of what is passed over before it.
  static let maxLength: Int64 = 64 << 20

  let goal: Goal
  let address: String
  /// What it is called in a sentence.
  let name: String
  /// Which bytes of the address are wanted; nil for all.
  var part: Part.Bytes?
  /// When it began, and by when it is to be over.
  var begun: UInt64 = 0
  var deadline: UInt64 = 0
  /// Bytes that have come of what is wanted.
  private(set) var received: Int64 = 0
  /// Bytes of the present answer that come before what is wanted.
  private var skipping: Int64 = 0
  /// Whether nothing more of the answer is wanted.
  var isComplete = false

  init(_ goal: Goal, at address: String, called name: String, _ part: Part.Bytes? = nil) {
    (self.goal, self.address, self.name, self.part) = (goal, address, name, part)
  }

  /// The first byte that is missing.
  var offset: Int64 { goal == .playlist ? 0 : (part?.offset ?? 0) + received }

  /// Whether all has come, as far as that is known.
  var isWhole: Bool { part.map { received >= $0.count } ?? true }

  /// Takes the beginning of an answer to a request from `offset` on. Answers why it is of no use.
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

  /// Takes bytes; answers those that are wanted.
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
