// The tags around the frames of an MPEG file: ID3v2 before, ID3v1 and APEv2 after, and the Xing tag in the
// first frame. Worker process only.

import CodecSupport

/// The extent of the frames in the file, and the Xing tag.
struct MPEGTags {
  /// Offset after the leading tags.
  private(set) var audioStart: Int64 = 0
  /// Offset of the first frame that is confirmed by later ones.
  private(set) var firstFrame: Int64 = 0
  private(set) var xing: XingTag?
  /// Offset of the trailing tags; nil if the file's length is unknown.
  private(set) var audioEnd: Int64?

  /// Reads all tags into `description` and finds the first frame.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    audioStart = try description.applyLeadingTags(input)
    try findFrames(input)
    audioEnd = try description.applyTrailingTags(input)
    xing?.apply(to: description)
    isFollowed = try findsFrames(behind: xing?.streamBytes.map { audioStart + $0 }, input)
  }

  /// Whether more frames or tags follow where the Xing tag's stream ends, as in concatenated files.
  private func findsFrames(behind end: Int64?, _ input: MediaInput) throws(CodecFailure) -> Bool {
    guard let end, let audioEnd, end < audioEnd, input.farReads != .wait else { return false }
    let bytes = try input.bytes(at: end, count: 3 * MPEGHeader.maxFrameBytes)
    return bytes.withUnsafeBufferPointer { bytes in
      // Skips the ID3v1 tag of the first file.
      let start = hasMagic(bytes, "TAG") ? 128 : 0
      return hasMagic(bytes, "ID3", at: start) || frameRun(bytes, at: start)
    }
  }

  private var isFollowed = false

  /// Number of bytes searched for frames, and in a file with a leading tag. A tag may state too small a size, so that
  /// the rest of a picture follows it, or padding may follow.
  private static let window = 1 << 16
  private static let taggedWindow = 1 << 20
  /// Number of bytes that contain three headers of maximum-size frames.
  private static let reach = 2 * MPEGHeader.maxFrameBytes + 4

  /// Finds the first three consistent headers. libmpg123 accepts two, which occur by chance in long files.
  ///
  /// Reads no more than needed, because the bytes of a station arrive at the pace of playback.
  private mutating func findFrames(_ input: MediaInput) throws(CodecFailure) {
    if try findFrames(input, window: Self.window) { return }
    let isTagged = audioStart > 0 && input.length != nil
    if isTagged, try findFrames(input, window: Self.taggedWindow) { return }
    let searched = isTagged ? Self.taggedWindow : Self.window
    throw CodecFailure(
      .unsupported,
      "No MPEG audio frames (MP3, MP2) were found in the \(min(Int64(searched), max(0, (input.length ?? .max) - audioStart))) bytes from byte \(audioStart) on."
    )
  }

  private mutating func findFrames(_ input: MediaInput, window: Int) throws(CodecFailure) -> Bool {
    guard input.seek(to: audioStart) else { throw .read(at: audioStart) }
    var bytes = [UInt8](repeating: 0, count: window)
    var (got, offset) = (0, 0)
    var isWhole = false
    while !isWhole, got < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        input.read(into: $0.baseAddress! + got, count: min($0.count - got, Self.reach))
      }
      guard more >= 0 else { throw .read(at: audioStart) }
      isWhole = more == 0
      got += more
      let isLast = isWhole || got == bytes.count
      let decided = max(offset, isLast ? got : got - Self.reach)
      let isFound = bytes.withUnsafeBufferPointer { bytes in
        let head = Bytes(rebasing: bytes[..<got])
        for offset in offset..<decided where frameRun(head, at: offset, wanted: 3, endsFile: isWhole) {
          xing = XingTag(frame: Bytes(rebasing: head[offset...]))
          firstFrame = audioStart + Int64(offset)
          return true
        }
        return false
      }
      guard !isFound else { return true }
      offset = decided
    }
    return false
  }

  /// Whether the Xing tag's frame count is valid: not if the file was truncated or other files were appended.
  var hasReliableFrameCount: Bool {
    guard let xing, xing.countsFrames, !isFollowed else { return false }
    guard let audioEnd, let bytes = xing.streamBytes else { return xing.streamBytes == nil }
    let end = audioStart + bytes
    // Unknown tags may follow. 32 KiB is less than two seconds of audio.
    return end <= audioEnd && audioEnd - end <= 1 << 15
  }
}
