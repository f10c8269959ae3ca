// The AAC codec plugin: decodes AAC, HE-AAC and HE-AAC v2 in ADTS streams and MP4 files, with libfaad. Worker
// process only, one thread.

import CFAAD
import CodecPlugin
import CodecSupport

/// Version of libfaad; lives as long as the library.
private func libraryVersion() -> UnsafePointer<CChar> {
  var version: UnsafeMutablePointer<CChar>?
  _ = NeAACDecGetVersion(&version, nil)
  return version.map { UnsafePointer($0) } ?? cString("libfaad2")
}

private nonisolated(unsafe) let table = makeCodecTable(
  name: "AAC",
  version: libraryVersion(),
  extensions: ["m4a", "m4b", "mp4", "aac"],
  mimeTypes: ["audio/mp4", "audio/x-m4a", "audio/aac", "audio/aacp", "audio/x-aac"],
  probe: { bytes, size in
    let bytes = borrowed(bytes, size)
    return max(MP4File.score(bytes), adtsScore(bytes))
  },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try AACDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes AAC. Damaged packets become silence of their length.
final class AACDecoder: PacketDecoder {
  private let source: any PacketSource
  /// The source if its packets must be counted; else nil.
  private let counted: (any CountedSource)?
  private let start: StreamStart
  private let shape: AACShape
  private let timeline: AACTimeline
  private let canSeek: Bool
  private var decoding: PacketDecoding
  private let packet: UnsafeMutablePointer<UInt8>
  /// Decoded frames to drop before the next one to return.
  private var unheard: Int64
  /// Number of damaged packets since the last intact one.
  private var damaged = 0

  /// Maximum number of consecutive damaged packets: about 16 seconds.
  private static let maxDamaged = 700
  /// Packets decoded before the target of a seek. AAC LC overlaps with one packet; spectral band replication
  /// needs its header, which comes twice a second, and the predictors of Main and LTP need time to settle.
  private static let preroll: Int64 = 2
  private static let longPreroll: Int64 = 40

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    var head = [UInt8](repeating: 0, count: 16)
    guard input.seek(to: 0) else { throw .read(at: 0) }
    let got = head.withUnsafeMutableBytes { input.readFully(into: $0.baseAddress!, count: $0.count) }
    guard got >= 0 else { throw .read(at: 0) }
    let isMP4 = head.withUnsafeBufferPointer { MP4File.score($0) > 0 }
    let totalFrames: Int64?
    if isMP4 {
      let file = try MP4File(input, description)
      start = .configuration(file.track.configuration)
      if let fragments = file.track.fragments {
        let packets = try FragmentSource(file, fragments)
        shape = try AACShape(packets, start)
        (source, counted) = (packets, packets)
      } else {
        let packets = try MP4Source(file)
        shape = try AACShape(packets, start)
        (source, counted) = (packets, nil)
      }
      timeline = AACTimeline(
        file, packets: source.packetCount, duration: counted?.duration ?? file.track.tables.duration,
        rate: shape.rate, packetFrames: shape.packetFrames, isReplicated: shape.isReplicated)
      totalFrames = timeline.length
    } else {
      let stream = try ADTSSource(input, description)
      let packet = UnsafeMutablePointer<UInt8>.allocate(capacity: PacketLimit.bytes)
      defer { packet.deallocate() }
      var first: [UInt8] = []
      if case .packet(let count) = try stream.next(into: packet) {
        first = Array(UnsafeBufferPointer(start: packet, count: count))
      }
      try stream.seek(to: 0)
      start = .packet(first)
      shape = try AACShape(stream, start)
      timeline = AACTimeline(packets: stream.packetCount, packetFrames: shape.packetFrames)
      (source, counted) = (stream, stream)
      totalFrames = timeline.length
    }
    canSeek = input.length != nil
    unheard = timeline.start
    decoding = try PacketDecoding(start, upsamples: shape.upsamples)
    packet = .allocate(capacity: PacketLimit.bytes)
    super.init()
    order = shape.order
    self.totalFrames = totalFrames
    try description.setFormat(
      shape.name(inMP4: isMP4), rate: UInt32(clamping: shape.rate),
      channels: UInt32(clamping: shape.channels),
      totalFrames: totalFrames, canSeek: canSeek)
  }

  deinit { packet.deallocate() }

  override func decodePacket(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    let decoded: DecodedPacket?
    switch try source.next(into: packet) {
    case .end:
      hasEnded = true
      return 0
    case .gap:
      // Damaged packets may have changed the decoder's state (dynamic range control), so a new decoder is
      // needed.
      throw CodecFailure(
        .corrupt, "The AAC stream has a gap behind frame \(nextFrame), before byte \(source.position).")
    case .missing: decoded = nil
    case .packet(let count): decoded = decoding.decode(packet, count: count)
    }
    let skipped = Int(min(unheard, Int64(shape.packetFrames)))
    unheard -= Int64(skipped)
    let heard = shape.packetFrames - skipped
    guard let decoded, shape.fits(decoded) else {
      damaged += 1
      guard damaged < Self.maxDamaged else {
        throw CodecFailure(
          .corrupt,
          "The AAC stream is damaged from frame \(max(0, nextFrame - Int64(damaged * shape.packetFrames))) on: "
            + "no packet up to byte \(source.position) can be decoded.")
      }
      pending.appendSilence(frames: heard, channels: shape.channels)
      return 0
    }
    damaged = 0
    let direct = min(heard, frames)
    write(decoded, from: skipped, count: direct, to: samples)
    if direct < heard {
      let rest = pending.append(frames: heard - direct, channels: shape.channels)
      write(decoded, from: skipped + direct, count: heard - direct, to: rest)
    }
    return direct
  }

  /// Copies frames of a packet in WAVE's channel order. Drops the copy that libfaad makes of a mono channel.
  private func write(
    _ decoded: DecodedPacket, from first: Int, count: Int, to target: UnsafeMutablePointer<Float>
  ) {
    guard count > 0 else { return }
    let source = decoded.samples + first * decoded.channels
    if shape.channels == 1, decoded.channels == 2 {
      for index in 0..<count { target[index] = source[2 &* index] }
      return
    }
    UnsafeMutableRawPointer(target).copyMemory(
      from: source, byteCount: count * shape.channels * MemoryLayout<Float>.stride)
    reorder(target, frames: count, order: order)
  }

  override func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? {
    guard let counted, canSeek else { return nil }
    let packets = try counted.count(bytes: Int64(bytes))
    let frames = packets * Int64(shape.packetFrames)
    guard counted.packetCount != nil else { return .counting(frames: max(0, frames - timeline.start)) }
    let length = timeline.length(counted: frames, duration: counted.duration)
    totalFrames = totalFrames ?? length
    return .known(frames: totalFrames ?? length, next: counted.next)
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    guard canSeek else { throw CodecFailure(.notSeekable, "This AAC stream cannot seek.") }
    pending.clear()
    damaged = 0
    if let totalFrames, frame >= totalFrames {
      hasEnded = true
      nextFrame = totalFrames
      return
    }
    hasEnded = false
    let (raw, isOver) = frame.addingReportingOverflow(timeline.start)
    guard !isOver else { throw CodecFailure(.notSeekable, "There is no frame \(frame) to seek to.") }
    let preroll = start.isLowComplexity && !shape.isReplicated ? Self.preroll : Self.longPreroll
    let first = max(0, raw / Int64(shape.packetFrames) - preroll)
    // A new decoder makes the result independent of what was decoded before.
    decoding = try PacketDecoding(start, upsamples: shape.upsamples)
    try source.seek(to: first)
    unheard = raw - first * Int64(shape.packetFrames)
    nextFrame = frame
  }
}
