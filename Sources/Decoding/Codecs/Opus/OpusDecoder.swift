// The Opus codec plugin: decodes Ogg Opus with opusfile, always at 48 kHz. Worker process only, one thread.

import COpusFile
import CodecPlugin
import CodecSupport

private nonisolated(unsafe) let table = makeCodecTable(
  name: "Opus",
  version: opus_get_version_string(),
  extensions: ["opus", "ogg", "oga"],
  mimeTypes: ["audio/ogg", "audio/opus"],
  probe: { bytes, size in oggScore(borrowed(bytes, size), streamMagic: "OpusHead") },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try OpusDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes Ogg Opus (RFC 7845). opusfile trims pre-skip and end, and applies the header's output gain.
///
/// In a chained file, the leading links with the same channel count are the track; a link with another count
/// ends it.
final class OpusDecoder: PacketDecoder {
  private let input: MediaInput
  private let file: OpaquePointer
  private let singleStream: SingleStream
  /// Whether pages were lost. The next packet gives the number of missing frames.
  private var hasHole = false
  /// Offset of a link with another channel count; nil if none follows.
  private var next: Int64?

  /// Frames decoded before the target of a seek. RFC 7845, 4.6 recommends 80 ms; after half a second the
  /// samples equal those of a decode from the beginning.
  private static let preroll: Int64 = 24000

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    self.input = input
    file = try Self.open(input)
    singleStream = SingleStream(file)
    super.init()
    let channels = Int(op_channel_count(file, 0))
    order = ChannelOrder(vorbis: channels)
    let canSeek = op_seekable(file) != 0
    let links = op_link_count(file)
    let format: Phrase = "Ogg Opus"
    if canSeek {
      var playable: Int32 = 0
      var total: Int64 = 0
      while playable < links, Int(op_channel_count(file, playable)) == channels {
        total += max(0, op_pcm_total(file, playable))
        playable += 1
      }
      totalFrames = total
      if playable < links {
        next = (0..<playable).reduce(0) { $0 + max(0, op_raw_total(file, $1)) }
      }
    }
    try description.setFormat(
      format, rate: 48000, channels: UInt32(channels), totalFrames: totalFrames, canSeek: canSeek)
    _ = op_set_gain_offset(file, OP_HEADER_GAIN, 0)
    if let tags = op_tags(file, 0)?.pointee, let texts = tags.user_comments {
      for index in 0..<max(0, Int(tags.comments)) {
        guard let text = texts[index] else { continue }
        let length = Int(tags.comment_lengths[index])
        description.applyVorbisComment(
          Bytes(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length))
      }
    }
  }

  deinit { op_free(file) }

  private static func open(_ input: MediaInput) throws(CodecFailure) -> OpaquePointer {
    var callbacks = OpusFileCallbacks(
      read: { context, buffer, count in
        guard let context, let buffer else { return -1 }
        return Int32(MediaInput.from(context).read(into: buffer, count: Int(count)))
      },
      seek: { context, offset, whence in
        guard let context else { return -1 }
        let input = MediaInput.from(context)
        // Both libraries read the end of a seekable file when they open it.
        guard input.length != nil, input.farReads != .wait else { return -1 }
        return input.seek(by: offset, whence: whence) < 0 ? -1 : 0
      },
      tell: { context in context.map { MediaInput.from($0).position } ?? -1 },
      close: nil)
    var status: Int32 = 0
    let file = op_open_callbacks(input.context, &callbacks, nil, 0, &status)
    if let file {
      guard !input.hasFailed else {
        op_free(file)
        throw .read(at: input.position)
      }
      return file
    }
    if input.hasFailed { throw .read(at: input.position) }
    switch status {
    case OP_EFAULT: throw .memory
    case OP_ENOTFORMAT: throw CodecFailure(.unsupported, "The file holds no Opus stream.")
    case OP_EIMPL, OP_EVERSION:
      throw CodecFailure(.unsupported, "The Opus stream is of a kind that opusfile does not play.")
    default:
      throw CodecFailure(.corrupt, "The Opus stream's headers are damaged (opusfile error \(status)).")
    }
  }

  override func decodePacket(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    let channels = order.channels
    var link: Int32 = 0
    let got = Int(op_read_float(file, samples, Int32(clamping: frames * channels), &link))
    if input.hasFailed { throw .read(at: input.position) }
    if got == 0 {
      hasEnded = true
      // The data after the last hole may be too short to contain a frame's position.
      if hasHole, let totalFrames {
        pending.appendSilence(frames: Int(clamping: max(0, totalFrames - nextFrame)), channels: channels)
      }
      return 0
    }
    if got == Int(OP_HOLE) {
      hasHole = true
      return 0
    }
    guard got > 0 else {
      throw CodecFailure(
        .corrupt,
        "The Opus stream is damaged at frame \(nextFrame), byte \(input.position) "
          + "(opusfile error \(got)).")
    }
    guard Int(op_channel_count(file, link)) == channels else {
      hasEnded = true
      return 0
    }
    reorder(samples, frames: got, order: order)
    guard hasHole, let totalFrames else { return got }
    hasHole = false
    let gap = op_pcm_tell(file) - Int64(got) - nextFrame
    guard gap > 0, gap <= totalFrames - nextFrame else { return got }
    pending.prependSilence(frames: Int(clamping: gap))
    pending.append(frames: got, channels: channels).update(from: samples, count: got * channels)
    return 0
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    totalFrames.map { .known(frames: $0, next: next) }
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    guard op_seekable(file) != 0 else {
      throw CodecFailure(.notSeekable, "This Opus stream cannot seek.")
    }
    pending.clear()
    hasHole = false
    hasEnded = false
    let target = min(frame, totalFrames ?? frame)
    let start = max(0, target - Self.preroll)
    let status = op_pcm_seek(file, start)
    if input.hasFailed { throw .read(at: input.position) }
    guard status == 0 else {
      throw CodecFailure(
        .notSeekable, "Frame \(frame) was not found in the Opus stream (opusfile error \(status)).")
    }
    nextFrame = start
    try discard(Int(target - start))
  }

  /// Decodes and drops `count` frames, to restore the decoder's state after a seek.
  private func discard(_ count: Int) throws(CodecFailure) {
    let block = 960
    let scratch = UnsafeMutablePointer<Float>.allocate(capacity: block * order.channels)
    defer { scratch.deallocate() }
    var left = count
    while left > 0 {
      let got = try decode(into: scratch, frames: min(block, left))
      if got == 0 { return }
      left -= got
    }
  }
}
