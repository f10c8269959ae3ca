// Stands where a sound card should be: everything answers that it is gone. Audio thread, but for `wake`.

import PlaybackModel
import Platform
import RealtimeAudio

/// An output that is not there. Whoever made it looks for the real one.
public final class MissingDevice: PCMDevice, @unchecked Sendable {
  public let rate: SampleRate
  public let format = SampleFormat.s16
  public let channels = 2
  public let bufferFrames = 4096
  private let wakeUp: WakeUp

  /// Nothing, at a rate.
  public init(rate: SampleRate) throws(SystemError) {
    self.rate = rate
    wakeUp = try WakeUp()
  }

  public var strategy: BufferStrategy { .shallow(queue: 2048) }
  public func prepare() throws(PCMFault) { throw .lost }
  public func start() throws(PCMFault) { throw .lost }
  public func available() throws(PCMFault) -> Int { throw .lost }
  public func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int { throw .lost }
  public func rewind(_ frames: Int) -> Int { 0 }
  public func stop() {}
  public func reopen() -> Bool { false }
  public func now() -> UInt64 { MonotonicClock.now() }
  public func wait(_ nanoseconds: Int64?) { wakeUp.wait(nanoseconds) }
  public func wake() { wakeUp.signal() }
}
