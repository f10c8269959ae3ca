// What stands around the frames of an MPEG audio file: ID3v2 before, ID3v1 and APE behind, the Xing tag in
// the first frame. Worker process only.

import CodecSupport

/// The extent of the frames in the file, and what the first one says about them.
struct MPEGTags {
  /// The first byte behind the leading tags.
  private(set) var audioStart: Int64 = 0
  /// The first byte of the first frame that is surely one.
  private(set) var firstFrame: Int64 = 0
  private(set) var xing: XingTag?
  /// The first byte of the trailing tags, if the file's end is known.
  private(set) var audioEnd: Int64?

  /// Reads all tags into `description`.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    audioStart = try description.applyLeadingTags(input)
    try findFrames(input)
    audioEnd = try description.applyTrailingTags(input)
    xing?.apply(to: description)
    isFollowed = try findsFrames(behind: xing?.streamBytes.map { audioStart + $0 }, input)
  }

  /// Whether frames, or a tag before them, lie where the Xing tag says that the stream ends: then files were put one behind another.
  private func findsFrames(behind end: Int64?, _ input: MediaInput) throws(CodecFailure) -> Bool {
    guard let end, let audioEnd, end < audioEnd else { return false }
    let bytes = try input.bytes(at: end, count: 3 * MPEGHeader.maxFrameBytes)
    return bytes.withUnsafeBufferPointer { bytes in
      // Behind a first file's ID3v1.
      let start = hasMagic(bytes, "TAG") ? 128 : 0
      return hasMagic(bytes, "ID3", at: start) || frameRun(bytes, at: start)
    }
  }

  private var isFollowed = false

  /// Frames are looked for in so many bytes.
  private static let window = 1 << 16
  /// Bytes that three headers of frames lie within, those of the longest included.
  private static let reach = 2 * MPEGHeader.maxFrameBytes + 4

  /// libmpg123 takes two headers that agree for a stream, which chance puts into many a long file: three are
  /// asked for here before it is let loose. No more is read than that takes: a station's bytes come at the pace of its sound.
  private mutating func findFrames(_ input: MediaInput) throws(CodecFailure) {
    guard input.seek(to: audioStart) else { throw .read(at: audioStart) }
    var bytes = [UInt8](repeating: 0, count: Self.window)
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
      guard !isFound else { return }
      offset = decided
    }
    throw CodecFailure(
      .unsupported, "No MPEG audio frames were found in the \(got) bytes from byte \(audioStart) on.")
  }

  /// Whether the Xing tag's frame count is this file's: not if the file was cut, or others were appended.
  var hasReliableFrameCount: Bool {
    guard let xing, xing.countsFrames, !isFollowed else { return false }
    guard let audioEnd, let bytes = xing.streamBytes else { return xing.streamBytes == nil }
    let end = audioStart + bytes
    // Tags that are not known here may follow; two seconds of music would be longer.
    return end <= audioEnd && audioEnd - end <= 1 << 15
  }
}
