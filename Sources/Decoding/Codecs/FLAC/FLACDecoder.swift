// The FLAC codec plugin: decodes native and Ogg FLAC with libFLAC. Worker process only, one thread.

@preconcurrency import CFLAC
import CodecPlugin
import CodecSupport
import MediaFormats

private nonisolated(unsafe) let table = makeCodecTable(
  name: "FLAC",
  version: FLAC__VERSION_STRING,
  extensions: ["flac", "fla", "oga"],
  mimeTypes: ["audio/flac", "audio/x-flac"],
  probe: { bytes, size in FLACDecoder.probe(borrowed(bytes, size)) },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try FLACDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes FLAC, also from the middle of a stream, without its headers. Damaged and missing frames become
/// silence of their length, so that later frames keep their position.
final class FLACDecoder: StreamDecoder {
  private let input: MediaInput
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// Set while `init` reads the metadata.
  private var description: StreamDescription?
  private var streamInfo: FLAC__StreamMetadata_StreamInfo?
  private var channels = 0
  private var totalFrames: Int64?
  /// Number of the stream's first sample; not 0 in a recording of a broadcast. Nil until known.
  private var firstSample: Int64?
  /// The next frame to be returned.
  private var nextFrame: Int64 = 0
  private var hasEnded = false
  private var damagedBlocks = 0
  /// Whether no frame was damaged, missing or skipped since the last one, so that the next one follows it
  /// regardless of its number.
  private var isContiguous = false
  /// Offset in the file of the next frame to be decoded; nil if unknown, as in Ogg.
  private var frameStart: Int64?
  /// Whether to reject libFLAC's next frame, because an earlier intact one may have been skipped.
  private var isRefused = false
  /// Number of the next frame's first sample, from its own header; nil to use libFLAC's.
  private var foundSample: Int64?
  /// Block size of the stream in samples, from its first block. The last block may be shorter.
  private var fixedBlock: Int?
  /// Offset of frames with another rate or channel count, or of another stream; nil if none follow.
  private var next: Int64?
  private let isOgg: Bool
  private var survey: FLACSurvey?
  private var oggSurvey: OggSurvey?
  /// Offset of the first byte after the headers.
  private var audioStart: Int64 = 0
  private var rate = 0

  /// The caller's buffer, while `decode` runs.
  private var output: UnsafeMutablePointer<Float>?
  private var outputSpace = 0
  private var outputFrames = 0
  /// Frames that did not fit into the caller's buffer, and silence for lost ones.
  private var pending = PendingFrames()

  static func probe(_ bytes: Bytes) -> Int32 {
    if hasMagic(bytes, "fLaC") { return 100 }
    // A stream that was recorded from its middle.
    if let frame = FLACFrameHeader(bytes, at: 0), frame.rate > 0 { return 60 }
    if hasMagic(bytes, "OggS"), hasMagic(bytes, "\u{7F}FLAC", at: 28) { return 100 }
    guard let tag = ID3Tag(header: bytes, at: 0) else { return score(ofFramesIn: bytes) }
    // Some taggers put ID3 before FLAC. A tag with a picture may fill all bytes.
    guard tag.byteCount + 4 <= Int64(bytes.count) else { return 20 }
    return hasMagic(bytes, "fLaC", at: Int(tag.byteCount)) ? 100 : 0
  }

  /// Probes for frames without a stream header: high if one frame's number continues another's, low for a
  /// single frame, which occurs by chance.
  private static func score(ofFramesIn bytes: Bytes) -> Int32 {
    var frames: [FLACFrameHeader] = []
    for index in bytes.indices where bytes[index] == 0xFF {
      guard let frame = FLACFrameHeader(bytes, at: index), frame.rate > 0, frame.blockSize >= 16 else {
        continue
      }
      if frames.contains(where: { $0.isFollowed(by: frame) }) { return 45 }
      // Frames are longer than their headers, so 64 are enough.
      if frames.count < 64 { frames.append(frame) }
    }
    return frames.isEmpty ? 0 : 15
  }

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    guard let decoder = FLAC__stream_decoder_new() else { throw .memory }
    self.input = input
    self.decoder = decoder
    do throws(CodecFailure) {
      isOgg = try input.bytes(at: 0, count: 4).has("OggS")
      try Self.check(input)
    } catch {
      FLAC__stream_decoder_delete(decoder)
      throw error
    }
    super.init()
    self.description = description
    defer { self.description = nil }
    try start()
    audioStart = decodePosition ?? 0
    if let streamInfo {
      channels = Int(streamInfo.channels)
      rate = Int(streamInfo.sample_rate)
      totalFrames = streamInfo.total_samples > 0 ? Int64(exactly: streamInfo.total_samples) : nil
    } else {
      try findFrame()
    }
    // Sample widths are rounded up to whole bytes.
    try description.setFormat(
      "FLAC", rate: UInt32(clamping: rate), channels: UInt32(channels),
      bits: ((streamInfo?.bits_per_sample ?? firstBits) + 7) / 8 * 8, totalFrames: totalFrames,
      canSeek: input.length != nil)
  }

  /// Maximum number of ID3 tags before the stream.
  private static let maxTags = 16

  /// Throws `unsupported` if the file has ID3 tags without FLAC behind them; libFLAC would search the whole file.
  private static func check(_ input: MediaInput) throws(CodecFailure) {
    var start: Int64 = 0
    for _ in 0..<maxTags {
      guard let tag = ID3Header(try input.bytes(at: start, count: ID3Header.size)) else { break }
      start += tag.tagSize
    }
    guard start > 0, try !input.bytes(at: start, count: 4).has("fLaC") else { return }
    throw CodecFailure(.unsupported, "No FLAC stream follows the ID3 tag, at byte \(start).")
  }

  /// Bits per sample of the first frame, in a stream without a header.
  private var firstBits: UInt32 = 0

  /// Decodes up to the first frame of a stream without a header, to learn its format.
  private func findFrame() throws(CodecFailure) {
    while channels == 0 {
      frameStart = decodePosition
      let isRunning = FLAC__stream_decoder_process_single(decoder) != 0
      if input.hasFailed { throw .read(at: input.position) }
      guard isRunning, FLAC__stream_decoder_get_state(decoder) != FLAC__STREAM_DECODER_END_OF_STREAM,
        damagedBlocks < Self.maxSearched
      else { break }
    }
    guard channels > 0 else {
      throw CodecFailure(
        .unsupported, "Neither a FLAC stream header (STREAMINFO) nor a FLAC frame was found in the file.")
    }
    damagedBlocks = 0
  }

  /// Maximum number of decoding errors before the first frame of a stream without a header.
  private static let maxSearched = 256

  /// Offset of the next byte that libFLAC decodes; nil in Ogg.
  private var decodePosition: Int64? {
    var position: FLAC__uint64 = 0
    guard !isOgg, FLAC__stream_decoder_get_decode_position(decoder, &position) != 0 else { return nil }
    return Int64(clamping: position)
  }

  deinit {
    FLAC__stream_decoder_delete(decoder)
    pending.deallocate()
  }

  private func start() throws(CodecFailure) {
    FLAC__stream_decoder_set_md5_checking(decoder, 0)
    FLAC__stream_decoder_set_metadata_respond(decoder, FLAC__METADATA_TYPE_VORBIS_COMMENT)
    guard input.seek(to: 0) else { throw .read(at: 0) }
    let initialize = isOgg ? FLAC__stream_decoder_init_ogg_stream : FLAC__stream_decoder_init_stream
    let status = initialize(
      decoder,
      { _, buffer, count, client in FLACDecoder.from(client).read(buffer, count) },
      { _, offset, client in
        FLACDecoder.from(client).input.seek(to: Int64(clamping: offset))
          ? FLAC__STREAM_DECODER_SEEK_STATUS_OK : FLAC__STREAM_DECODER_SEEK_STATUS_ERROR
      },
      { _, offset, client in
        offset?.pointee = FLAC__uint64(FLACDecoder.from(client).input.position)
        return FLAC__STREAM_DECODER_TELL_STATUS_OK
      },
      { _, length, client in
        guard let known = FLACDecoder.from(client).input.length else {
          return FLAC__STREAM_DECODER_LENGTH_STATUS_UNSUPPORTED
        }
        length?.pointee = FLAC__uint64(known)
        return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
      },
      { _, client in
        let input = FLACDecoder.from(client).input
        guard let length = input.length else { return 0 }
        return input.position >= length ? 1 : 0
      },
      { _, frame, channels, client in
        let decoder = FLACDecoder.from(client)
        guard !decoder.isRefused else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
        if let frame, let channels { decoder.receive(frame.pointee.header, channels) }
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
      },
      { _, metadata, client in
        if let metadata { FLACDecoder.from(client).receive(metadata) }
      },
      { _, _, client in FLACDecoder.from(client).noteDamage() },
      Unmanaged.passUnretained(self).toOpaque())
    switch status {
    case FLAC__STREAM_DECODER_INIT_STATUS_OK: break
    case FLAC__STREAM_DECODER_INIT_STATUS_UNSUPPORTED_CONTAINER:
      throw CodecFailure(.unsupported, "This libFLAC was built without Ogg, which holds this FLAC stream.")
    case FLAC__STREAM_DECODER_INIT_STATUS_MEMORY_ALLOCATION_ERROR: throw .memory
    default: throw CodecFailure(.corrupt, "libFLAC did not start (status \(status.rawValue)).")
    }
    let isParsed = FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
    if input.hasFailed { throw .read(at: input.position) }
    guard isParsed else { throw fatal(FLAC__stream_decoder_get_state(decoder)) }
  }

  override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    var done = 0
    defer { output = nil }
    while done < frames {
      let space = frames - done
      let destination = samples + done * channels
      let taken = pending.take(to: destination, frames: space, channels: channels)
      if taken > 0 {
        done += taken
        continue
      }
      if hasEnded { break }
      (output, outputSpace, outputFrames) = (destination, space, 0)
      frameStart = decodePosition
      let isRunning = FLAC__stream_decoder_process_single(decoder) != 0
      done += outputFrames
      if input.hasFailed { throw .read(at: input.position) }
      if isRefused, let frameStart {
        try resume(behind: frameStart)
        continue
      }
      let state = FLAC__stream_decoder_get_state(decoder)
      if state == FLAC__STREAM_DECODER_END_OF_STREAM || next != nil {
        finish()
      } else if !isRunning {
        throw fatal(state)
      }
      if let totalFrames, nextFrame >= totalFrames { hasEnded = true }
    }
    if done == 0, nextFrame == 0, hasEnded, damagedBlocks > 0 {
      throw CodecFailure(.corrupt, "None of the file's FLAC frames is intact.")
    }
    return done
  }

  /// Called by libFLAC for invalid data and damaged frames. In a file libFLAC skips some intact frames after
  /// damage, so rejects its next frame and searches for the next header.
  private func noteDamage() {
    damagedBlocks += 1
    isContiguous = false
    if frameStart != nil, input.length != nil, channels > 0 { isRefused = true }
  }

  /// Continues with the first frame after an offset.
  private func resume(behind byte: Int64) throws(CodecFailure) {
    isRefused = false
    foundSample = nil
    guard let (place, sample) = try frame(behind: byte) else { return finish() }
    _ = FLAC__stream_decoder_flush(decoder)
    guard input.seek(to: place) else { throw .read(at: place) }
    foundSample = sample
  }

  /// Finds the first frame after an offset. Returns its offset and first sample; nil if there is none.
  private func frame(behind byte: Int64) throws(CodecFailure) -> (place: Int64, sample: Int64)? {
    var begin = byte + 1
    while true {
      let bytes = try input.bytes(at: begin, count: 1 << 15)
      let isLast = bytes.count < 1 << 15
      let judged = isLast ? bytes.count : bytes.count - FLACFrameHeader.maxBytes
      let found: (place: Int64, sample: Int64?)? = bytes.withUnsafeBufferPointer { bytes in
        for index in 0..<max(0, judged) {
          // Another stream begins, with its own frame numbers.
          if bytes[index] == 0x66, FLACSurvey.isStream(bytes, at: index) {
            return (begin + Int64(index), nil)
          }
          guard bytes[index] == 0xFF else { continue }
          guard let header = FLACFrameHeader(bytes, at: index), header.channels == channels,
            header.rate == rate || header.rate == 0
          else { continue }
          let sample = header.sample(fixedBlock: fixedBlock ?? header.blockSize)
          guard sample - (firstSample ?? 0) >= nextFrame else { continue }
          return (begin + Int64(index), sample)
        }
        return nil
      }
      if let found { return found.sample.map { (found.place, $0) } }
      guard !isLast else { return nil }
      begin += Int64(judged)
    }
  }

  /// Ends the track. A damaged last frame becomes silence.
  private func finish() {
    hasEnded = true
    guard !isContiguous, damagedBlocks > 0, next == nil, let totalFrames, nextFrame > 0 else { return }
    let missing = totalFrames - nextFrame
    guard missing > 0, missing <= Int64(fixedBlock ?? 0) * 2 else { return }
    pending.appendSilence(frames: Int(missing), channels: channels)
    nextFrame = totalFrames
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    guard let length = input.length else { return nil }
    let place = input.position
    defer { _ = input.seek(to: place) }
    if isOgg { return try measureOgg(length, bytes) }
    if let next { return .known(frames: nextFrame, next: next) }
    if let totalFrames, hasEnded, nextFrame >= totalFrames, let end = decodePosition {
      // Another stream may follow after the decoded one.
      if try input.bytes(at: end, count: 4) == [0x66, 0x4C, 0x61, 0x43] {
        return .known(frames: totalFrames, next: end)
      }
    }
    guard let block = fixedBlock ?? streamBlock else {
      return bytes == 0 ? .counting(frames: nextFrame) : nil
    }
    let survey =
      self.survey
      ?? FLACSurvey(
        input, length: length, from: audioStart, rate: rate, channels: channels,
        bits: Int(streamInfo?.bits_per_sample ?? firstBits), frames: totalFrames,
        firstSample: firstSample ?? 0,
        fixedBlock: block)
    self.survey = survey
    try survey.work(bytes: bytes)
    guard let end = survey.end else { return .counting(frames: survey.frames) }
    // The stream's header may state too few frames.
    if let stated = totalFrames, end.frames > stated { totalFrames = end.frames }
    return .known(frames: end.frames, next: end.next)
  }

  /// Block size of the stream from its first frame's header, before that is decoded.
  private var streamBlock: Int? {
    guard let bytes = try? input.bytes(at: audioStart, count: FLACFrameHeader.maxBytes) else { return nil }
    return bytes.withUnsafeBufferPointer { FLACFrameHeader($0, at: 0)?.blockSize }
  }

  private func measureOgg(_ length: Int64, _ bytes: Int) throws(CodecFailure) -> StreamExtent? {
    let survey = oggSurvey ?? OggSurvey(input, length: length, frames: totalFrames)
    oggSurvey = survey
    try survey.work(bytes: bytes)
    let frames = totalFrames ?? max(0, survey.samples - (firstSample ?? 0))
    guard let end = survey.end else { return .counting(frames: frames) }
    if totalFrames == nil, survey.hasLostPages { return nil }
    return .known(frames: frames, next: end.next)
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    pending.clear()
    output = nil
    (isContiguous, isRefused, foundSample, frameStart, next) = (false, false, nil, nil, nil)
    if let totalFrames, frame >= totalFrames {
      hasEnded = true
      nextFrame = totalFrames
      return
    }
    hasEnded = false
    if let fixedBlock, let streamInfo, streamInfo.min_blocksize == streamInfo.max_blocksize,
      Int(streamInfo.max_blocksize) < fixedBlock
    {
      // libFLAC would compute positions with the wrong block size.
      throw CodecFailure(.notSeekable, "The FLAC stream states a wrong size of its blocks.")
    }
    nextFrame = frame
    // The target's block arrives in `receive`, trimmed to start at the target.
    let isFound = FLAC__stream_decoder_seek_absolute(decoder, UInt64(frame + (firstSample ?? 0))) != 0
    if input.hasFailed { throw .read(at: input.position) }
    guard isFound, !pending.isEmpty else {
      // After a failed seek the decoder needs a flush.
      _ = FLAC__stream_decoder_flush(decoder)
      throw CodecFailure(
        .notSeekable, "Frame \(frame) was not found: the FLAC stream is damaged or cut there.")
    }
    if FLAC__stream_decoder_get_state(decoder) == FLAC__STREAM_DECODER_END_OF_STREAM { hasEnded = true }
  }

  private static func from(_ client: UnsafeMutableRawPointer?) -> FLACDecoder {
    Unmanaged<FLACDecoder>.fromOpaque(client!).takeUnretainedValue()
  }

  private func read(
    _ buffer: UnsafeMutablePointer<FLAC__byte>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let buffer, let count, count.pointee > 0 else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    let got = input.read(into: buffer, count: count.pointee)
    count.pointee = max(0, got)
    if got < 0 { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    return got == 0
      ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  private func receive(_ metadata: UnsafePointer<FLAC__StreamMetadata>) {
    guard let description else { return }
    if metadata.pointee.type == FLAC__METADATA_TYPE_STREAMINFO, streamInfo == nil {
      streamInfo = metadata.pointee.data.stream_info
    } else if metadata.pointee.type == FLAC__METADATA_TYPE_VORBIS_COMMENT {
      let comments = metadata.pointee.data.vorbis_comment
      description.beginTag()
      for index in 0..<Int(comments.num_comments) {
        let comment = comments.comments[index]
        description.applyVorbisComment(Bytes(start: comment.entry, count: Int(comment.length)))
      }
    }
  }

  private func receive(
    _ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>
  ) {
    guard next == nil else { return }
    if channels == 0 {
      (channels, rate, firstBits) = (Int(header.channels), Int(header.sample_rate), header.bits_per_sample)
    }
    let count = Int(header.blocksize)
    let number = foundSample ?? Int64(clamping: header.number.sample_number)
    foundSample = nil
    guard Int(header.channels) == channels, Int(header.sample_rate) == rate else {
      // If its offset is unknown, this is damage with a matching checksum.
      if let frameStart, input.length != nil { next = frameStart }
      return
    }
    if totalFrames == nil, number == 0, nextFrame > 0, let frameStart, input.length != nil {
      // Another stream begins, whose header was skipped.
      return next = frameStart
    }
    if fixedBlock == nil { fixedBlock = count }
    let base = firstSample ?? (totalFrames == nil ? number : 0)
    firstSample = base
    // Contiguous frames follow the last one, even if the stream states a wrong block size.
    let start = isContiguous ? nextFrame : number - base
    isContiguous = true
    var skipped = 0
    if start > nextFrame {
      let gap = start - nextFrame
      // If the length is unknown, limits the gap to a minute, because the number may be damaged.
      guard gap <= totalFrames.map({ $0 - nextFrame }) ?? Int64(header.sample_rate) * 60 else { return }
      pending.appendSilence(frames: Int(clamping: gap), channels: channels)
    } else {
      guard nextFrame - start < Int64(count) else { return }
      skipped = Int(nextFrame - start)
    }
    var usable = count - skipped
    if let totalFrames { usable = Int(min(Int64(usable), totalFrames - max(start, nextFrame))) }
    guard usable > 0 else { return }
    nextFrame = max(start, nextFrame) + Int64(usable)
    let scale = 1 / Float(UInt64(1) << UInt64(header.bits_per_sample - 1))
    var direct = 0
    if let output, pending.isEmpty {
      direct = min(usable, outputSpace - outputFrames)
      interleave(
        planes, from: skipped, count: direct, channels: channels, scale: scale,
        to: output + outputFrames * channels)
      outputFrames += direct
    }
    if direct < usable {
      let rest = pending.append(frames: usable - direct, channels: channels)
      interleave(
        planes, from: skipped + direct, count: usable - direct, channels: channels, scale: scale, to: rest)
    }
  }

  private func fatal(_ state: FLAC__StreamDecoderState) -> CodecFailure {
    switch state {
    case FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR: .memory
    case FLAC__STREAM_DECODER_END_OF_STREAM:
      CodecFailure(.corrupt, "The file ends within the FLAC stream's header.")
    default:
      CodecFailure(
        .corrupt,
        "libFLAC gave up at frame \(nextFrame), byte \(input.position) "
          + "(state \(state.rawValue)).")
    }
  }
}
