// How the samples of a live source are written. A pure value; any thread.

/// Interleaved frames of little-endian samples.
package struct LiveFormat: Hashable, Sendable {
  /// A sample.
  package enum Encoding: String, Hashable, Sendable, CaseIterable {
    /// 16 bits.
    case s16 = "16"
    /// 24 bits in three bytes.
    case s24 = "24"
    /// 32 bits.
    case s32 = "32"
    /// IEEE 754, 32 bits, full scale at 1.
    case float

    /// Bytes of one.
    package var bytes: Int {
      switch self {
      case .s16: 2
      case .s24: 3
      case .s32, .float: 4
      }
    }
  }

  /// The rates that are taken, in Hz.
  package static var rates: ClosedRange<Int> { 8000...192_000 }

  /// Frames a second, by the sender's clock.
  package let rate: Int
  /// What a sample is.
  package let encoding: Encoding
  /// 1 or 2.
  package let channels: Int

  /// As a CD has it, and most receivers.
  package static var usual: LiveFormat { LiveFormat(44_100, .s16, channels: 2) }

  private init(_ rate: Int, _ encoding: Encoding, channels: Int) {
    self.rate = rate
    self.encoding = encoding
    self.channels = channels
  }

  /// Reads `RATE:BITS:CHANNELS`; nil for what cannot be.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    guard parts.count == 3, let rate = Int(parts[0]), Self.rates.contains(rate),
      let encoding = Encoding(rawValue: parts[1]), let channels = Int(parts[2]),
      channels == 1 || channels == 2
    else { return nil }
    self.init(rate, encoding, channels: channels)
  }

  /// As it is written: `44100:16:2`.
  package var text: String { String(rate) + ":" + encoding.rawValue + ":" + String(channels) }

  /// Bytes of one frame.
  package var frameBytes: Int { encoding.bytes * channels }
}
