// The interface between the audio loop and an output: a sound card, a file, a null output, or a test fake. Called on
// the audio thread only, except `wake`.

import PlaybackModel

/// A fault of a device.
package enum PCMFault: Error, Equatable, Sendable {
  /// Underrun (EPIPE).
  case underrun
  /// The system was suspended (ESTRPIPE).
  case suspended
  /// The device is gone (such as ENODEV).
  case lost
  /// Another error number.
  case failed(Int32)
}

/// Result of an attempt to resume after a suspend.
package enum Resumption: Sendable {
  /// Playback continues with the queued frames.
  case playing
  /// The device is not awake yet.
  case later
  /// The device must be prepared and filled again.
  case refused
}

/// How far ahead the loop renders.
package enum BufferStrategy: Equatable, Sendable {
  /// A long queue that is rewound when a command arrives and rendered again, from `margin` frames after the playing
  /// position.
  case deep(queue: Int, margin: Int)
  /// A short queue, for devices that cannot rewind.
  case shallow(queue: Int)
  /// For files: rendered frames are written at once.
  case offline(chunk: Int)

  /// Length of a recording's chunk in frames: long enough to amortise a turn, short enough to react to interactive
  /// commands. Scripts and timers are exact to the frame in any case.
  package static func longestChunk(at rate: SampleRate) -> Int { Int(rate.frames(Seconds(0.35)).count) }

  /// Maximum number of queued frames.
  package var queue: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .deep(let queue, _), .shallow(let queue): queue
      case .offline(let chunk): chunk
      }
    }
  }

  /// Maximum number of frames rendered before a write.
  var mostAtOnce: Int {
    @_noLocks @_noAllocation get {
      if case .offline(let chunk) = self { max(chunk, Mixer.longestQuantum) } else { Mixer.longestQuantum }
    }
  }
}

/// An output for rendered frames.
package protocol PCMDevice: AnyObject, Sendable {
  /// Sample rate; like format and channels it is constant, also across a reopen.
  var rate: SampleRate { get }
  var format: SampleFormat { get }
  var channels: Int { get }
  /// Preferred buffer strategy, determined when the device was opened.
  var strategy: BufferStrategy { get }
  /// Size of its buffer in frames.
  var bufferFrames: Int { get }
  /// Frames consumed from the queue and not audible yet, at the last call of `available`.
  var latency: Int { get }
  /// Whether it wakes the loop when a lost device is back; otherwise `reopen` is called periodically.
  var announcesReturn: Bool { get }

  /// Prepares it to be filled, from any state.
  func prepare() throws(PCMFault)
  /// Starts playing the written frames.
  func start() throws(PCMFault)
  /// Free space in frames, as the hardware reports it now.
  func available() throws(PCMFault) -> Int
  /// Writes up to `frames` frames.
  ///
  /// - Returns: Frames written.
  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int
  /// Rewinds up to `frames` of the frames written last.
  ///
  /// - Returns: Frames rewound.
  func rewind(_ frames: Int) -> Int
  /// Switches to a short queue, because rewinding has failed; this also holds after a reopen.
  func forgoRewinding()
  /// Resumes after the system was suspended.
  func resume() -> Resumption
  /// Stops at once and drops the queue.
  func stop()
  /// Tries to reopen a lost device, without blocking.
  ///
  /// - Returns: Whether it is open again with the same parameters.
  func reopen() -> Bool

  /// The clock of `wait`, in monotonic nanoseconds.
  func now() -> UInt64
  /// Blocks for a number of nanoseconds or until `wake`; nil means without a timeout.
  func wait(_ nanoseconds: Int64?)
  /// Ends the present `wait`, or the next one. Any thread.
  func wake()
}

extension PCMDevice {
  package var latency: Int { 0 }
  package var announcesReturn: Bool { false }
  package func forgoRewinding() {}
  package func resume() -> Resumption { .refused }
}
