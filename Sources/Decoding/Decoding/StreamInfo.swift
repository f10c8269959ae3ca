// A stream's format and metadata as reported by a worker, with plausibility checks. A value; any thread.

import AudioRing
import CodecPlugin
import PlaybackModel

/// Format, length, tags and loudness of a stream. Texts are valid UTF-8 without control characters.
package struct StreamInfo: Hashable, Sendable {
  /// The file's sample rate in Hz.
  package var sourceRate: Int
  /// Number of channels in the file, 1 to 8.
  package var channels: Int
  /// Bits per sample in the file; 0 for lossy codecs.
  package var bits: Int
  /// Whether the file's samples are floating point.
  package var isFloat: Bool
  /// Length in frames at the file's rate; nil if it is unknown until the end is decoded.
  package var sourceFrames: Int64?
  /// Length in frames at the engine's rate; nil if it is unknown until the end is decoded.
  package var totalFrames: Frames?
  /// Whether the codec seeks directly. Otherwise a seek decodes up to the target.
  package var canSeek: Bool
  /// False if the worker runs without a sandbox, where the request permits that.
  package var isSandboxed: Bool
  /// Name of the format, such as `FLAC` or `MPEG-1 layer III`.
  package var format: String
  /// Name of the codec plugin, such as `mpeg`.
  package var codec: String
  /// Tags; empty if the file has none.
  package var tags: Tags
  /// Loudness measurements from the tags.
  package var loudness: Loudness
  /// Size of the whole file in bytes, including tags and pictures; nil for a stream of unknown length.
  package var bytes: Int64?
  /// Whether the file has an embedded cue sheet. Determined by probing workers only.
  package var holdsSheet = false
  /// Chapters in order of their starts. Determined by probing workers only.
  package var chapters: [Chapter] = []
  /// The sample format that the worker writes to the ring.
  package var ringSamples = RingSamples.floats

  /// Average bit rate in kbit/s; nil if size or length is unknown.
  package var kilobitsPerSecond: Int? {
    guard let bytes, let sourceFrames, sourceFrames > 0 else { return nil }
    return Int(exactly: (Double(bytes) * 8 * Double(sourceRate) / Double(sourceFrames) / 1000).rounded())
  }

  /// ReplayGain 2.0 values (reference -18 LUFS); nil if absent.
  package struct Loudness: Hashable, Sendable {
    /// Track gain in dB.
    package var trackGain: Float?
    /// Album gain in dB.
    package var albumGain: Float?
    /// Linear track peak.
    package var trackPeak: Float?
    /// Linear album peak.
    package var albumPeak: Float?

    /// Creates an empty set of measurements.
    package init() {}
  }

  /// The output rate for this stream alone: the file's rate, halved until cards support it; 44.1 kHz for
  /// rates below 8 kHz.
  package var playableRate: SampleRate {
    var rate = sourceRate
    while rate > 192_000 { rate /= 2 }
    return SampleRate(rate >= 8000 ? rate : 44_100)
  }

  /// Whether the samples at the rate `rate` are unmodified 16-bit integers, without mixing of channels or
  /// resampling.
  func holdsSixteenBits(at rate: Int) -> Bool {
    (1...16).contains(bits) && !isFloat && channels <= 2 && sourceRate == rate
  }

  /// Whether all values are within the ranges of a real stream. Values from plugins and workers must pass
  /// this check.
  var isPlausible: Bool {
    func sensible(_ gain: Float?) -> Bool { gain.map { $0 > -200 && $0 < 200 } ?? true }
    func sensible(peak: Float?) -> Bool { peak.map { $0 > 0 && $0 < 1000 } ?? true }
    return (1000...768_000).contains(sourceRate) && (1...8).contains(channels) && (0...64).contains(bits)
      && sourceFrames.map { (0...Limits.maxTrack).contains($0) } ?? true
      && totalFrames.map { (0...Limits.maxTrack).contains($0.count) } ?? true
      && bytes.map { (0...Limits.maxFileBytes).contains($0) } ?? true
      && tags.trackNumber.map { (1...99_999).contains($0) } ?? true
      && tags.discNumber.map { (1...999).contains($0) } ?? true
      && sensible(loudness.trackGain) && sensible(loudness.albumGain)
      && sensible(peak: loudness.trackPeak) && sensible(peak: loudness.albumPeak)
  }
}

/// Limits of the protocol between engine and worker, enforced on both sides.
enum Limits {
  /// Maximum length of a track in frames; 265 days at 768 kHz. In nanoseconds it fits into 64 bits at the
  /// engine's lowest rate, and products with a rate fit into 128 bits.
  static let maxTrack: Int64 = 1 << 44
  /// Maximum size of a file in bytes: one pebibyte.
  static let maxFileBytes: Int64 = 1 << 50
  /// Size of a text field in a message, in bytes.
  static let text = 256
  /// Maximum number of values of one tag, and of bytes of all tag values, as in the plugin ABI.
  static let valuesOfTag = Int(SWIFTLET_MAX_VALUES)
  static let values = Int(SWIFTLET_MAX_VALUE_BYTES)
  /// Maximum number of chapters, and of bytes of all their titles.
  static let chapters = Int(SWIFTLET_MAX_CHAPTERS)
  static let chapterTitles = Int(SWIFTLET_MAX_CHAPTER_BYTES)
  /// Maximum chapter time in milliseconds: the longest track at 1 kHz.
  static let maxChapter = maxTrack
  /// Size of an error text in bytes.
  static let sentence = 512
}
