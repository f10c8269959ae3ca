// Replaces a missing sound card: every call reports a lost device. Audio thread; `wake` may be called from any thread.

import PlaybackModel
import Platform
import RealtimeAudio

/// An output without a device. Its creator looks for the real one.
package final class MissingDevice: PCMDevice, @unchecked Sendable {
  package let rate: SampleRate
  package let format = SampleFormat.s16
  package let channels = 2
  package let bufferFrames = 4096
  private let wakeUp: WakeUp

  /// A missing device with a nominal sample rate.
  package init(rate: SampleRate) throws(SystemError) {
    self.rate = rate
    wakeUp = try WakeUp()
  }

  package var strategy: BufferStrategy { .shallow(queue: 2048) }
  package func prepare() throws(PCMFault) { throw .lost }
  package func start() throws(PCMFault) { throw .lost }
  package func available() throws(PCMFault) -> Int { throw .lost }
  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int { throw .lost }
  package func rewind(_ frames: Int) -> Int { 0 }
  package func stop() {}
  package func reopen() -> Bool { false }
  package func now() -> UInt64 { MonotonicClock.now() }
  package func wait(_ nanoseconds: Int64?) { wakeUp.wait(nanoseconds) }
  package func wake() { wakeUp.signal() }
}
