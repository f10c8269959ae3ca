// An output that an embedder makes: what it has to answer, in plain types. Called on the audio thread where it has a clock, and
// on the engine's own thread where it has none.

import RealtimeAudio

/// Somewhere for sound to go that the engine does not know: an encoder, a network, another sound system.
///
/// There are two kinds. One **without a clock**, ``capacity`` 0, takes whatever is rendered at once: the engine renders as
/// fast as it is asked to, on its own thread, and ``write(_:frames:)`` may take its time. One **with a clock** plays in
/// real time: the engine keeps ``capacity`` frames queued in it, and calls it on a thread of real-time priority, so it must
/// not wait, lock or allocate there. It has to have ``start()``, ``queued()`` and ``stop()``, too.
///
/// An output belongs to one engine. It is not called any more once ``Engine/end()`` has returned, but
/// for a ``reopen()`` that is under way.
public protocol AudioOutput: AnyObject, Sendable {
  /// Frames per second that it takes, in Hz: 8000 to 384000. Stays the same.
  var rate: Int { get }
  /// How samples arrive, two channels interleaved. Stays the same. Without a word of it, ``OutputFormat/float32``.
  var format: OutputFormat { get }
  /// Frames that it can hold; 0 for an output without a clock, which is what it is without a word of it. Below 512 is too few
  /// for music without gaps. A command is heard after what is queued. Stays the same.
  var capacity: Int { get }

  /// Takes frames.
  ///
  /// - Parameters:
  ///   - bytes: The samples, left and right in turn, in ``format``. Valid during the call.
  ///   - frames: How many frames they are, 1 or more.
  /// - Returns: How many it took; the rest is offered again. One without a clock takes all.
  func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int

  /// Begins to play what was written, or waits for more of it.
  func start() throws(AudioOutputFault)
  /// How many of the frames that were written have not been played yet, at this moment.
  func queued() throws(AudioOutputFault) -> Int
  /// Stops at once and forgets what is queued; ``start()`` may follow. Also the last call of all.
  func stop()
  /// Tries to get a lost output back, as it was. True if it is there; it is tried again otherwise, after 0.1 s at first and
  /// after 5 s in the end. Called on a thread of its own, which may wait; nothing else is called meanwhile but a last
  /// ``stop()``.
  func reopen() -> Bool
}

extension AudioOutput {
  /// 32-bit floats.
  public var format: OutputFormat { .float32 }
  /// No clock.
  public var capacity: Int { 0 }
  /// Nothing to begin.
  public func start() throws(AudioOutputFault) {}
  /// Everything is played at once.
  public func queued() throws(AudioOutputFault) -> Int { 0 }
  /// Nothing to stop.
  public func stop() {}
  /// Once lost, it stays so.
  public func reopen() -> Bool { false }
}

/// What an ``AudioOutput`` answers instead of doing as it was told.
public enum AudioOutputFault: Error, Hashable, Sendable {
  /// It has played all it had and stands still. Playing goes on with a short ramp.
  case ranDry
  /// It is gone. The engine pauses, and asks ``AudioOutput/reopen()`` from time to time.
  case lost
}

/// How samples lie in an output's memory: little-endian, signed, two channels interleaved.
public enum OutputFormat: Hashable, Sendable, CaseIterable {
  /// 16 bits. Exact for 16-bit sources at full volume.
  case int16
  /// 24 bits in the low three of four bytes.
  case int24
  /// 24 bits in three bytes.
  case int24Packed
  /// 32 bits.
  case int32
  /// 32-bit IEEE floats, full scale at 1. Exact for sources of up to 24 bits.
  case float32

  /// Bytes of one frame, which has two samples.
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
