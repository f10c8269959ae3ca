// Capabilities and misbehavior of a virtual card, and its ALSA configuration. Any thread of the test.
import Foundation

/// The properties of a virtual card, fixed at its creation. The defaults are a plain card without faults.
package struct VirtualCardSettings: Sendable {
  /// A sample format that the card accepts.
  package enum Format: String, Sendable, CaseIterable {
    case s16 = "S16_LE"
    case s24 = "S24_LE"
    case s24Packed = "S24_3LE"
    case s32 = "S32_LE"
    case float = "FLOAT_LE"
    case double = "FLOAT64_LE"
    case s32BigEndian = "S32_BE"
    case s24BigEndian = "S24_BE"
    case s24PackedBigEndian = "S24_3BE"
    case floatBigEndian = "FLOAT_BE"
    case u32 = "U32_LE"
    case u24Packed = "U24_3LE"
    case s16BigEndian = "S16_BE"
    case u16 = "U16_LE"
    case u16BigEndian = "U16_BE"
    case s8 = "S8"
    case u8 = "U8"
    case iec958 = "IEC958_SUBFRAME_LE"

    /// Formats of most cards.
    package static let usual: [Format] = [.s16, .s24, .s24Packed, .s32, .float]
  }

  /// How the card accepts frames.
  package enum Access: String, Sendable, CaseIterable {
    case readWrite = "RW_INTERLEAVED"
    case mapped = "MMAP_INTERLEAVED"
    case planar = "RW_NONINTERLEAVED"
    case mappedPlanar = "MMAP_NONINTERLEAVED"
  }

  /// How the loss of the card is signaled.
  package enum Loss: Int, Sendable {
    /// By every call.
    case told
    /// By the state, and by calls that would change it.
    case shownByState
    /// Only by a position that does not advance, and by calls that would change the state.
    case silent
  }

  /// The alsa-lib plugin in front of the card.
  package enum Front: String, Sendable, CaseIterable {
    case none = "virtual"
    /// Converts as needed.
    case plug = "virtual_plug"
    /// Passes everything through.
    case hooks = "virtual_hooks"
    /// Packs samples into IEC 958 subframes; `formats` must contain only that.
    case iec958 = "virtual_iec958"
  }

  /// What handles `snd_pcm_rewind`.
  package enum Rewind: Sendable {
    /// The card itself: each rewind is granted.
    case granted
    /// alsa-lib's rate plugin in front of the card: rewindable and rewind return 0. With a single rate
    /// (`rates` must hold only one, `formats` only S16) samples pass unchanged.
    case refused
  }

  /// Formats that the card accepts.
  package var formats: [Format] = Format.usual
  /// Channel counts that the card accepts.
  package var channels: ClosedRange<Int> = 1...2
  /// Rates that the card accepts, in Hz.
  package var rates: ClosedRange<Int> = 8000...192_000
  /// The only rates that it accepts, in Hz; nil for all of `rates`.
  package var onlyRates: [Int]?
  /// How it accepts frames.
  package var access: [Access] = [.mapped, .readWrite]
  /// How its loss is signaled.
  package var loss = Loss.told
  /// The alsa-lib plugin in front of it.
  package var front = Front.none
  /// Period sizes in frames. Exact only with one format and one channel count.
  package var periodFrames: ClosedRange<Int> = 16...48_000
  /// Buffer sizes in frames. Exact only with one format and one channel count.
  package var bufferFrames: ClosedRange<Int> = 32...96_000
  /// Numbers of periods.
  package var periods: ClosedRange<Int> = 2...1024
  /// Speed of the card's clock relative to CLOCK_MONOTONIC.
  package var speed = 1.0
  /// Granularity of the reported position in frames; -1 is one period.
  package var granularity = 1
  /// Frames fetched ahead of playback, which cannot be rewritten.
  package var prefetch = 0
  /// Frames behind the buffer that `snd_pcm_delay` adds.
  package var fifo = 0
  /// Whether the card reports itself as a batch device.
  package var isBatch = false
  /// Whether it supports pausing.
  package var canPause = true
  /// Whether it resumes after a suspend; otherwise `snd_pcm_resume` returns 0 and has no effect.
  package var canResume = true
  /// Whether silence instead of the old buffer content plays where the client has written nothing.
  package var silentPastEnd = false
  /// Whether the card records in its own thread (1000 wakeups per second in the client).
  package var recordsInThread = false
  /// What handles rewinds.
  package var rewind = Rewind.granted

  /// A plain card without faults.
  package init() {}

  /// The keys as listed in `SwiftletVirtualCard.h`, one per line.
  var configuration: String {
    let keys: [(String, any CustomStringConvertible)] = [
      ("channels_min", channels.lowerBound), ("channels_max", channels.upperBound),
      ("rate_min", rates.lowerBound), ("rate_max", rates.upperBound),
      ("period_min", periodFrames.lowerBound), ("period_max", periodFrames.upperBound),
      ("buffer_min", bufferFrames.lowerBound), ("buffer_max", bufferFrames.upperBound),
      ("periods_min", periods.lowerBound), ("periods_max", periods.upperBound),
      ("speed", speed), ("granularity", granularity), ("prefetch", prefetch), ("fifo", fifo),
      ("batch", isBatch ? 1 : 0), ("pause", canPause ? 1 : 0), ("resume", canResume ? 1 : 0),
      ("thread", recordsInThread ? 1 : 0), ("quiet_loss", loss.rawValue),
    ]
    var lines = keys.map { "\($0.0) \($0.1)" }
    lines.append("formats \"\(formats.map(\.rawValue).joined(separator: " "))\"")
    lines.append("access \"\(access.map(\.rawValue).joined(separator: " "))\"")
    if let onlyRates { lines.append("rates \"\(onlyRates.map(String.init).joined(separator: " "))\"") }
    lines.append("past_end \"\(silentPastEnd ? "silence" : "buffer")\"")
    return lines.joined(separator: "\n") + "\n"
  }
}
