// What the audio loop asks of an output. The real sound card, a file, a clock without sound and the fakes
// of the tests all answer to it. Called on the audio thread only, but for `wake`.

import PlaybackModel

/// What a device answered instead of doing as it was told.
package enum PCMFault: Error, Equatable, Sendable {
  /// It ran dry (EPIPE).
  case underrun
  /// The system slept (ESTRPIPE).
  case suspended
  /// It is gone (ENODEV and its like).
  case lost
  /// Anything else: the error's number.
  case failed(Int32)
}

/// How far ahead the loop renders.
package enum BufferStrategy: Equatable, Sendable {
  /// A long queue that is taken back and rendered anew when a command arrives, up to `margin` frames ahead
  /// of what is being played.
  case deep(queue: Int, margin: Int)
  /// A short queue, for devices that cannot take anything back.
  case shallow(queue: Int)
  /// Whatever is rendered is taken at once: files.
  case offline(chunk: Int)

  /// Frames that are kept queued at most.
  package var queue: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .deep(let queue, _), .shallow(let queue): queue
      case .offline(let chunk): chunk
      }
    }
  }
}

/// An output for rendered frames.
package protocol PCMDevice: AnyObject, Sendable {
  /// What it takes; stays the same as long as it is open, and when it comes back.
  var rate: SampleRate { get }
  var format: SampleFormat { get }
  var channels: Int { get }
  /// How it wants to be fed, found out when it was opened.
  var strategy: BufferStrategy { get }
  /// Frames that it can hold.
  var bufferFrames: Int { get }

  /// Makes it ready to be filled, from whatever state it is in.
  func prepare() throws(PCMFault)
  /// Starts playing what was written.
  func start() throws(PCMFault)
  /// Frames that can be written now, as the hardware says at this moment.
  func available() throws(PCMFault) -> Int
  /// Takes up to `frames` frames; answers how many.
  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int
  /// Takes back up to `frames` of the frames written last; answers how many.
  func rewind(_ frames: Int) -> Int
  /// Stops at once and throws away what is queued.
  func stop()
  /// Tries to get a lost device back. True if it is there again, as it was.
  func reopen() -> Bool

  /// Monotonic nanoseconds of the clock that `wait` goes by.
  func now() -> UInt64
  /// Returns after that many nanoseconds, or when woken; nil waits for being woken.
  func wait(_ nanoseconds: Int64?)
  /// Ends a `wait`, also one that is yet to begin. Any thread.
  func wake()
}
