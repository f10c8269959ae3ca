// The output format of an AAC stream, found by decoding its beginning. Rate, channels and packet length may
// differ from the headers, if the stream contains implicit SBR or parametric stereo. Worker process only.

import CFAAD
import CodecSupport

/// The properties common to all packets of a stream.
struct AACShape: Equatable {
  /// Output rate in Hz.
  let rate: Int
  /// Output channels.
  let channels: Int
  /// Channels as delivered by libfaad, which duplicates mono.
  let decodedChannels: Int
  /// Output frames per packet.
  let packetFrames: Int
  let isReplicated: Bool
  let isParametricStereo: Bool
  /// Whether the decoder doubles the rate; see `PacketDecoding`.
  let upsamples: Bool
  /// libfaad's channel positions.
  let positions: [UInt8]

  /// Number of packets decoded. The headers of SBR and parametric stereo come twice a second.
  private static let looked = 40

  /// Decodes the beginning of the source, and rewinds it.
  ///
  /// - Throws: `unsupported` for AAC variants that libfaad does not decode, `corrupt` if no packet can be
  ///   decoded.
  init(_ source: some PacketSource, _ start: StreamStart) throws(CodecFailure) {
    // At higher rates SBR would add inaudible frequencies only; libfaad does not double those rates.
    let isLow = start.coreRate <= 24000
    var decoding = try PacketDecoding(start, upsamples: !isLow)
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: PacketLimit.bytes)
    defer { buffer.deallocate() }
    var best: DecodedPacket?
    var firstPosition: Int64?
    for _ in 0..<Self.looked {
      let read = try source.next(into: buffer)
      if case .end = read { break }
      firstPosition = firstPosition ?? source.position
      guard case .packet(let count) = read else { continue }
      var decoded = decoding.decode(buffer, count: count)
      if decoded == nil {
        // libfaad rejects the first packet with SBR after packets without; a new decoder accepts it.
        decoding = try PacketDecoding(start, upsamples: !isLow)
        decoded = decoding.decode(buffer, count: count)
      }
      guard let decoded else { continue }
      let isBetter = best.map {
        decoded.isReplicated && !$0.isReplicated || decoded.isParametricStereo && !$0.isParametricStereo
      }
      if isBetter ?? true { best = decoded }
      if !isLow || decoded.isReplicated && (decoded.isParametricStereo || !start.isMono) { break }
    }
    guard let best else {
      throw CodecFailure(
        .corrupt, "None of the first AAC packets, from byte \(firstPosition ?? 0) on, can be decoded.")
    }
    guard best.channels <= 8 else {
      throw CodecFailure(.unsupported, "\(best.channels) channels are not playable (1 to 8 are).")
    }
    (rate, decodedChannels, packetFrames) = (best.rate, best.channels, best.frames)
    (isReplicated, isParametricStereo) = (best.isReplicated, best.isParametricStereo)
    channels = start.isMono && best.channels == 2 && !best.isParametricStereo ? 1 : best.channels
    upsamples = !isLow || best.isReplicated
    positions = best.positions
    try source.seek(to: 0)
  }

  /// Whether a packet has this format. Other packets are damaged.
  func fits(_ packet: DecodedPacket) -> Bool {
    packet.channels == decodedChannels && packet.frames == packetFrames
  }

  /// The channel order from libfaad's to WAVE's.
  var order: ChannelOrder {
    let wanted = [
      FRONT_CHANNEL_LEFT, FRONT_CHANNEL_RIGHT, FRONT_CHANNEL_CENTER, LFE_CHANNEL, BACK_CHANNEL_LEFT,
      BACK_CHANNEL_RIGHT, BACK_CHANNEL_CENTER, SIDE_CHANNEL_LEFT, SIDE_CHANNEL_RIGHT,
    ]
    var sources: [Int] = []
    for position in wanted {
      for (index, found) in positions.enumerated() where Int32(found) == position { sources.append(index) }
    }
    // With unknown positions the order is unchanged.
    return ChannelOrder(sources: sources.count == channels ? sources : Array(0..<channels))
  }

  /// Name for display.
  func name(inMP4: Bool) -> Phrase {
    let codec: Phrase = isParametricStereo ? "HE-AAC v2" : isReplicated ? "HE-AAC" : "AAC"
    return inMP4 ? "\(codec) in MP4" : "\(codec) (ADTS)"
  }
}
