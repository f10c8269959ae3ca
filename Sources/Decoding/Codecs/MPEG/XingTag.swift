// The Xing/Info frame that encoders put first (Xing's VBR header, LAME's extension "Mp3 Info Tag rev 1"),
// as far as libmpg123 does not report it: is the frame count to be believed, and ReplayGain. Worker only.

import CodecSupport

/// What a Xing or Info tag states.
struct XingTag {
  /// Whether it counts the stream's frames.
  let countsFrames: Bool
  /// Bytes of the stream, this frame included, if it says so.
  let streamBytes: Int64?
  private let trackGain: Float?
  private let albumGain: Float?

  /// The tag in the frame whose header starts `frame`; nil if there is none.
  init?(frame: Bytes) {
    guard let header = MPEGHeader(frame, at: 0, free: 1), header.layer == 3 else { return nil }
    let start = 4 + header.sideInformationBytes
    guard hasMagic(frame, "Xing", at: start) || hasMagic(frame, "Info", at: start), frame.count >= start + 8
    else { return nil }
    func big32(_ offset: Int) -> UInt32? {
      guard frame.count - offset >= 4 else { return nil }
      return (0..<4).reduce(0) { $0 << 8 | UInt32(frame[offset + $1]) }
    }
    let flags = big32(start + 4) ?? 0
    countsFrames = flags & 1 != 0
    var offset = start + 8 + (flags & 1 != 0 ? 4 : 0)
    streamBytes = flags & 2 != 0 ? big32(offset).map { Int64($0) } : nil
    if flags & 2 != 0 { offset += 4 }
    if flags & 4 != 0 { offset += 100 }
    if flags & 8 != 0 { offset += 4 }
    // LAME: nine letters of version, revision, low pass, peak (4), two gains (2 each).
    let isExtended = hasMagic(frame, "LAME", at: offset) || hasMagic(frame, "Lavc", at: offset)
    guard isExtended, frame.count - offset >= 19 else {
      (trackGain, albumGain) = (nil, nil)
      return
    }
    func gain(_ at: Int, kind: UInt32) -> Float? {
      let bits = UInt32(frame[at]) << 8 | UInt32(frame[at + 1])
      // Kind 1 is the track's, 2 the album's; originator 0 means that nobody set it.
      guard bits >> 13 == kind, bits >> 10 & 7 != 0 else { return nil }
      let decibels = Float(bits & 0x1FF) / 10
      return bits & 0x200 != 0 ? -decibels : decibels
    }
    trackGain = gain(offset + 15, kind: 1)
    albumGain = gain(offset + 17, kind: 2)
  }

  /// Records LAME's gains where no tag did.
  func apply(to description: StreamDescription) {
    if let trackGain { description.setGainIfUnknown(.track, trackGain) }
    if let albumGain { description.setGainIfUnknown(.album, albumGain) }
  }
}
