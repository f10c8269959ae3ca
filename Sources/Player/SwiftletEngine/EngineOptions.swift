// The output choices and options for creating an engine. Values; any thread.

import PlaybackModel
import RealtimeAudio

/// The destination of an engine's sound.
///
/// ```swift
/// let engine = try Engine(output: .file(path: "mix.wav"))
/// ```
public enum EngineOutput: Sendable {
  /// An ALSA device, such as `default` or `hw:0`; `aplay -L` lists them.
  case device(String)
  /// A WAV file, which is created or replaced. Rendered as fast as possible, without a clock.
  case file(path: String)
  /// No output, but paced in real time: for machines without sound hardware and for tests.
  case null
  /// The program's own output.
  case custom(any AudioOutput)
}

/// Options of an engine. All have defaults.
///
/// ```swift
/// var options = EngineOptions()
/// options.rate = 48000
/// let engine = try Engine(output: .device("default"), options: options)
/// ```
public struct EngineOptions: Sendable {
  /// Output rate in Hz, 8000 to 384000. Nil: 44100, or the nearest rate that the device supports.
  ///
  /// Tracks with another rate are resampled; ``Engine/inspect(_:options:)`` returns a track's rate. Ignored for an
  /// ``AudioOutput``, which defines its own.
  public var rate: Int?
  /// Output sample format. Nil: the device's format with the most bits, and 16 bits in a WAV file. Ignored for an
  /// ``AudioOutput``, which defines its own.
  public var format: OutputFormat?
  /// Folders with codec plugins (`libSwiftletCodecNAME.so`); the first plugin with a name wins. If empty: the folder
  /// in the environment variable SWIFTLET_CODECS, or else the program's folder, followed by
  /// `/usr/lib/swiftlet/codecs`.
  public var codecs: [String] = []
  /// Path of the worker program: `swiftlet`, or a program that calls ``Engine/runWorkerIfAsked()``. Nil: this program
  /// itself.
  public var worker: String?
  /// Whether an internal inconsistency terminates the program; for tests.
  public var isStrict = false

  /// The default options.
  public init() {}
}
