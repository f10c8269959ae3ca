// The WavPack codec plugin: decodes versions 4 and 5, lossless, hybrid and float, with libwavpack. Worker
// process only, one thread.

import CWavPack
import CodecPlugin
import CodecSupport

private nonisolated(unsafe) let table = makeCodecTable(
  name: "WavPack",
  version: WavpackGetLibraryVersionString(),
  extensions: ["wv"],
  mimeTypes: ["audio/x-wavpack", "audio/wavpack"],
  probe: { bytes, size in WavPackDecoder.probe(borrowed(bytes, size)) },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try WavPackDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes WavPack. Hybrid files play without their correction file, which the sandbox does not allow to
/// open; DSD plays as PCM at an eighth of its rate.
final class WavPackDecoder: StreamDecoder {
  private let input: MediaInput
  /// The input of libwavpack.
  private let blocks: WavPackBytes
  /// Nil after reopening has failed.
  private var file: OpaquePointer?
  private let channels: Int
  private let isFloat: Bool
  /// Factor from integers to a full scale of 1.0.
  private let scale: Float
  private let totalFrames: Int64?
  private var nextFrame: Int64 = 0
  private var hasEnded = false
  private var survey: WavPackSurvey?
  /// Number of frames as the blocks count them; for DSD, eight times the number of PCM frames.
  private let blockFrames: Int64
  /// Frames of damaged blocks at the beginning. libwavpack skips them; silence replaces them.
  private let lead: Int64

  /// Maximum request to libwavpack in frames, whose size in bytes must fit into 32 bits.
  private static let maxFrames = 1 << 16

  static func probe(_ bytes: Bytes) -> Int32 {
    guard hasMagic(bytes, "wvpk"), bytes.count >= 32 else { return 0 }
    // The block's size without its first eight bytes, and its version: 4.02 to 4.10 since 2004.
    let size = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
    let version = Int(bytes[8]) | Int(bytes[9]) << 8
    return size >= 24 && size < 1 << 20 && version >= 0x402 && version <= 0x410 ? 100 : 30
  }

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    let blocks = WavPackBytes(input)
    let (file, head) = try Self.open(blocks)
    self.input = input
    self.blocks = blocks
    self.file = file
    let count = Int(WavpackGetNumChannels(file))
    let bytes = UInt32(clamping: WavpackGetBytesPerSample(file))
    let mode = WavpackGetMode(file)
    channels = count
    isFloat = mode & MODE_FLOAT != 0
    // Narrow samples are stored in the high bits of the next whole byte width.
    scale = 1 / Float(UInt64(1) << UInt64(8 * min(max(bytes, 1), 4) - 1))
    let first = head.withUnsafeBufferPointer { WavPackBlock($0, at: 0) }
    // Unused if the first block states no total.
    blockFrames = first?.total ?? -1
    (totalFrames, lead) = Self.extent(file, first, blocks)
    super.init()
    let isHybrid = mode & MODE_HYBRID != 0
    try description.setFormat(
      isHybrid ? "WavPack hybrid, without its correction file" : "WavPack", rate: WavpackGetSampleRate(file),
      channels: UInt32(clamping: count), bits: 8 * bytes, isFloat: isFloat, totalFrames: totalFrames,
      canSeek: input.length != nil && totalFrames != nil)
    let audio = input.position
    _ = try description.applyTrailingTags(input)
    // libwavpack continues at the input's position.
    guard input.seek(to: audio) else { throw .read(at: audio) }
  }

  deinit { if let file { WavpackCloseFile(file) } }

  /// Opens libwavpack on the input. Also returns the first block's header, because a stream without a length
  /// cannot be read again.
  private static func open(_ blocks: WavPackBytes) throws(CodecFailure) -> (
    file: OpaquePointer, head: [UInt8]
  ) {
    let start = try blocks.enter()
    let head = try blocks.input.bytes(at: start, count: 32)
    guard head.starts(with: [0x77, 0x76, 0x70, 0x6B]) else {
      throw CodecFailure(.unsupported, "The file does not begin as WavPack 4 or 5 (wvpk).")
    }
    let first = head.withUnsafeBufferPointer { WavPackBlock($0, at: 0) }
    var place = start
    for _ in 0..<Self.maxBeginnings {
      let file = try open(blocks, at: place)
      // If the first of several blocks for a frame is damaged, libwavpack opens the file with the channels of
      // the others.
      guard !blocks.isStream, let first, first.isInitial, !first.isFinal, WavpackGetNumChannels(file) <= 2,
        let next = try blocks.beginning(after: place)
      else { return (file, head) }
      WavpackCloseFile(file)
      place = next
    }
    return (try open(blocks, at: place), head)
  }

  /// Maximum number of blocks at which opening a multichannel file is tried.
  private static let maxBeginnings = 4

  /// Opens libwavpack at an offset of the file.
  private static func open(_ blocks: WavPackBytes, at start: Int64) throws(CodecFailure) -> OpaquePointer {
    let input = blocks.input
    guard input.seek(to: start) else { throw .read(at: start) }
    let flags = OPEN_NORMALIZE | OPEN_DSD_AS_PCM
    var reason = [CChar](repeating: 0, count: 256)
    let file = WavpackOpenFileInputEx64(reader, blocks.context, nil, &reason, flags, 0)
    if input.hasFailed {
      if let file { WavpackCloseFile(file) }
      throw .read(at: input.position)
    }
    guard let file else {
      let isCorrection = reason.withUnsafeBytes {
        hasMagic($0.bindMemory(to: UInt8.self), "can't unpack correction")
      }
      throw isCorrection
        ? CodecFailure(
          .unsupported, "This is a correction file (.wvc), which belongs to a .wv file; play that.")
        : CodecFailure(
          .corrupt, "No intact WavPack block was found up to byte \(input.position).")
    }
    return file
  }

  /// Determines the number of frames, nil if unknown, and the frames before the block at which libwavpack
  /// starts.
  ///
  /// If the file's first block is damaged, libwavpack starts with a later one and counts from there, or
  /// reports no total.
  private static func extent(
    _ file: OpaquePointer, _ first: WavPackBlock?, _ blocks: WavPackBytes
  ) -> (total: Int64?, lead: Int64) {
    let frames = WavpackGetNumSamples64(file)
    guard !blocks.isStream, let first, let (start, offset) = blocks.latest, offset > 0, start.first > 0,
      start.total > start.first, WavpackGetQualifyMode(file) & QMODE_DSD_AUDIO == 0
    else { return (frames >= 0 ? frames : nil, 0) }
    // A file may start in the middle of a stream; a damaged header may state a wrong first frame.
    let begin = (0...start.first).contains(first.first) ? first.first : 0
    let missing = start.first - begin
    let lead = missing <= WavPackBlock.maxFrames ? missing : 0
    return (start.total - start.first + lead, lead)
  }

  override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    guard !hasEnded else { return 0 }
    guard let file else { throw CodecFailure(.corrupt, "The WavPack stream was lost in a seek that failed.") }
    var wanted = min(frames, Self.maxFrames)
    // A station may be joined in the middle, and may restart.
    if let totalFrames, !blocks.isStream { wanted = Int(min(Int64(wanted), max(0, totalFrames - nextFrame))) }
    // A later block may have another channel count, whose samples would not fit into the caller's buffer.
    guard wanted > 0, Int(WavpackGetNumChannels(file)) == channels else {
      hasEnded = true
      return 0
    }
    if nextFrame < lead {
      wanted = Int(min(Int64(wanted), lead - nextFrame))
      samples.update(repeating: 0, count: wanted * channels)
      nextFrame += Int64(wanted)
      return wanted
    }
    let integers = UnsafeMutableRawPointer(samples).assumingMemoryBound(to: Int32.self)
    let got = Int(WavpackUnpackSamples(file, integers, UInt32(wanted)))
    if input.hasFailed { throw .read(at: input.position) }
    let position = nextFrame
    nextFrame += Int64(got)
    if got == 0 {
      hasEnded = true
      try blocks.leave()
      // A truncated file ends here; data after the damage means that the stream is corrupt.
      if input.length.map({ input.position < $0 }) == true, position < totalFrames ?? 0 {
        throw damage(file, at: position)
      }
    }
    if !isFloat { convert(samples, integers, count: got * channels) }
    return got
  }

  /// Converts in place; input and output samples have the same size.
  private func convert(_ samples: UnsafeMutablePointer<Float>, _ integers: UnsafePointer<Int32>, count: Int) {
    let scale = scale
    for index in 0..<count { samples[index] = Float(integers[index]) * scale }
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    guard let length = input.length, let totalFrames else { return nil }
    let place = input.position
    defer { _ = input.seek(to: place) }
    let survey = survey ?? WavPackSurvey(input, length: length, frames: blockFrames)
    self.survey = survey
    if hasEnded, nextFrame >= totalFrames, try survey.isStream(at: place) {
      return .known(frames: totalFrames, next: place)
    }
    try survey.work(bytes: bytes)
    return survey.isOver ? .known(frames: totalFrames, next: survey.next) : .counting(frames: 0)
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    guard let totalFrames, input.length != nil else {
      throw CodecFailure(.notSeekable, "This WavPack stream has no length and cannot seek.")
    }
    hasEnded = frame >= totalFrames
    nextFrame = min(frame, totalFrames)
    guard !hasEnded, let file else { return }
    let isFound = WavpackSeekSample64(file, max(0, frame - lead)) != 0
    if input.hasFailed { throw .read(at: input.position) }
    guard !isFound else { return }
    // libwavpack does not allow further use after a failed seek.
    let byte = input.position
    WavpackCloseFile(file)
    self.file = nil
    self.file = try Self.open(blocks).file
    nextFrame = 0
    let isReached = try frame <= Self.maxSkip ? skip(to: frame) : false
    guard isReached else {
      throw CodecFailure(
        .notSeekable, "Frame \(frame) was not found: the WavPack stream is damaged or cut at byte \(byte).")
    }
  }

  /// Maximum number of frames that are decoded and dropped if a seek near the beginning fails.
  private static let maxSkip: Int64 = 1 << 19

  /// Decodes and drops the frames before a frame. Returns false if the stream ends earlier.
  private func skip(to frame: Int64) throws(CodecFailure) -> Bool {
    let portion = 4096
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: portion * channels)
    defer { samples.deallocate() }
    while nextFrame < frame {
      guard try decode(into: samples, frames: Int(min(Int64(portion), frame - nextFrame))) > 0 else {
        return false
      }
    }
    return true
  }

  private func damage(_ file: OpaquePointer, at frame: Int64) -> CodecFailure {
    CodecFailure(
      .corrupt,
      "The WavPack stream cannot be followed beyond frame \(frame), byte \(input.position) "
        + "(\(WavpackGetNumErrors(file)) damaged blocks so far).")
  }
}

