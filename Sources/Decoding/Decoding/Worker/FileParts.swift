// The parts of a file that consists of several streams: concatenated files, and changes of rate or channel
// count. Pure; worker process only.

/// Known offsets and lengths of a file's parts.
struct FileParts {
  /// A stream of one rate and channel count.
  struct Part: Equatable {
    /// Offset of its first byte in the file.
    let base: Int64
    /// Sample rate in Hz; 0 until the part is opened.
    var rate: Int64
    /// Length in frames at its own rate; nil until counted.
    var frames: Int64?
  }

  /// Maximum number of parts of a file.
  static let limit = 4096

  private(set) var parts: [Part]
  /// Whether the last known part ends the file.
  private(set) var isComplete = false
  /// Index of the part whose decoder is open.
  var open = 0
  /// Index of the part that the pipeline was created for.
  var playing = 0

  init(rate: Int) { parts = [Part(base: 0, rate: Int64(rate), frames: nil)] }

  /// Records the rate of a part.
  mutating func note(rate: Int, of index: Int) { parts[index].rate = Int64(rate) }

  /// Records the length of a part that was decoded to its end.
  mutating func note(frames: Int64, of index: Int) { parts[index].frames = frames }

  /// Records the length of a part and the offset of the next one.
  ///
  /// - Parameters:
  ///   - frames: Length at the part's own rate.
  ///   - next: Offset of the next part in the file; nil if there is none.
  ///   - index: The part.
  mutating func note(frames: Int64, next: Int64?, of index: Int) {
    if parts[index].frames == nil { parts[index].frames = frames }
    guard index == parts.count - 1 else { return }
    guard let next, next > parts[index].base, parts.count < Self.limit else { return isComplete = true }
    isComplete = false
    parts.append(Part(base: next, rate: 0, frames: nil))
  }

  /// Offset of the first byte after a part; nil for the last known part.
  func end(of index: Int) -> Int64? { index + 1 < parts.count ? parts[index + 1].base : nil }

  /// Removes a part that no decoder opens, and those after it.
  mutating func cut(at index: Int) {
    guard index > 0 else { return }
    parts.removeLast(parts.count - index)
    isComplete = true
  }

  /// Merges the results of a survey of the same file, unless they contradict the present part.
  mutating func adopt(_ other: FileParts) {
    guard other.parts.count > max(open, playing), zip(parts, other.parts).allSatisfy({ $0.base == $1.base })
    else { return }
    parts = other.parts
    isComplete = other.isComplete
  }

  /// Length of a part at the engine's rate; nil until counted.
  func length(of index: Int, at engine: Int64) -> Int64? {
    let part = parts[index]
    guard let frames = part.frames, part.rate > 0 else { return nil }
    return Rescaling(source: part.rate, engine: engine).engineFrames(frames)
  }

  /// Length of the file at the engine's rate; nil until all parts are counted.
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

  /// Whether all parts are known to have one rate.
  func hasOneRate(_ rate: Int64) -> Bool { isComplete && parts.allSatisfy { $0.rate == rate } }
}
