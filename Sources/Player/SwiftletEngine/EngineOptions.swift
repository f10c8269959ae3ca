// Where an engine's sound goes and how it works, for those who embed it. Values; any thread.

import PlaybackModel
import RealtimeAudio

/// Where an engine's sound goes.
public enum EngineOutput: Sendable {
  /// An ALSA device, such as `default` or `hw:0`; `aplay -L` lists them.
  case device(String)
  /// A WAV file, which is created or replaced. It has no clock: music is rendered as fast as it goes.
  case file(path: String)
  /// Nothing, in real time: for machines without sound, and for tests.
  case null
  /// An output of one's own.
  case custom(any AudioOutput)
}

/// How an engine works. All values have defaults.
public struct EngineOptions: Sendable {
  /// The output's rate in Hz, 8000 to 384000; nil: 44100, or else one that a device takes. Tracks of another rate are
  /// converted. ``Engine/inspect(_:options:)`` says what a track has. An ``AudioOutput`` has a rate of its own.
  public var rate: Int?
  /// How samples leave the engine; nil: what a device takes with the most bits, and 16 bits in a file. An ``AudioOutput`` has
  /// a format of its own.
  public var format: OutputFormat?
  /// The folders of codec plugins, `libSwiftletCodecNAME.so`; of two with one name the first counts. None: the folder that
  /// the environment variable SWIFTLET_CODECS names, or else that of the program, and then `/usr/lib/swiftlet/codecs`.
  public var codecs: [String] = []
  /// The program that decodes: `swiftlet`, or another that calls ``Engine/runWorkerIfAsked()``. Nil: this program itself.
  public var worker: String?
  /// Whether a contradiction within the engine ends the program: for tests.
  public var isStrict = false

  /// The defaults.
  public init() {}
}
