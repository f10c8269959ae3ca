// The protocol for an embedder's own audio output: sample format, write, start, stop and recovery. Called on the
// audio thread if the output has a clock, and on the engine's thread if it has none.

import RealtimeAudio

/// A destination for rendered audio supplied by the embedding program: an encoder, a network sender, another sound
/// system.
/// There are two kinds:
///
/// - **Without a clock** (``capacity`` is 0): ``write(_:frames:)`` consumes frames as fast as the engine renders
///   them. It runs on the engine's own thread and may block.
/// - **With a clock** (``capacity`` is above 0): the output plays in real time. The engine keeps up to ``capacity``
///   frames queued in it and calls it on a real-time thread, so the output must not block, lock or allocate there. It
///   must also implement ``start()``, ``queued()`` and ``stop()``.
///
/// An output belongs to one engine. After ``Engine/end()`` has returned it is not called again, except that a
/// ``reopen()`` already in progress may still finish.
///
/// The smallest output without a clock:
///
/// ```swift
/// final class Encoder: AudioOutput {
///   let rate = 48000
///
///   func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int {
///     encode(bytes)  // interleaved stereo floats
///     return frames
///   }
/// }
///
/// let engine = try Engine(output: .custom(Encoder()))
/// ```
public protocol AudioOutput: AnyObject, Sendable {
  /// Sample rate in Hz, 8000 to 384000. Must not change.
  var rate: Int { get }
  /// Sample format of the interleaved stereo frames. Must not change. Default: ``OutputFormat/float32``.
  var format: OutputFormat { get }
  /// Queue length in frames; 0, the default, for an output without a clock. Must not change.
  ///
  /// Commands take effect behind the queued frames. Below 512 frames playback may have gaps; values from 1 to 63 are
  /// refused.
  var capacity: Int { get }

  /// Writes frames to the output.
  ///
  /// - Parameters:
  ///   - bytes: The samples in ``format``, left and right interleaved. Valid during the call only.
  ///   - frames: The number of frames in `bytes`, at least 1.
  /// - Returns: The number of frames accepted; the engine offers the remainder again. An output without a clock must
  ///   accept all.
  /// - Throws: ``AudioOutputFault`` if the output underran or was lost.
  func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int

  /// Starts playing the written frames. If none are queued, playback starts with the next write.
  ///
  /// - Throws: ``AudioOutputFault/lost`` if the output is gone.
  func start() throws(AudioOutputFault)
  /// The number of written frames that have not been played yet.
  ///
  /// - Throws: ``AudioOutputFault`` if the output underran or was lost.
  func queued() throws(AudioOutputFault) -> Int
  /// Stops at once and discards the queue. ``start()`` may follow. Also the last call that an output receives.
  func stop()
  /// Tries to reopen a lost output with unchanged rate, format and capacity.
  ///
  /// Called on a thread of its own and may block. Retried after 0.1 s at first, backing off to 5 s. During a call the
  /// engine makes no other call, except possibly a final ``stop()``.
  ///
  /// - Returns: Whether the output is usable again.
  func reopen() -> Bool
}

extension AudioOutput {
  /// 32-bit floats.
  public var format: OutputFormat { .float32 }
  /// 0: an output without a clock.
  public var capacity: Int { 0 }
  /// Does nothing: an output without a clock needs no start.
  public func start() throws(AudioOutputFault) {}
  /// 0: an output without a clock has no queue.
  public func queued() throws(AudioOutputFault) -> Int { 0 }
  /// Does nothing.
  public func stop() {}
  /// False: a lost output stays lost.
  public func reopen() -> Bool { false }
}

/// The faults that an ``AudioOutput`` may report.
public enum AudioOutputFault: Error, Hashable, Sendable {
  /// The output played its whole queue and stopped (underrun). The engine restarts it with a short ramp.
  case ranDry
  /// The output is gone. The engine pauses and calls ``AudioOutput/reopen()`` until it succeeds.
  case lost
}

/// Sample format of an output: little-endian, signed, two interleaved channels.
public enum OutputFormat: Hashable, Sendable, CaseIterable {
  /// 16-bit integers. Bit-exact for 16-bit sources at full volume.
  case int16
  /// 24-bit integers in the low three bytes of a 32-bit word.
  case int24
  /// 24-bit integers in three bytes.
  case int24Packed
  /// 32-bit integers.
  case int32
  /// 32-bit IEEE floats, full scale at ±1. Bit-exact for sources of up to 24 bits at full volume.
  case float32

  /// Size of one stereo frame in bytes.
  public var frameBytes: Int { 2 * model.bytes }

  var model: SampleFormat {
    switch self {
    case .int16: .s16
    case .int24: .s24
    case .int24Packed: .s24Packed
    case .int32: .s32
    case .float32: .float32
    }
  }
}
