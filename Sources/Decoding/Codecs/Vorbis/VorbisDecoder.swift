// The Vorbis codec plugin: decodes Ogg Vorbis with vorbisfile. Worker process only, one thread.

import CVorbisFile
import CodecPlugin
import CodecSupport

private nonisolated(unsafe) let table = makeCodecTable(
  name: "Vorbis",
  version: vorbis_version_string(),
  extensions: ["ogg", "oga"],
  mimeTypes: ["audio/ogg", "audio/vorbis", "application/ogg"],
  probe: { bytes, size in oggScore(borrowed(bytes, size), streamMagic: "\u{01}vorbis") },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try VorbisDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes Ogg Vorbis. Missing pages become silence of their length.
///
/// In a chained file, the leading links with the same rate and channel count are the track; a link with
/// another format ends it.
final class VorbisDecoder: PacketDecoder {
  private let input: MediaInput
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private var isOpen = false
  private var rate = 0
  private var link: Int32 = 0
  /// Offset of a link with another rate or channel count; nil if none follows.
  private var next: Int64?

  /// Maximum number of frames decoded ahead to find the next page's position. A page has at most about a
  /// second.
  private static let bridgeLimit = 1 << 16

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    self.input = input
    file = .allocate(capacity: 1)
    file.initialize(to: OggVorbis_File())
    super.init()
    try open()
    guard let info = ov_info(file, 0) else {
      throw CodecFailure(.corrupt, "The file has no Vorbis stream header.")
    }
    rate = info.pointee.rate
    try StreamDescription.check(rate: Int64(rate))
    let channels = Int(info.pointee.channels)
    order = ChannelOrder(vorbis: channels)
    let canSeek = ov_seekable(file) != 0
    let links = Int(ov_streams(file))
    let format: Phrase = "Ogg Vorbis"
    if canSeek {
      var playable: Int32 = 0
      var total: Int64 = 0
      while Int(playable) < links, isLikeFirst(link: playable) {
        total += max(0, ov_pcm_total(file, playable))
        playable += 1
      }
      totalFrames = total
      // vorbisfile starts in the second link if the first one has a single page of audio.
      if links > 1 { _ = ov_pcm_seek(file, 0) }
      if Int(playable) < links {
        if playable > 0 { next = file.pointee.offsets.map { Int64($0[Int(playable)]) } }
      }
    }
    try description.setFormat(
      format, rate: UInt32(rate), channels: UInt32(channels), totalFrames: totalFrames, canSeek: canSeek)
    if let comments = ov_comment(file, 0)?.pointee, let texts = comments.user_comments {
      for index in 0..<max(0, Int(comments.comments)) {
        guard let text = texts[index] else { continue }
        let length = Int(comments.comment_lengths[index])
        description.applyVorbisComment(
          Bytes(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length))
      }
    }
  }

  deinit {
    if isOpen { ov_clear(file) }
    file.deallocate()
  }

  private func open() throws(CodecFailure) {
    let callbacks = ov_callbacks(
      read_func: { buffer, size, count, context in
        guard let buffer, let context, size > 0 else { return 0 }
        let got = MediaInput.from(context).read(into: buffer, count: size * count)
        return got < 0 ? 0 : got / size
      },
      seek_func: { context, offset, whence in
        guard let context else { return -1 }
        let input = MediaInput.from(context)
        // Both libraries read the end of a seekable file when they open it.
        guard input.length != nil, input.farReads != .wait else { return -1 }
        return input.seek(by: offset, whence: whence) < 0 ? -1 : 0
      },
      close_func: nil,
      tell_func: { context in context.map { Int(MediaInput.from($0).position) } ?? -1 })
    let status = ov_open_callbacks(input.context, file, nil, 0, callbacks)
    if input.hasFailed { throw .read(at: input.position) }
    switch status {
    case 0: isOpen = true
    case OV_EVERSION:
      throw CodecFailure(.unsupported, "The file is of a Vorbis version that libvorbis does not know.")
    case OV_ENOTVORBIS: throw CodecFailure(.unsupported, "The file holds no Vorbis stream.")
    default:
      throw CodecFailure(.corrupt, "The Vorbis stream's headers are damaged (vorbisfile error \(status)).")
    }
  }

  private func isLikeFirst(link: Int32) -> Bool {
    guard let info = ov_info(file, link) else { return false }
    return info.pointee.rate == rate && Int(info.pointee.channels) == order.channels
  }

  override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    let done = try super.decode(into: samples, frames: frames)
    if done == 0, nextFrame == 0, hasEnded, let totalFrames, totalFrames > 0 {
      throw CodecFailure(.corrupt, "None of the Vorbis stream's sound could be decoded.")
    }
    return done
  }

  override func decodePacket(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    switch try nextBlock(frames) {
    case .frames(let planes, let count):
      interleave(planes, count: count, order: order, to: samples)
      return count
    case .hole:
      try bridgeHole()
      return 0
    case .end:
      hasEnded = true
      return 0
    }
  }

  private enum Block {
    case frames(UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, Int)
    case hole
    case end
  }

  private func nextBlock(_ frames: Int) throws(CodecFailure) -> Block {
    var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    var playing: Int32 = 0
    let got = Int(ov_read_float(file, &planes, Int32(clamping: frames), &playing))
    if input.hasFailed { throw .read(at: input.position) }
    if got == 0 { return .end }
    if got == Int(OV_HOLE) { return .hole }
    guard got > 0, let planes else {
      throw CodecFailure(
        .corrupt,
        "The Vorbis stream is damaged at frame \(nextFrame), byte \(input.position) "
          + "(vorbisfile error \(got)).")
    }
    if playing != link {
      guard isLikeFirst(link: totalFrames == nil ? -1 : playing) else { return .end }
      link = playing
    }
    return .frames(planes, got)
  }

  /// Handles lost pages. vorbisfile reports a position only at the end of the next page, so decodes up to
  /// there to insert the missing silence before.
  private func bridgeHole() throws(CodecFailure) {
    guard let totalFrames else { return }
    let start = nextFrame
    while pending.count < Self.bridgeLimit {
      switch try nextBlock(4096) {
      case .hole: continue
      case .end:
        hasEnded = true
        let missing = totalFrames - start - Int64(pending.count)
        if missing > 0 { pending.prependSilence(frames: Int(clamping: missing)) }
        return
      case .frames(let planes, let count):
        let space = pending.append(frames: count, channels: order.channels)
        interleave(planes, count: count, order: order, to: space)
      }
      let gap = ov_pcm_tell(file) - start - Int64(pending.count)
      if gap > 0 {
        pending.prependSilence(frames: Int(clamping: min(gap, totalFrames - start)))
        return
      }
    }
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    totalFrames.map { .known(frames: $0, next: next) }
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    guard ov_seekable(file) != 0 else {
      throw CodecFailure(.notSeekable, "This Vorbis stream cannot seek.")
    }
    pending.clear()
    hasEnded = false
    let target = min(frame, totalFrames ?? frame)
    let status = ov_pcm_seek(file, target)
    if input.hasFailed { throw .read(at: input.position) }
    guard status == 0 else {
      throw CodecFailure(
        .notSeekable, "Frame \(frame) was not found in the Vorbis stream (vorbisfile error \(status)).")
    }
    nextFrame = target
  }
}
