// What a virtual card can do and how it misbehaves, and the ALSA configuration that says so.
import Foundation

/// The properties of a virtual card, fixed when it is made. The defaults are a good, plain card.
package struct VirtualCardSettings: Sendable {
  /// A sample format that the card takes.
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

    /// Those that most cards have.
    package static let usual: [Format] = [.s16, .s24, .s24Packed, .s32, .float]
  }

  /// How the card takes frames.
  package enum Access: String, Sendable, CaseIterable {
    case readWrite = "RW_INTERLEAVED"
    case mapped = "MMAP_INTERLEAVED"
    case planar = "RW_NONINTERLEAVED"
    case mappedPlanar = "MMAP_NONINTERLEAVED"
  }

  /// What says that the card is unplugged.
  package enum Loss: Int, Sendable {
    /// Every call.
    case told
    /// The state, and what would change it.
    case shownByState
    /// Nothing but that its position stands still, and what would change its state.
    case silent
  }

  /// What of alsa-lib's stands in front of the card.
  package enum Front: String, Sendable, CaseIterable {
    case none = "virtual"
    /// Converts whatever has to be.
    case plug = "virtual_plug"
    /// Passes everything on.
    case hooks = "virtual_hooks"
    /// Packs samples into IEC 958 subframes; `formats` must hold only that.
    case iec958 = "virtual_iec958"
  }

  /// What answers `snd_pcm_rewind`.
  package enum Rewind: Sendable {
    /// The card itself: whatever is asked is given.
    case granted
    /// alsa-lib's rate plugin over the card: rewindable and rewind are 0.
    /// With the card's one rate (`rates` must hold only one, `formats` only S16) samples pass unchanged.
    case refused
  }

  /// Formats the card takes.
  package var formats: [Format] = Format.usual
  /// Channels the card takes.
  package var channels: ClosedRange<Int> = 1...2
  /// Rates the card takes, Hz.
  package var rates: ClosedRange<Int> = 8000...192_000
  /// The only rates it takes, Hz; nil: all of `rates`.
  package var onlyRates: [Int]?
  /// How it takes frames.
  package var access: [Access] = [.mapped, .readWrite]
  /// What says that it is unplugged.
  package var loss = Loss.told
  /// What stands in front of it.
  package var front = Front.none
  /// Period sizes, frames. Exact only with one format and one channel count.
  package var periodFrames: ClosedRange<Int> = 16...48_000
  /// Buffer sizes, frames. Exact only with one format and one channel count.
  package var bufferFrames: ClosedRange<Int> = 32...96_000
  /// Numbers of periods.
  package var periods: ClosedRange<Int> = 2...1024
  /// The card's clock against CLOCK_MONOTONIC.
  package var speed = 1.0
  /// The reported position moves in steps of so many frames; -1 is one period.
  package var granularity = 1
  /// Frames fetched ahead of what is heard, which no rewrite reaches.
  package var prefetch = 0
  /// Frames behind the buffer that `snd_pcm_delay` adds.
  package var fifo = 0
  /// Whether the card calls itself a batch device.
  package var isBatch = false
  /// Whether it pauses.
  package var canPause = true
  /// Whether it resumes after a suspend; else `snd_pcm_resume` says 0 and changes nothing.
  package var canResume = true
  /// Whether silence, not the old buffer, is heard where the client has written nothing.
  package var silentPastEnd = false
  /// Whether the card records in a thread of its own (1000 wake-ups a second in the client).
  package var recordsInThread = false
  /// Who answers rewinds.
  package var rewind = Rewind.granted

  /// A good, plain card.
  package init() {}

  /// The keys as `SwiftletVirtualCard.h` lists them, one a line.
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
