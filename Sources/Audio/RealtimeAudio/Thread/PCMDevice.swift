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

/// What came of an attempt to go on after the system slept.
package enum Resumption: Sendable {
  /// It plays on with what was queued.
  case playing
  /// It is not awake yet.
  case later
  /// It has to be prepared and filled again.
  case refused
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

  /// The longest chunk of a recording: what a turn costs beside its frames is not noticed, and what a listener asks for is not
  /// long in coming. Scripts and timers have their frames in any case.
  package static func longestChunk(at rate: SampleRate) -> Int { Int(rate.frames(Seconds(0.35)).count) }

  /// Frames that are kept queued at most.
  package var queue: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .deep(let queue, _), .shallow(let queue): queue
      case .offline(let chunk): chunk
      }
    }
  }

  /// Frames that are rendered before any of them is handed over, at most.
  var mostAtOnce: Int {
    @_noLocks @_noAllocation get {
      if case .offline(let chunk) = self { max(chunk, Mixer.longestQuantum) } else { Mixer.longestQuantum }
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
  /// Frames that it had taken from its queue and nobody had heard yet when it was last asked for what is available.
  var latency: Int { get }
  /// Whether it wakes the loop when it is back after a loss; others are asked from time to time.
  var announcesReturn: Bool { get }

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
  /// It does not take frames back as it should: from now on it is fed by a short queue, also when it was gone in between.
  func forgoRewinding()
  /// Goes on after the system slept.
  func resume() -> Resumption
  /// Stops at once and throws away what is queued.
  func stop()
  /// Asks for a lost device. True if it is there again, as it was; this never waits for it.
  func reopen() -> Bool

  /// Monotonic nanoseconds of the clock that `wait` goes by.
  func now() -> UInt64
  /// Returns after that many nanoseconds, or when woken; nil waits for being woken.
  func wait(_ nanoseconds: Int64?)
  /// Ends a `wait`, also one that is yet to begin. Any thread.
  func wake()
}

extension PCMDevice {
  package var latency: Int { 0 }
  package var announcesReturn: Bool { false }
  package func forgoRewinding() {}
  package func resume() -> Resumption { .refused }
}
