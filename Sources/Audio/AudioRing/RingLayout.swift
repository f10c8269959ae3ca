// Layout of the shared memory between one codec worker (the writer) and the audio thread (the reader). Both processes
// map it; the reader treats all values that the writer can change as untrusted.

import PlaybackModel

/// Sizes and offsets of a ring: one header page, then interleaved stereo samples.
///
/// The worker chooses the sample format (`RingSamples`) before the first frame is read. The mapping is sized for
/// Float32; untouched pages use no memory.
///
/// A ring index counts all frames ever written; frame `i` is in slot `i & (capacity - 1)`. After a seek the writer
/// continues at an index that the engine chooses, so that two frames which the reader may still read never share an
/// index.
package struct RingLayout: Hashable, Sendable {
  /// Bytes before the first sample: one page, so that samples are page-aligned.
  package static var headerBytes: Int {
    @_noLocks @_noAllocation get { 4096 }
  }
  /// How long a frame stays in the ring after it was audible, because a rewind renders again from a saved mixer state.
  package static var retention: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.15) }
  }
  /// Minimum length of audio that a ring holds in addition to `retention`.
  ///
  /// It covers the device's buffer, which the reader takes in one step, plus the time that the worker has to decode the
  /// same amount again from slow storage. With the retention, a ring takes 1 MB at 44.1 and 48 kHz, or half of that
  /// with 16-bit integers. Each of the two decks has one ring.
  package static var lead: Seconds {
    @_noLocks @_noAllocation get { Seconds(2.5) }
  }
  /// Header offset of the write index. Each index is a 64-bit atomic on its own cache line.
  package static var writeIndexOffset: Int {
    @_noLocks @_noAllocation get { 0 }
  }
  /// Header offset of the oldest index that the reader may still read. The writer does not overwrite it or later
  /// frames.
  package static var retainIndexOffset: Int {
    @_noLocks @_noAllocation get { 64 }
  }
  /// Header offset of the index after the track's last frame, or `noEnd`.
  package static var endIndexOffset: Int {
    @_noLocks @_noAllocation get { 128 }
  }
  /// Header offset of the longest storage wait since the control thread last read it, in nanoseconds.
  static var storageWaitOffset: Int {
    @_noLocks @_noAllocation get { 192 }
  }
  /// Header offset of the start time of the present storage wait on the monotonic clock; 0 without a wait.
  static var waitingSinceOffset: Int {
    @_noLocks @_noAllocation get { 200 }
  }
  /// Header offset of three words of a radio worker: byte offset, frame position, and bytes per million frames.
  static var stationOffset: Int {
    @_noLocks @_noAllocation get { 256 }
  }
  /// Header offset of two words that the audio thread writes for a live input's worker: a frame and its audible time.
  static var heardOffset: Int {
    @_noLocks @_noAllocation get { 320 }
  }
  /// Header offset of a live input's four words: delay, clock correction, dropped frames and timing error.
  static var liveOffset: Int {
    @_noLocks @_noAllocation get { 384 }
  }
  /// The end index before the end of the track has been decoded.
  package static var noEnd: UInt64 {
    @_noLocks @_noAllocation get { .max }
  }

  /// Capacity in frames, a power of two.
  package let capacity: Int

  /// The layout for an engine's sample rate: `lead` and `retention`, rounded up to a power of two.
  package init(rate: SampleRate) {
    let wanted = Double(rate.hertz) * (Self.lead.value + Self.retention.value)
    var capacity = 4096
    while Double(capacity) < wanted { capacity *= 2 }
    self.capacity = capacity
  }

  /// A layout with a fixed capacity.
  ///
  /// - Parameter capacity: Frames; must be a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
    self.capacity = capacity
  }

  /// Size of the whole mapping in bytes.
  package var totalBytes: Int { usedBytes(.floats) }

  /// Bytes from the start of the mapping that a ring with this sample format uses.
  package func usedBytes(_ samples: RingSamples) -> Int { Self.headerBytes + capacity * samples.frameBytes }
}
