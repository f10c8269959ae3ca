// What a worker says about its file, checked for sense. A value; any thread.

import AudioRing
import CodecPlugin
import PlaybackModel

/// A stream as its decoder describes it. Texts are valid UTF-8 without control characters.
package struct StreamInfo: Hashable, Sendable {
  /// The file's own rate, in Hz.
  package var sourceRate: Int
  /// Channels in the file, 1 to 8.
  package var channels: Int
  /// Bits a sample has in the file; 0 for lossy codecs.
  package var bits: Int
  /// Whether the file's samples are floating point.
  package var isFloat: Bool
  /// Length in frames at the file's own rate; nil if it is known only once the end is decoded.
  package var sourceFrames: Int64?
  /// Length in frames at the engine's rate; nil as above.
  package var totalFrames: Frames?
  /// Whether seeking is direct. Without it a seek decodes its way there.
  package var canSeek: Bool
  /// False where the worker was allowed to run without a sandbox and does.
  package var isSandboxed: Bool
  /// What the stream is called, such as `FLAC` or `MPEG-1 layer III`.
  package var format: String
  /// The plugin that decodes it, such as `mpeg`.
  package var codec: String
  /// Tags; empty where the file has none.
  package var tags: Tags
  /// Loudness measurements from the tags.
  package var loudness: Loudness
  /// Bytes of the whole file, tags and pictures included; nil where a stream does not say.
  package var bytes: Int64?
  /// Whether the file holds a cue sheet; found out only where the worker is asked what the file is.
  package var holdsSheet = false
  /// Chapters by their starts; found out only where the worker is asked what the file is.
  package var chapters: [Chapter] = []
  /// In what form the samples are that its worker gives.
  package var ringSamples = RingSamples.floats

  /// What a second of the file takes on average, in kbit/s; nil where its bytes or its length are not known.
  package var kilobitsPerSecond: Int? {
    guard let bytes, let sourceFrames, sourceFrames > 0 else { return nil }
    return Int(exactly: (Double(bytes) * 8 * Double(sourceRate) / Double(sourceFrames) / 1000).rounded())
  }

  /// ReplayGain 2.0 values (reference -18 LUFS), nil where absent.
  package struct Loudness: Hashable, Sendable {
    /// Gain of the track in dB.
    package var trackGain: Float?
    /// Gain of the album in dB.
    package var albumGain: Float?
    /// Linear peak of the track.
    package var trackPeak: Float?
    /// Linear peak of the album.
    package var albumPeak: Float?

    /// No measurements.
    package init() {}
  }

  /// The rate that an output for this stream alone would have: the file's, brought into the range of cards by
  /// halving; 44.1 kHz for one that no card knows.
  package var playableRate: SampleRate {
    var rate = sourceRate
    while rate > 192_000 { rate /= 2 }
    return SampleRate(rate >= 8000 ? rate : 44_100)
  }

  /// Whether all its samples at a rate are integers of 16 bits: nothing is mixed or converted.
  func holdsSixteenBits(at rate: Int) -> Bool {
    (1...16).contains(bits) && !isFloat && channels <= 2 && sourceRate == rate
  }

  /// Whether every number is one that a stream can have. What a plugin or a worker claims is refused otherwise.
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

/// Bounds that both sides of the protocol apply.
enum Limits {
  /// Frames; at 768 kHz 265 days. As nanoseconds at the lowest rate of an engine they fit into 64 bits, and products with a rate
  /// stay far from overflow in 128.
  static let maxTrack: Int64 = 1 << 44
  /// Bytes of a file: a pebibyte.
  static let maxFileBytes: Int64 = 1 << 50
  /// Bytes of a text field on the wire.
  static let text = 256
  /// Values of one tag, and bytes of all values of all tags: the plugin interface's bounds.
  static let valuesOfTag = Int(SWIFTLET_MAX_VALUES)
  static let values = Int(SWIFTLET_MAX_VALUE_BYTES)
  /// Chapters of a file, and bytes of all their titles.
  static let chapters = Int(SWIFTLET_MAX_CHAPTERS)
  static let chapterTitles = Int(SWIFTLET_MAX_CHAPTER_BYTES)
  /// Milliseconds: the longest track at 1 kHz, and more than any at a higher rate.
  static let maxChapter = maxTrack
  /// Bytes of a sentence about a failure.
  static let sentence = 512
}
