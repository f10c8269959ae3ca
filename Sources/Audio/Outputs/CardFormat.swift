// Sample formats of sound cards, and the mixer format that is rendered for each. Pure values; any thread.

import CALSA
import RealtimeAudio

/// A sample format in a card's memory.
struct CardFormat: Sendable {
  /// The conversion from the mixer's format to the card's.
  enum Change: Sendable, Equatable {
    /// None: the bits are the same.
    case none
    /// Inverts bit `signBit`: unsigned formats count from the lowest value.
    case unsigned(signBit: Int)
    /// Float32 to Float64.
    case double
    /// Rounds 16 bits to 8 with dither; inverts the sign bit if `isUnsigned`.
    case byte(isUnsigned: Bool)
  }

  /// ALSA's constant for the format.
  let alsa: snd_pcm_format_t
  /// The format that the mixer renders for it.
  let mixed: SampleFormat
  /// The conversion of each sample.
  let change: Change
  /// Whether the most significant byte comes first.
  let isBigEndian: Bool
  /// Bytes of one sample.
  let bytes: Int

  private init(
    _ alsa: snd_pcm_format_t, _ mixed: SampleFormat, _ change: Change = .none, isBigEndian: Bool = false
  ) {
    self.alsa = alsa
    self.mixed = mixed
    self.change = change
    self.isBigEndian = isBigEndian
    bytes =
      switch change {
      case .none, .unsigned: mixed.bytes
      case .double: 8
      case .byte: 1
      }
  }

  /// Whether the mixer's samples need no conversion.
  var isPlain: Bool { change == .none && !isBigEndian }

  /// Whether the card's samples have fewer bits than the mixer's.
  var isNarrower: Bool { if case .byte = change { true } else { false } }

  /// Name of the format, such as `S16_BE`.
  var name: String { isPlain ? mixed.name : String(cString: snd_pcm_format_name(alsa)) }

  /// All supported formats in order of preference: first those that the mixer writes itself, then those that need a
  /// conversion, and 8 bits last.
  static let all: [CardFormat] = [
    CardFormat(SND_PCM_FORMAT_S32_LE, .s32), CardFormat(SND_PCM_FORMAT_S24_LE, .s24),
    CardFormat(SND_PCM_FORMAT_S24_3LE, .s24Packed), CardFormat(SND_PCM_FORMAT_S16_LE, .s16),
    CardFormat(SND_PCM_FORMAT_FLOAT_LE, .float32), CardFormat(SND_PCM_FORMAT_FLOAT64_LE, .float32, .double),
    CardFormat(SND_PCM_FORMAT_S32_BE, .s32, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_S24_BE, .s24, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_S24_3BE, .s24Packed, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_FLOAT_BE, .float32, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_FLOAT64_BE, .float32, .double, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_U32_LE, .s32, .unsigned(signBit: 31)),
    CardFormat(SND_PCM_FORMAT_U32_BE, .s32, .unsigned(signBit: 31), isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_U24_LE, .s24, .unsigned(signBit: 23)),
    CardFormat(SND_PCM_FORMAT_U24_BE, .s24, .unsigned(signBit: 23), isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_U24_3LE, .s24Packed, .unsigned(signBit: 23)),
    CardFormat(SND_PCM_FORMAT_U24_3BE, .s24Packed, .unsigned(signBit: 23), isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_S16_BE, .s16, isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_U16_LE, .s16, .unsigned(signBit: 15)),
    CardFormat(SND_PCM_FORMAT_U16_BE, .s16, .unsigned(signBit: 15), isBigEndian: true),
    CardFormat(SND_PCM_FORMAT_S8, .s16, .byte(isUnsigned: false)),
    CardFormat(SND_PCM_FORMAT_U8, .s16, .byte(isUnsigned: true)),
  ]
}
