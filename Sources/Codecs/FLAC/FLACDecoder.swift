// The FLAC plugin: native and Ogg FLAC by libFLAC. Worker process only, one thread.

@preconcurrency import CFLAC
import CodecPlugin
import CodecSupport

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

/// The plugin's entry point; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Plays FLAC. Frames that are damaged or missing become silence of their length, so that what follows
/// stays where it belongs.
final class FLACDecoder: StreamDecoder {
  private let input: MediaInput
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// Alive while `init` reads the metadata.
  private var description: StreamDescription?
  private var streamInfo: FLAC__StreamMetadata_StreamInfo?
  private var channels = 0
  private var totalFrames: Int64?
  /// The sample number the stream begins with: not 0 in a piece cut from a broadcast.
  private var firstSample: Int64?
  /// The frame that the next block should begin with.
  private var nextFrame: Int64 = 0
  private var hasEnded = false
  private var damagedBlocks = 0

  /// Where the caller wants samples, while `decode` runs.
  private var output: UnsafeMutablePointer<Float>?
  private var outputSpace = 0
  private var outputFrames = 0
  /// What blocks held beyond the caller's space, and silence for the lost ones.
  private var pending = PendingFrames()

  static func probe(_ bytes: Bytes) -> Int32 {
    if hasMagic(bytes, "fLaC") { return 100 }
    if hasMagic(bytes, "OggS"), hasMagic(bytes, "\u{7F}FLAC", at: 28) { return 100 }
    guard let tag = ID3Tag(header: bytes, at: 0) else { return 0 }
    // Some taggers put ID3 before FLAC. What lies behind a tag with a picture is out of sight.
    guard tag.byteCount + 4 <= Int64(bytes.count) else { return 20 }
    return hasMagic(bytes, "fLaC", at: Int(tag.byteCount)) ? 100 : 0
  }

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    guard let decoder = FLAC__stream_decoder_new() else { throw .memory }
    self.input = input
    self.decoder = decoder
    super.init()
    self.description = description
    defer { self.description = nil }
    try start()
    guard let streamInfo else {
      throw CodecFailure(.unsupported, "No FLAC stream header (STREAMINFO) was found in the file.")
    }
    channels = Int(streamInfo.channels)
    totalFrames = streamInfo.total_samples > 0 ? Int64(exactly: streamInfo.total_samples) : nil
    // Narrow samples lie in the high bits of the next whole width.
    try description.setFormat(
      "FLAC", rate: streamInfo.sample_rate, channels: streamInfo.channels,
      bits: (streamInfo.bits_per_sample + 7) / 8 * 8, totalFrames: totalFrames,
      canSeek: input.length != nil)
  }

  deinit {
    FLAC__stream_decoder_delete(decoder)
    pending.deallocate()
  }

  private func start() throws(CodecFailure) {
    FLAC__stream_decoder_set_md5_checking(decoder, 0)
    FLAC__stream_decoder_set_metadata_respond(decoder, FLAC__METADATA_TYPE_VORBIS_COMMENT)
    var magic: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
    let got = input.readFully(into: &magic, count: 4)
    guard got >= 0, input.seek(to: 0) else { throw .read(at: 0) }
    let isOgg = magic == (0x4F, 0x67, 0x67, 0x53)
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
        if let frame, let channels { FLACDecoder.from(client).receive(frame.pointee.header, channels) }
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
      },
      { _, metadata, client in
        if let metadata { FLACDecoder.from(client).receive(metadata) }
      },
      { _, _, client in FLACDecoder.from(client).damagedBlocks += 1 },
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
      let isRunning = FLAC__stream_decoder_process_single(decoder) != 0
      done += outputFrames
      let state = FLAC__stream_decoder_get_state(decoder)
      if input.hasFailed { throw .read(at: input.position) }
      if state == FLAC__STREAM_DECODER_END_OF_STREAM {
        hasEnded = true
      } else if !isRunning {
        throw fatal(state)
      }
    }
    if done == 0, nextFrame == 0, hasEnded, damagedBlocks > 0 {
      throw CodecFailure(.corrupt, "None of the file's FLAC frames is intact.")
    }
    return done
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    pending.clear()
    output = nil
    if let totalFrames, frame >= totalFrames {
      hasEnded = true
      nextFrame = totalFrames
      return
    }
    hasEnded = false
    nextFrame = frame
    // The block that holds the frame arrives in `receive`, already cut to begin there.
    let isFound = FLAC__stream_decoder_seek_absolute(decoder, UInt64(frame + (firstSample ?? 0))) != 0
    if input.hasFailed { throw .read(at: input.position) }
    guard isFound else {
      // A decoder in the state "seek error" needs a flush before it plays on.
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
      for index in 0..<Int(comments.num_comments) {
        let comment = comments.comments[index]
        description.applyVorbisComment(Bytes(start: comment.entry, count: Int(comment.length)))
      }
    }
  }

  private func receive(
    _ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>
  ) {
    // A block of another shape than the stream's is damage that its checksum happened to pass.
    guard Int(header.channels) == channels, channels > 0 else { return }
    let count = Int(header.blocksize)
    let number = Int64(clamping: header.number.sample_number)
    let base = firstSample ?? (totalFrames == nil ? number : 0)
    firstSample = base
    let start = number - base
    var skipped = 0
    if start > nextFrame {
      let gap = start - nextFrame
      // Where the length is unknown a minute at most: the number may be damaged.
      guard gap <= totalFrames.map({ $0 - nextFrame }) ?? Int64(header.sample_rate) * 60 else { return }
      pending.appendSilence(frames: Int(gap), channels: channels)
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
