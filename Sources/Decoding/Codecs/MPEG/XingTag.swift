// Parser for the Xing/Info frame of MP3 encoders (Xing VBR header, LAME's "Mp3 Info Tag rev 1"), for the
// values that libmpg123 does not report: validity of the frame count, and ReplayGain. Worker process only.

import CodecSupport

/// The values of a Xing or Info tag.
struct XingTag {
  /// Whether the tag contains a frame count.
  let countsFrames: Bool
  /// Size of the stream in bytes, this frame included; nil if not stated.
  let streamBytes: Int64?
  private let trackGain: Float?
  private let albumGain: Float?

  /// Parses the tag in the first frame; nil if there is none.
  ///
  /// - Parameter frame: The frame, starting with its header.
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
    // LAME: nine characters of version, revision, low pass, peak (4 bytes), two gains (2 bytes each).
    let isExtended = hasMagic(frame, "LAME", at: offset) || hasMagic(frame, "Lavc", at: offset)
    guard isExtended, frame.count - offset >= 19 else {
      (trackGain, albumGain) = (nil, nil)
      return
    }
    func gain(_ at: Int, kind: UInt32) -> Float? {
      let bits = UInt32(frame[at]) << 8 | UInt32(frame[at + 1])
      // Kind 1 is the track gain, 2 the album gain; originator 0 means unset.
      guard bits >> 13 == kind, bits >> 10 & 7 != 0 else { return nil }
      let decibels = Float(bits & 0x1FF) / 10
      return bits & 0x200 != 0 ? -decibels : decibels
    }
    trackGain = gain(offset + 15, kind: 1)
    albumGain = gain(offset + 17, kind: 2)
  }

  /// Applies LAME's gains, unless a tag has set them.
  func apply(to description: StreamDescription) {
    if let trackGain { description.setGainIfUnknown(.track, trackGain) }
    if let albumGain { description.setGainIfUnknown(.album, albumGain) }
  }
}
