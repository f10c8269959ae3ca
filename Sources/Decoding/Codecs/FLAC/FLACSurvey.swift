// Finds the end of a FLAC stream in a file by its frame headers: the number of frames, and the offset of a
// stream that follows. Worker process only.

import CodecSupport

/// Searches the bytes of a native FLAC stream.
final class FLACSurvey {
  private let input: MediaInput
  private let length: Int64
  private let rate: Int
  private let channels: Int
  private let bits: Int
  /// The number of frames in the stream's header; nil if not stated.
  private let stated: Int64?
  /// Offset of the first byte after the headers.
  private let start: Int64
  /// Number of the stream's first sample.
  private let firstSample: Int64
  private let fixedBlock: Int
  private var hasLooked = false
  /// The scan's position, and the expected number of the next frame's first sample.
  private var offset: Int64
  private var expected: Int64
  private(set) var end: (frames: Int64, next: Int64?)?

  private static let tailBytes = 1 << 16
  private static let places: Int64 = 8
  /// Bytes needed to check one offset.
  private static let overlap = 16

  init(
    _ input: MediaInput, length: Int64, from start: Int64, rate: Int, channels: Int, bits: Int,
    frames: Int64?,
    firstSample: Int64, fixedBlock: Int
  ) {
    self.input = input
    self.length = length
    self.start = start
    self.rate = rate
    self.channels = channels
    self.bits = bits
    stated = frames
    self.firstSample = firstSample
    self.fixedBlock = fixedBlock
    offset = start
    expected = firstSample
  }

  /// Number of frames counted.
  var frames: Int64 { end?.frames ?? max(0, expected - firstSample) }

  /// Reads about `bytes` bytes.
  func work(bytes: Int) throws(CodecFailure) {
    guard end == nil, bytes > 0 else { return }
    if !hasLooked {
      hasLooked = true
      try look()
      return
    }
    try scan(bytes: bytes)
  }

  private func isMine(_ header: FLACFrameHeader) -> Bool {
    header.channels == channels && (header.rate == rate || header.rate == 0)
      && (header.bits == bits || header.bits == 0)
  }

  /// Checks the end of the file and a few earlier places for consistent frame numbers, to see whether one
  /// stream fills the file.
  private func look() throws(CodecFailure) {
    guard let last = try lastFrame(before: length) else { return }
    if let stated, last.end == stated { return end = (stated, nil) }
    // More frames than stated count if their numbers are consistent from the beginning.
    guard last.isCertain, last.end > stated ?? 0 else { return }
    var sample: Int64 = -1
    for place in 1..<Self.places {
      guard let frame = try lastFrame(before: start + (length - start) / Self.places * place),
        frame.end > sample
      else { return }
      sample = frame.end
    }
    if sample < last.end { end = (last.end, nil) }
  }

  /// Finds the last frame that begins before an offset. Returns the sample at its end, and whether it follows
  /// another frame.
  private func lastFrame(before byte: Int64) throws(CodecFailure) -> (end: Int64, isCertain: Bool)? {
    let begin = max(start, byte - Int64(Self.tailBytes))
    let bytes = try input.bytes(at: begin, count: Int(max(0, byte - begin)))
    return bytes.withUnsafeBufferPointer { bytes in
      var (end, count) = (Int64(-1), 0)
      for index in bytes.indices {
        if bytes[index] == 0x66, Self.isStream(bytes, at: index) { return nil }
        guard bytes[index] == 0xFF, let header = FLACFrameHeader(bytes, at: index) else { continue }
        // The header is another stream's or occurs by chance. The whole file is scanned then.
        guard isMine(header) else {
          if header.rate > 0 { count = 0 }
          continue
        }
        let sample = header.sample(fixedBlock: fixedBlock) - firstSample
        // A false header occurs every few megabytes, but not with the expected number.
        if sample == end {
          count += 1
        } else if count > 1, sample > end {
          continue
        } else {
          count = 1
        }
        end = sample + Int64(header.blockSize)
      }
      return count > 0 ? (end, count > 1) : nil
    }
  }

  /// Scans for the header of another stream, and for frames of another format that continue the numbers.
  private func scan(bytes count: Int) throws(CodecFailure) {
    let bytes = try input.bytes(at: offset, count: max(count, 4096))
    let isLast = offset + Int64(bytes.count) >= length
    let judged = isLast ? bytes.count : bytes.count - Self.overlap
    guard judged > 0 else { return finish(next: nil) }
    let next: Int64? = bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < judged {
        if bytes[index] == 0x66, Self.isStream(bytes, at: index) { return offset + Int64(index) }
        if bytes[index] == 0xFF, let header = FLACFrameHeader(bytes, at: index) {
          let sample = header.sample(fixedBlock: fixedBlock)
          if isMine(header) {
            // Damaged frames leave a gap.
            if sample >= expected, sample < expected + Int64(rate) * 60 {
              expected = sample + Int64(header.blockSize)
            }
          } else if sample == expected, header.rate > 0 {
            return offset + Int64(index)
          }
        }
        index += 1
      }
      return nil
    }
    if let next { return finish(next: next) }
    offset += Int64(judged)
    if isLast { finish(next: nil) }
  }

  private func finish(next: Int64?) {
    let counted = max(0, expected - firstSample)
    // Frames of another format begin before the stated end, another stream after it.
    end = (next.map { _ in min(stated ?? counted, counted) } ?? stated ?? counted, next)
  }

  /// Whether a stream begins at an index: its magic and a STREAMINFO block.
  static func isStream(_ bytes: Bytes, at index: Int) -> Bool {
    hasMagic(bytes, "fLaC", at: index) && bytes.count - index >= 8 && bytes[index + 4] & 0x7F == 0
      && bytes[index + 5] == 0 && bytes[index + 6] == 0 && bytes[index + 7] == 34
  }
}
