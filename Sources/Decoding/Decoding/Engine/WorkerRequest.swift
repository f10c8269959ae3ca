// What the engine starts a worker with. A value; control thread.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// What a worker is started with.
package struct WorkerRequest: Hashable, Sendable {
  /// The program with the hidden subcommand `worker`.
  package var executable = Executable.own
  /// The folders of codec plugins, with colons between them; empty for the usual places: next to the executable, then
  /// /usr/lib/swiftlet/codecs. Begins as the environment variable SWIFTLET_CODECS.
  package var plugins: String
  /// The file, which the worker opens itself. Its extension hints at the plugin.
  package var place: MediaPlace
  /// The stream that stands in the file's place; nil for a file.
  package var stream: StreamRequest?
  /// The engine's rate.
  package var rate: SampleRate
  /// The part of the file that is the track; nil for all of it.
  package var section: FileSection?
  /// The frame of the track, at the engine's rate, that comes first in the ring.
  package var start = Frames.zero
  /// The ring; nil for the size that fits the rate.
  package var layout: RingLayout?
  /// How well rates are converted.
  package var quality = ResamplingQuality.high
  /// What the kernel grants.
  package var limits = SandboxLimits()
  /// Whether the file is likely to have another rate than the engine. Only a hint: a worker that was not started
  /// for that, and has to, is replaced.
  package var expectsResampling = false
  /// Nanoseconds for each of opening, seeking, and refilling an empty ring.
  package var timeoutNanoseconds: UInt64 = 4_000_000_000
  /// Whether the worker only says what the file is, and leaves.
  var isProbe = false
  /// Whether the worker decodes at the file's own rate, whatever `rate` is.
  var takesNativeRate = false

  /// A request with the defaults.
  ///
  /// - Parameters:
  ///   - place: The file.
  ///   - rate: The rate to decode to, in Hz.
  package init(_ place: MediaPlace, rate: SampleRate) {
    self.place = place
    self.rate = rate
    plugins = getenv("SWIFTLET_CODECS").map { String(cString: $0) } ?? ""
  }

  /// A request for what a path or a URL names, with the defaults.
  ///
  /// - Parameters:
  ///   - path: A path anywhere, or the URL of a stream.
  ///   - rate: The rate to decode to, in Hz.
  package init(path: String, rate: SampleRate) {
    self.init(MediaPlace(anywhere: path), rate: rate)
    guard StreamRequest.isStream(path) else { return }
    place = Self.place(of: path)
    stream = StreamRequest(path)
    stream?.plugins = getenv("SWIFTLET_TRANSPORTS").map { String(cString: $0) } ?? ""
  }

  /// Asks for another address of the same stream.
  mutating func turn(to url: String) {
    place = Self.place(of: url)
    stream?.url = url
  }

  /// What follows the path is not for the eyes of those who look for a file's extension.
  private static func place(of url: String) -> MediaPlace {
    let bytes = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
    return MediaPlace(anywhere: String(decoding: Array(bytes), as: UTF8.self))
  }
}
