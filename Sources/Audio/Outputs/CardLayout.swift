// Memory layout of a card's frames, and the conversion from the mixer's frames. Audio thread; memory is allocated only
// when the card is opened.

import CALSA
import RealtimeAudio

/// How frames are transferred to a PCM.
enum CardAccess: CaseIterable {
  /// The samples of a frame are adjacent; transfer by write calls.
  case interleaved
  /// Interleaved, in memory mapped from the card.
  case mapped
  /// Each channel in its own memory; transfer by write calls.
  case planar
  /// Each channel in its own memory, mapped from the card.
  case mappedPlanar

  /// ALSA's constant for the access type.
  var alsa: snd_pcm_access_t {
    switch self {
    case .interleaved: SND_PCM_ACCESS_RW_INTERLEAVED
    case .mapped: SND_PCM_ACCESS_MMAP_INTERLEAVED
    case .planar: SND_PCM_ACCESS_RW_NONINTERLEAVED
    case .mappedPlanar: SND_PCM_ACCESS_MMAP_NONINTERLEAVED
    }
  }

  var isPlanar: Bool { self == .planar || self == .mappedPlanar }
}

/// The negotiated layout of a card's frames.
struct CardLayout {
  /// Largest number of channels requested from a card.
  static let channelLimit = 32

  let format: CardFormat
  /// The card's channels. Those beyond the second stay silent.
  let channels: Int
  let access: CardAccess

  /// Channels that the mixer renders for it.
  var mixedChannels: Int { min(2, channels) }
  /// Whether rendered frames go to the card unchanged.
  var isPlain: Bool { format.isPlain && channels <= 2 && !access.isPlanar }
}

/// Writes rendered frames to a PCM in the card's layout.
final class CardWriter {
  /// Largest number of frames per write that needs a conversion.
  static let frames = 4096

  private let layout: CardLayout
  /// Bytes of one rendered frame.
  let mixedBytes: Int
  /// Conversion buffer in the card's layout; nil if none is needed. Silent channels are zeroed once at the start.
  private let memory: UnsafeMutableRawPointer?
  /// Start of each channel in the conversion buffer.
  private let planes: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private var noise: UInt32 = 1

  init(_ layout: CardLayout) {
    self.layout = layout
    mixedBytes = layout.format.mixed.bytes * layout.mixedChannels
    planes = .allocate(capacity: layout.channels)
    planes.initialize(repeating: nil, count: layout.channels)
    guard !layout.isPlain else {
      memory = nil
      return
    }
    let bytes = layout.format.bytes
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.frames * layout.channels * bytes, alignment: 64)
    self.memory = memory
    for channel in 0..<layout.channels {
      planes[channel] = memory + channel * bytes * (layout.access.isPlanar ? Self.frames : 1)
      for frame in 0..<Self.frames { store(0, channel, frame) }
    }
  }

  deinit {
    memory?.deallocate()
    planes.deallocate()
  }

  /// Writes rendered frames.
  ///
  /// - Returns: ALSA's result: the number of frames written, or a negative error number.
  func write(_ rendered: UnsafeRawPointer, frames: Int, to pcm: OpaquePointer) -> Int {
    guard let memory else {
      return layout.access == .mapped
        ? snd_pcm_mmap_writei(pcm, rendered, UInt(frames)) : snd_pcm_writei(pcm, rendered, UInt(frames))
    }
    let count = min(frames, Self.frames)
    transcribe(rendered, frames: count)
    return switch layout.access {
    case .interleaved: snd_pcm_writei(pcm, memory, UInt(count))
    case .mapped: snd_pcm_mmap_writei(pcm, memory, UInt(count))
    case .planar: snd_pcm_writen(pcm, planes, UInt(count))
    case .mappedPlanar: snd_pcm_mmap_writen(pcm, planes, UInt(count))
    }
  }

  /// Writes frames of silence.
  ///
  /// - Returns: Whether the PCM accepted all of them.
  func writeSilence(frames: Int, to pcm: OpaquePointer) -> Bool {
    let piece = min(frames, Self.frames)
    let silence = UnsafeMutableRawPointer.allocate(byteCount: piece * mixedBytes, alignment: 64)
    defer { silence.deallocate() }
    silence.initializeMemory(as: UInt8.self, repeating: 0, count: piece * mixedBytes)
    var left = frames
    while left > 0 {
      let written = write(silence, frames: min(left, piece), to: pcm)
      guard written > 0 else { return false }
      left -= written
    }
    return true
  }

  private func transcribe(_ rendered: UnsafeRawPointer, frames: Int) {
    let bytes = layout.format.mixed.bytes
    for channel in 0..<layout.mixedChannels {
      var source = rendered + channel * bytes
      for frame in 0..<frames {
        var value: UInt32 = 0
        for byte in 0..<bytes {
          value |= UInt32(source.load(fromByteOffset: byte, as: UInt8.self)) << UInt32(8 * byte)
        }
        store(value, channel, frame)
        source += mixedBytes
      }
    }
  }

  /// Stores one mixer sample in the card's format.
  private func store(_ value: UInt32, _ channel: Int, _ frame: Int) {
    let format = layout.format
    let stride = format.bytes * (layout.access.isPlanar ? 1 : layout.channels)
    guard let place = planes[channel].map({ $0 + frame * stride }) else { return }
    let bits: UInt64 =
      switch format.change {
      case .none: UInt64(value)
      case .unsigned(let signBit): UInt64(value ^ 1 << UInt32(signBit))
      case .double: Double(Float(bitPattern: value)).bitPattern
      case .byte(let isUnsigned): UInt64(narrowed(value) ^ (isUnsigned ? 0x80 : 0))
      }
    for byte in 0..<format.bytes {
      let order = format.isBigEndian ? format.bytes - 1 - byte : byte
      place.storeBytes(
        of: UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte)), toByteOffset: order, as: UInt8.self)
    }
  }

  /// Rounds a 16-bit sample to its high byte with triangular dither. Samples without low bits get no dither.
  private func narrowed(_ value: UInt32) -> UInt8 {
    let sample = Int32(Int16(truncatingIfNeeded: value))
    guard sample & 0xFF != 0 else { return UInt8(truncatingIfNeeded: sample >> 8) }
    // Xorshift (Marsaglia, 2003).
    noise ^= noise << 13
    noise ^= noise >> 17
    noise ^= noise << 5
    let dither = Int32(noise & 0xFF) - Int32(noise >> 8 & 0xFF)
    return UInt8(truncatingIfNeeded: max(-128, min(127, (sample + dither + 128) >> 8)))
  }
}
