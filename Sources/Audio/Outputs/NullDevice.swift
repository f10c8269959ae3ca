// An output that discards all frames in real time, for machines without sound and for measurements. Audio thread;
// `wake` may be called from any thread.

import PlaybackModel
import Platform
import RealtimeAudio

/// Consumes frames at the pace of the monotonic clock. Rewinds are exact to one frame.
package final class NullDevice: PCMDevice, @unchecked Sendable {
  package let rate: SampleRate
  package let format: SampleFormat
  package let channels = 2
  package let bufferFrames: Int
  package let strategy: BufferStrategy
  private let wakeUp: WakeUp
  private var written: Int64 = 0
  private var startedAt: UInt64?

  /// Creates a device with the given rate.
  ///
  /// - Throws: `OutputError` if no descriptor is available.
  package init(options: OutputOptions) throws(OutputError) {
    rate = options.rate
    format = options.format ?? .s16
    bufferFrames = Int(rate.frames(Seconds(0.5)).count)
    let isDeep = options.mode != .shallow
    strategy =
      isDeep
      ? .deep(queue: bufferFrames, margin: Int(rate.frames(Seconds(0.01)).count))
      : .shallow(queue: Int(rate.frames(Seconds(0.04)).count))
    do {
      wakeUp = try WakeUp()
    } catch {
      throw OutputError(subject: "null output", reason: error.description, isUnavailable: false)
    }
  }

  private var played: Int64 {
    guard let startedAt else { return 0 }
    return Int64(Double(now() - startedAt) * Double(rate.hertz) / 1e9)
  }

  package func prepare() throws(PCMFault) {
    written = 0
    startedAt = nil
  }

  package func start() throws(PCMFault) { startedAt = now() }

  package func available() throws(PCMFault) -> Int {
    let queued = written - played
    guard queued >= 0 || startedAt == nil else { throw .underrun }
    return bufferFrames - Int(queued)
  }

  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    let taken = min(frames, try available())
    written += Int64(taken)
    return taken
  }

  package func rewind(_ frames: Int) -> Int {
    let taken = max(0, min(Int64(frames), written - played))
    written -= taken
    return Int(taken)
  }

  package func stop() { startedAt = nil }

  package func reopen() -> Bool { true }

  package func now() -> UInt64 { MonotonicClock.now() }

  package func wait(_ nanoseconds: Int64?) { wakeUp.wait(nanoseconds) }

  package func wake() { wakeUp.signal() }
}
