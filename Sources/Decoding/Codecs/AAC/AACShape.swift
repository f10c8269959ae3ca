// What an AAC stream is, found out by decoding its beginning: rate, channels and length of packets may be other than its
// headers say, when spectral band replication or parametric stereo lie hidden in it. Worker process only.

import CFAAD
import CodecSupport

/// What all packets of a stream have in common.
struct AACShape: Equatable {
  /// In Hz, as heard.
  let rate: Int
  /// As heard.
  let channels: Int
  /// As libfaad delivers them: it makes two of one.
  let decodedChannels: Int
  /// Frames of a packet, as heard.
  let packetFrames: Int
  let isReplicated: Bool
  let isParametricStereo: Bool
  /// How to open a decoder for all of the stream: see `PacketDecoding`.
  let upsamples: Bool
  /// libfaad's positions of the channels.
  let positions: [UInt8]

  /// Packets that are looked at: the headers of both tools come twice a second.
  private static let looked = 40

  /// Decodes the beginning of `source`, and leaves it there.
  ///
  /// - Throws: `unsupported` for kinds of AAC that libfaad does not play, `corrupt` where nothing can be decoded.
  init(_ source: some PacketSource, _ start: StreamStart) throws(CodecFailure) {
    // At higher rates the tool could only add what is not heard; libfaad then leaves the rate as it is.
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
        // libfaad also refuses the first packet with spectral band replication behind others without.
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

  /// Whether a packet has this shape: another one is damage.
  func fits(_ packet: DecodedPacket) -> Bool {
    packet.channels == decodedChannels && packet.frames == packetFrames
  }

  /// The order of WAVE's channels among libfaad's.
  var order: ChannelOrder {
    let wanted = [
      FRONT_CHANNEL_LEFT, FRONT_CHANNEL_RIGHT, FRONT_CHANNEL_CENTER, LFE_CHANNEL, BACK_CHANNEL_LEFT,
      BACK_CHANNEL_RIGHT, BACK_CHANNEL_CENTER, SIDE_CHANNEL_LEFT, SIDE_CHANNEL_RIGHT,
    ]
    var sources: [Int] = []
    for position in wanted {
      for (index, found) in positions.enumerated() where Int32(found) == position { sources.append(index) }
    }
    // Positions that libfaad does not know keep their places.
    return ChannelOrder(sources: sources.count == channels ? sources : Array(0..<channels))
  }

  /// What a person calls it.
  func name(inMP4: Bool) -> Phrase {
    let codec: Phrase = isParametricStereo ? "HE-AAC v2" : isReplicated ? "HE-AAC" : "AAC"
    return inMP4 ? "\(codec) in MP4" : "\(codec) (ADTS)"
  }
}
