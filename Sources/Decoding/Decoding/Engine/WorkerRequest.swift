// The parameters of a worker. A value; control thread.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// The track to decode, the format to decode to, and the limits of the worker.
package struct WorkerRequest: Hashable, Sendable {
  /// The program with the hidden subcommand `worker`.
  package var executable = Executable.own
  /// Folders of codec plugins, separated by colons; by default from SWIFTLET_CODECS. Empty for the first of:
  /// next to the executable, /usr/lib/swiftlet/codecs.
  package var plugins: String
  /// The file, which the worker opens. Its extension selects the plugin to load first.
  package var place: MediaPlace
  /// The stream to play in place of the file; nil for a file.
  package var stream: StreamRequest?
  /// The engine's rate.
  package var rate: SampleRate
  /// The section of the file that is the track; nil for the whole file.
  package var section: FileSection?
  /// First frame to decode, at the engine's rate.
  package var start = Frames.zero
  /// Sizes of the ring; nil for the default at the rate.
  package var layout: RingLayout?
  /// Quality of sample rate conversion.
  package var quality = ResamplingQuality.high
  /// Memory and CPU time limits.
  package var limits = SandboxLimits()
  /// Whether the file probably needs resampling. Only a hint: a worker without a resampler is replaced if it
  /// needs one.
  package var expectsResampling = false
  /// Timeout in nanoseconds for opening, for a seek, and for refilling an empty ring.
  package var timeoutNanoseconds: UInt64 = 4_000_000_000
  /// Whether the worker only reports what the file is, and exits.
  var isProbe = false
  /// Whether the worker decodes at the file's own rate, ignoring `rate`.
  var takesNativeRate = false

  /// Creates a request with default values.
  ///
  /// - Parameters:
  ///   - place: The file.
  ///   - rate: The rate to decode to, in Hz.
  package init(_ place: MediaPlace, rate: SampleRate) {
    self.place = place
    self.rate = rate
    plugins = getenv("SWIFTLET_CODECS").map { String(cString: $0) } ?? ""
  }

  /// Creates a request for a path or URL, with default values.
  ///
  /// - Parameters:
  ///   - path: An unconfined path, or the URL of a stream.
  ///   - rate: The rate to decode to, in Hz.
  package init(path: String, rate: SampleRate) {
    self.init(MediaPlace(anywhere: path), rate: rate)
    guard StreamRequest.isStream(path) else { return }
    place = Self.place(of: path)
    stream = StreamRequest(path)
    stream?.plugins = getenv("SWIFTLET_TRANSPORTS").map { String(cString: $0) } ?? ""
  }

  /// Changes the request to another address of the same stream.
  mutating func turn(to url: String) {
    place = Self.place(of: url)
    stream?.url = url
  }

  /// Drops query and fragment of a URL, so that the extension of its path can be found.
  private static func place(of url: String) -> MediaPlace {
    let bytes = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
    return MediaPlace(anywhere: String(decoding: Array(bytes), as: UTF8.self))
  }
}
