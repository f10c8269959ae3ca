// The streams of a file, one behind another: concatenated files, and changes of rate or channels. Pure; worker process.

/// Where the parts of a file begin and how long they are, as far as that is known.
struct FileParts {
  /// A stream of one rate and one number of channels.
  struct Part: Equatable {
    /// The byte of the file that it begins with.
    let base: Int64
    /// Its rate in Hz; 0 before it is opened.
    var rate: Int64
    /// Its frames at its own rate; nil before they are counted.
    var frames: Int64?
  }

  /// Parts of one file.
  static let limit = 4096

  private(set) var parts: [Part]
  /// Whether the last part is known to end the file.
  private(set) var isComplete = false
  /// The part whose decoder is open.
  var open = 0
  /// The part that the pipeline was made for.
  var playing = 0

  init(rate: Int) { parts = [Part(base: 0, rate: Int64(rate), frames: nil)] }

  /// Records what a part is at its own rate.
  mutating func note(rate: Int, of index: Int) { parts[index].rate = Int64(rate) }

  /// Records the frames of a part that was decoded to its end.
  mutating func note(frames: Int64, of index: Int) { parts[index].frames = frames }

  /// Records where a part ends.
  ///
  /// - Parameter next: The byte of the file that the following part begins with; nil where the file has no other.
  mutating func note(frames: Int64, next: Int64?, of index: Int) {
    if parts[index].frames == nil { parts[index].frames = frames }
    guard index == parts.count - 1 else { return }
    guard let next, next > parts[index].base, parts.count < Self.limit else { return isComplete = true }
    isComplete = false
    parts.append(Part(base: next, rate: 0, frames: nil))
  }

  /// The byte behind a part; nil for the last one that is known.
  func end(of index: Int) -> Int64? { index + 1 < parts.count ? parts[index + 1].base : nil }

  /// Drops a part that no decoder opens, and all behind it.
  mutating func cut(at index: Int) {
    guard index > 0 else { return }
    parts.removeLast(parts.count - index)
    isComplete = true
  }

  /// Takes over what was found out about the same file, unless that contradicts what is played.
  mutating func adopt(_ other: FileParts) {
    guard other.parts.count > max(open, playing), zip(parts, other.parts).allSatisfy({ $0.base == $1.base })
    else { return }
    parts = other.parts
    isComplete = other.isComplete
  }

  /// Frames of a part at the engine's rate; nil before they are counted.
  func length(of index: Int, at engine: Int64) -> Int64? {
    let part = parts[index]
    guard let frames = part.frames, part.rate > 0 else { return nil }
    return Rescaling(source: part.rate, engine: engine).engineFrames(frames)
  }

  /// Frames of the file at the engine's rate; nil before all parts are counted.
  func total(at engine: Int64) -> Int64? {
    guard isComplete else { return nil }
    var total: Int64 = 0
    for index in parts.indices {
      guard let length = length(of: index, at: engine) else { return nil }
      let (sum, isTooMuch) = total.addingReportingOverflow(length)
      guard !isTooMuch, sum <= Limits.maxTrack else { return nil }
      total = sum
    }
    return total
  }

  /// Whether all of the file is known to have one rate.
  func hasOneRate(_ rate: Int64) -> Bool { isComplete && parts.allSatisfy { $0.rate == rate } }
}
