// The MPEG codec plugin: decodes MPEG-1, 2 and 2.5 audio, layers I to III, with libmpg123. Worker process
// only, one thread.

import CMPG123
import CodecPlugin
import CodecSupport

private nonisolated(unsafe) let table = makeCodecTable(
  name: "MPEG",
  version: cString("libmpg123"),
  extensions: ["mp3", "mp2", "mp1", "mpga"],
  mimeTypes: ["audio/mpeg", "audio/mp3", "audio/x-mpeg"],
  probe: { bytes, size in mpegScore(borrowed(bytes, size)) },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try MPEGDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes MPEG audio. libmpg123 trims the encoder's delay and padding (LAME tag).
final class MPEGDecoder: StreamDecoder {
  private let input: MediaInput
  private let handle: OpaquePointer
  /// The frames of a stream without a length; nil for a file.
  private let stream: MPEGStream?
  /// Counts the frames of a file whose header does not; nil for a stream, and for a file that needs no count.
  private let survey: MPEGSurvey?
  /// The number of frames for a constant bit rate, once checked; the inner value is nil if the rate is not
  /// constant.
  private var constantFrames: Int64??
  private var channels = 0
  private var totalFrames: Int64?
  private var nextFrame: Int64 = 0
  private var hasEnded = false
  /// Whether the first frame is a Xing tag, which contains no audio.
  private var isTagged = false
  /// A failure that is thrown after the frames decoded before it have been returned.
  private var failure: CodecFailure?

  /// Maximum size in bytes of a local file whose frames are counted when it is opened, if its header gives no valid
  /// count.
  private static let scanLimit: Int64 = 16 << 20

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    self.input = input
    _ = mpg123_init()
    guard let handle = mpg123_new(nil, nil) else { throw .memory }
    self.handle = handle
    let tags: MPEGTags
    do throws(CodecFailure) {
      tags = try MPEGTags(input, description)
      stream = input.length == nil ? try MPEGStream(input, at: tags.firstFrame) : nil
      survey = try Self.survey(input, tags)
    } catch {
      mpg123_delete(handle)
      throw error
    }
    super.init()
    try openHandle()
    let rate = try fixFormat()
    try findLength(tags)
    try description.setFormat(
      formatName(), rate: UInt32(rate), channels: UInt32(channels), totalFrames: totalFrames,
      canSeek: input.length != nil)
  }

  deinit { mpg123_delete(handle) }

  /// Creates the survey of a file whose header gives no valid frame count, and completes it for a local file up to
  /// `scanLimit`. A file on a server is counted while it plays.
  private static func survey(_ input: MediaInput, _ tags: MPEGTags) throws(CodecFailure) -> MPEGSurvey? {
    guard let length = input.length, !tags.hasReliableFrameCount else { return nil }
    let survey = try MPEGSurvey(input, from: tags.firstFrame, to: tags.audioEnd ?? length)
    if length <= scanLimit, input.farReads == .cheap { try survey?.advance(to: .max) }
    return survey
  }

  private func openHandle() throws(CodecFailure) {
    let first = survey?.first ?? stream?.first
    let free = first?.freeBytes ?? 0
    if let first, free > 0, first.layer == 2, first.version == .mpeg1, first.rate != 48000 {
      // libmpg123 uses another quantization table than the standard does, and would output loud noise.
      throw CodecFailure(.unsupported, "MPEG-1 layer II in free format is played at 48000 Hz only.")
    }
    // Sets the frame size without the header. libmpg123 detects it only in seekable streams.
    if free > 0 { mpg123_param2(handle, Int32(bitPattern: MPG123_FREEFORMAT_SIZE.rawValue), free - 4, 0) }
    let flags =
      MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_GAPLESS.rawValue
      | MPG123_SKIP_ID3V2.rawValue
    mpg123_param2(handle, Int32(bitPattern: MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    // After a seek, layer III needs the bit reservoir of up to nine earlier frames, and the overlap.
    mpg123_param2(handle, Int32(bitPattern: MPG123_PREFRAMES.rawValue), 12, 0)
    // Maximum distance in bytes to resynchronise after damage.
    mpg123_param2(handle, Int32(bitPattern: MPG123_RESYNC_LIMIT.rawValue), 1 << 20, 0)
    let status = cmpg123_replace_reader_handle(
      handle,
      { context, buffer, count in
        guard let context, let buffer else { return -1 }
        let decoder = MPEGDecoder.from(context)
        return decoder.stream?.read(into: buffer, count: count) ?? decoder.read(into: buffer, count: count)
      },
      { context, offset, whence in
        guard let context else { return -1 }
        return off_t(MPEGDecoder.from(context).moved(by: Int64(offset), whence: whence))
      },
      nil)
    guard status == MPG123_OK.rawValue, input.seek(to: 0),
      opensHandle()
    else { throw input.hasFailed ? .read(at: input.position) : .memory }
  }

  private func opensHandle() -> Bool {
    isPeeking = input.farReads != .cheap
    defer { isPeeking = false }
    return cmpg123_open_handle(handle, Unmanaged.passUnretained(self).toOpaque()) == MPG123_OK.rawValue
  }

  /// Whether libmpg123 is looking for an ID3v1 tag at the end of a file on a server. `MPEGTags` has read it if possible.
  private var isPeeking = false
  private static let tagBytes: Int64 = 128

  /// Maximum distance in bytes of a sequential read past the surveyed frames.
  private static let maxAhead: Int64 = 1 << 16

  /// Reads bytes of the file, but not past the last frame of the first format, because libmpg123 would
  /// convert frames of another rate or channel count.
  private func read(into bytes: UnsafeMutableRawPointer, count: Int) -> Int {
    if isPeeking, let length = input.length, input.position > 0, input.position >= length - Self.tagBytes {
      let place = input.position
      let count = min(count, Int(max(0, length - place)))
      bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return input.seek(to: place + Int64(count)) ? count : -1
    }
    guard let survey else { return input.read(into: bytes, count: count) }
    let place = input.position
    if survey.end == nil, place < survey.offset + Self.maxAhead {
      do throws(CodecFailure) {
        try survey.advance(to: place + Int64(count))
      } catch {
        return -1
      }
      guard input.seek(to: place) else { return -1 }
    }
    guard survey.next != nil, let end = survey.end else { return input.read(into: bytes, count: count) }
    return place < end ? input.read(into: bytes, count: Int(min(Int64(count), end - place))) : 0
  }

  /// Moves the read position of libmpg123. The end of the file is the end of the frames of the first format.
  private func moved(by offset: Int64, whence: Int32) -> Int64 {
    guard input.length != nil else { return -1 }
    if whence == 2, survey?.next != nil, let end = survey?.end {
      return input.seek(to: end + offset) ? end + offset : -1
    }
    return input.seek(by: offset, whence: whence)
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    guard input.length != nil else { return nil }
    if let totalFrames { return .known(frames: totalFrames, next: survey?.next) }
    guard let survey else { return nil }
    let place = input.position
    defer { _ = input.seek(to: place) }
    // The Xing tag's frame contains no audio.
    let silent: Int64 = isTagged ? 1 : 0
    if survey.end == nil, bytes > 0 {
      if constantFrames == nil { constantFrames = .some(try survey.framesOfConstantRate()) }
      if case .some(.some(let count)) = constantFrames {
        return .known(frames: max(0, count - silent) * Int64(survey.first.samples), next: nil)
      }
      try survey.advance(to: survey.offset + Int64(bytes))
    }
    let frames = max(0, survey.frames - silent) * Int64(survey.first.samples)
    return survey.end == nil ? .counting(frames: frames) : .known(frames: frames, next: survey.next)
  }

  /// The decoder behind the context pointer of a libmpg123 callback.
  private static func from(_ context: UnsafeMutableRawPointer) -> MPEGDecoder {
    Unmanaged<MPEGDecoder>.fromOpaque(context).takeUnretainedValue()
  }

  /// Determines rate and channel count from the first frame and restricts libmpg123 to them. Returns the rate
  /// in Hz.
  private func fixFormat() throws(CodecFailure) -> Int {
    var rates: UnsafePointer<Int>?
    var rateCount = 0
    mpg123_rates(&rates, &rateCount)
    mpg123_format_none(handle)
    let anyChannels = Int32(bitPattern: MPG123_MONO.rawValue | MPG123_STEREO.rawValue)
    let encoding = Int32(bitPattern: UInt32(MPG123_ENC_FLOAT_32.rawValue))
    for index in 0..<rateCount {
      if let rate = rates?[index] { mpg123_format(handle, rate, anyChannels, encoding) }
    }
    var rate = 0
    var count: Int32 = 0
    var found: Int32 = 0
    let status = mpg123_getformat(handle, &rate, &count, &found)
    if input.hasFailed { throw .read(at: input.position) }
    guard status == MPG123_OK.rawValue, count >= 1, found == encoding else {
      throw CodecFailure(.unsupported, "No MPEG audio frame was found in the file.")
    }
    channels = Int(count)
    mpg123_format_none(handle)
    mpg123_format(
      handle, rate, Int32(bitPattern: count == 1 ? MPG123_MONO.rawValue : MPG123_STEREO.rawValue), encoding)
    return rate
  }

  private func findLength(_ tags: MPEGTags) throws(CodecFailure) {
    guard input.length != nil else { return }
    isTagged = tags.xing != nil
    if !tags.hasReliableFrameCount {
      guard survey?.end != nil else { return }
      let isScanned = mpg123_scan(handle) == MPG123_OK.rawValue
      if input.hasFailed { throw .read(at: input.position) }
      guard isScanned else { return }
    }
    let frames = Int64(cmpg123_length(handle))
    if frames >= 0 { totalFrames = frames }
  }

  private func formatName() -> Phrase {
    var info = mpg123_frameinfo2()
    guard mpg123_info2(handle, &info) == MPG123_OK.rawValue else { return "MPEG audio" }
    let version: Phrase =
      switch info.version {
      case Int32(bitPattern: MPG123_2_0.rawValue): "2"
      case Int32(bitPattern: MPG123_2_5.rawValue): "2.5"
      default: "1"
      }
    let layer: Phrase = info.layer == 1 ? "I" : info.layer == 2 ? "II" : "III"
    return "MPEG-\(version) layer \(layer)"
  }

  override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    if let failure {
      self.failure = nil
      hasEnded = true
      throw failure
    }
    var wanted = frames
    if let totalFrames { wanted = Int(min(Int64(frames), max(0, totalFrames - nextFrame))) }
    let bytesPerFrame = channels * MemoryLayout<Float>.size
    var done = 0
    while done < wanted, !hasEnded {
      var bytes = 0
      let status = mpg123_read(
        handle, UnsafeMutableRawPointer(samples + done * channels), (wanted - done) * bytesPerFrame, &bytes)
      done += bytes / bytesPerFrame
      switch status {
      case MPG123_OK.rawValue where bytes > 0: break
      case MPG123_NEW_FORMAT.rawValue: break
      case MPG123_OK.rawValue, MPG123_DONE.rawValue: try end(behind: done)
      default:
        // libmpg123 reports a truncated last frame as an error.
        if isAtEnd {
          try end(behind: done)
          break
        }
        let sentence = problem(at: nextFrame + Int64(done))
        guard done > 0 else { throw sentence }
        failure = sentence
        nextFrame += Int64(done)
        return done
      }
    }
    nextFrame += Int64(done)
    return done
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    failure = nil
    if let totalFrames, frame >= totalFrames {
      nextFrame = totalFrames
      hasEnded = true
      return
    }
    hasEnded = false
    let reached = Int64(cmpg123_seek(handle, off_t(clamping: frame), 0))
    if input.hasFailed { throw .read(at: input.position) }
    guard reached >= 0 else {
      throw CodecFailure(.notSeekable, "Frame \(frame) was not found in the MPEG stream.")
    }
    nextFrame = reached
    hasEnded = reached < frame
  }

  /// Handles the end of libmpg123's input. Throws `corrupt` at a gap in a stream, after the frames before it
  /// were returned; the host then opens a new decoder at the next frame.
  private func end(behind done: Int) throws(CodecFailure) {
    guard let stream, stream.hasGap else { return hasEnded = true }
    let gap = CodecFailure(.corrupt, "The MPEG stream has a gap behind frame \(nextFrame + Int64(done)).")
    try stream.passGap()
    hasEnded = true
    guard done > 0 else { throw gap }
    failure = gap
  }

  /// Whether all bytes have been read.
  private var isAtEnd: Bool {
    if stream != nil { return !input.hasFailed }
    var byte: UInt8 = 0
    let position = input.position
    let count = read(into: &byte, count: 1)
    _ = input.seek(to: position)
    return count == 0
  }

  private func problem(at frame: Int64) -> CodecFailure {
    let byte = input.position
    if input.hasFailed { return .read(at: byte) }
    let code = mpg123_errcode(handle)
    if code == MPG123_OUT_OF_MEM.rawValue { return .memory }
    return CodecFailure(
      .corrupt,
      "The MPEG stream cannot be followed beyond frame \(frame), byte \(byte) (mpg123 error \(code)).")
  }
}
