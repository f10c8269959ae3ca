// Sample format of a live input. A pure value; any thread.

/// Interleaved frames of little-endian samples.
package struct LiveFormat: Hashable, Sendable {
  /// Encoding of a sample.
  package enum Encoding: String, Hashable, Sendable, CaseIterable {
    /// Signed 16 bits.
    case s16 = "16"
    /// Signed 24 bits in three bytes.
    case s24 = "24"
    /// Signed 32 bits.
    case s32 = "32"
    /// IEEE 754, 32 bits, full scale at 1.
    case float

    /// Bytes per sample.
    package var bytes: Int {
      switch self {
      case .s16: 2
      case .s24: 3
      case .s32, .float: 4
      }
    }
  }

  /// Supported sample rates in Hz.
  package static var rates: ClosedRange<Int> { 8000...192_000 }

  /// Frames per second of the sender's clock.
  package let rate: Int
  /// Encoding of the samples.
  package let encoding: Encoding
  /// Number of channels, 1 or 2.
  package let channels: Int

  /// CD format, which most receivers use.
  package static var usual: LiveFormat { LiveFormat(44_100, .s16, channels: 2) }

  private init(_ rate: Int, _ encoding: Encoding, channels: Int) {
    self.rate = rate
    self.encoding = encoding
    self.channels = channels
  }

  /// Parses `RATE:BITS:CHANNELS`; nil if it is invalid.
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

  /// The format as text, such as `44100:16:2`.
  package var text: String { String(rate) + ":" + encoding.rawValue + ":" + String(channels) }

  /// Bytes of one frame.
  package var frameBytes: Int { encoding.bytes * channels }
}
