// Creates the decoder described by a Snapcast Codec Header (pcm, flac or opus). Receiver's process, single thread.

import CSnapcast
import PlaybackModel

/// The codec libraries that are installed.
package struct SnapcastCodecs {
  private let flac: csnapcast_flac?
  private let opus: csnapcast_opus?

  /// Loads the libraries. Must run before the sandbox is entered.
  package init() {
    var flac = csnapcast_flac()
    var opus = csnapcast_opus()
    self.flac = csnapcast_load_flac(&flac) != 0 ? flac : nil
    self.opus = csnapcast_load_opus(&opus) != 0 ? opus : nil
  }

  /// Creates the decoder for the body of a Codec Header message.
  ///
  /// - Throws: `SnapcastFailure` if the header is invalid, or its codec or format is unsupported.
  func decoder(for body: [UInt8]) throws(SnapcastFailure) -> any ChunkDecoder {
    guard body.count >= 4 else { throw Self.invalid }
    let length = body[...].length32(0)
    guard length <= SnapcastLimits.name, body.count >= 8 + length else { throw Self.invalid }
    let name = String(decoding: Array(body[4..<(4 + length)]), as: UTF8.self)
    let head = body[(8 + length)...]
    guard body[...].length32(4 + length) == head.count else { throw Self.invalid }
    let start = head.startIndex
    switch name {
    case "pcm":
      guard head.count >= 36 else { throw Self.invalid }
      let shape = try Shape(
        name, rate: head.word32(start + 24), bits: head.word16(start + 34), channels: head.word16(start + 22))
      return PCMChunks(rate: shape.rate, bits: shape.bits, channels: shape.channels)
    case "flac":
      guard let flac else { throw Self.missing("libFLAC", "libflac\(csnapcast_flac_number)") }
      let decoder = try FLACChunks(flac, head: head)
      _ = try Shape(
        name, rate: UInt32(decoder.rate), bits: UInt16(decoder.bits), channels: UInt16(decoder.channels))
      return decoder
    case "opus":
      guard let opus else { throw Self.missing("libopus", "libopus0") }
      guard head.count >= 12, head.word32(start) == 0x4F50_5553 else { throw Self.invalid }
      let shape = try Shape(
        name, rate: head.word32(start + 4), bits: head.word16(start + 8), channels: head.word16(start + 10))
      return try OpusChunks(opus, rate: shape.rate, channels: shape.channels)
    default:
      let shown = String(decoding: name.utf8.filter { (0x21...0x7E).contains($0) }.prefix(16), as: UTF8.self)
      throw SnapcastFailure("its server sends the codec '\(shown)'; pcm, flac and opus are taken")
    }
  }

  private struct Shape {
    let rate: Int
    let bits: Int
    let channels: Int

    init(_ name: String, rate: UInt32, bits: UInt16, channels: UInt16) throws(SnapcastFailure) {
      (self.rate, self.bits, self.channels) = (Int(clamping: rate), Int(bits), Int(channels))
      guard LiveFormat.rates.contains(self.rate), [16, 24, 32].contains(self.bits),
        self.channels == 1 || self.channels == 2
      else {
        throw SnapcastFailure(
          "its server sends \(name) at \(rate):\(bits):\(channels); 8000 to 192000 Hz, 16, 24 or 32 bits, and 1 or 2 channels are taken"
        )
      }
    }
  }

  private static var invalid: SnapcastFailure {
    SnapcastFailure("its server sends a Codec Header that cannot be read")
  }

  private static func missing(_ library: String, _ package: String) -> SnapcastFailure {
    SnapcastFailure(
      "its server's sound wants \(library), which cannot be loaded; install Debian's package \(package)")
  }
}