/// The I/O callbacks of libwavpack, with a `WavPackBytes` as context. Lives as long as the plugin.
private nonisolated(unsafe) let reader: UnsafeMutablePointer<WavpackStreamReader64> = {
  let reader = UnsafeMutablePointer<WavpackStreamReader64>.allocate(capacity: 1)
  reader.initialize(
    to: WavpackStreamReader64(
      read_bytes: { context, buffer, count in
        guard let context, let buffer, count > 0 else { return 0 }
        return Int32(max(0, WavPackBytes.from(context).read(into: buffer, count: Int(count))))
      },
      write_bytes: nil,
      get_pos: { context in context.map { WavPackBytes.from($0).input.position } ?? 0 },
      set_pos_abs: { context, position in
        guard let context else { return -1 }
        return WavPackBytes.from(context).input.seek(to: position) ? 0 : -1
      },
      set_pos_rel: { context, offset, whence in
        guard let context else { return -1 }
        return WavPackBytes.from(context).input.seek(by: offset, whence: whence) < 0 ? -1 : 0
      },
      push_back_byte: { context, byte in
        guard let context else { return -1 }
        let input = WavPackBytes.from(context).input
        return input.seek(to: input.position - 1) ? byte : -1
      },
      get_length: { context in context.flatMap { WavPackBytes.from($0).input.length } ?? 0 },
      can_seek: { context in context.flatMap { WavPackBytes.from($0).input.length } == nil ? 0 : 1 },
      truncate_here: nil,
      close: nil))
  return reader
}()
