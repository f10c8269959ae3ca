// Sample formats of an output. Pure values; any thread.

/// Format of one sample in an output's buffer. Little-endian, signed.
package enum SampleFormat: Sendable, CaseIterable {
  case s16
  /// 24 bits in the low three bytes of four.
  case s24
  /// 24 bits in three bytes.
  case s24Packed
  case s32
  /// 32-bit IEEE 754, full scale at 1.
  case float32

  /// Bytes of one sample.
  package var bytes: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .s16: 2
      case .s24Packed: 3
      case .s24, .s32, .float32: 4
      }
    }
  }

  /// Whether samples are integers.
  var isInteger: Bool {
    @_noLocks @_noAllocation get { if case .float32 = self { false } else { true } }
  }

  /// Significant bits.
  package var bits: Int {
    switch self {
    case .s16: 16
    case .s24, .s24Packed: 24
    case .s32, .float32: 32
    }
  }

  /// Name in options and in `status`.
  package var name: String {
    switch self {
    case .s16: "S16"
    case .s24: "S24"
    case .s24Packed: "S24_3"
    case .s32: "S32"
    case .float32: "FLOAT"
    }
  }
}
