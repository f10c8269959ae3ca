// The shared memory between one codec worker (writer) and the audio thread (reader): where things are in it.
// Both processes map it. The reader may believe nothing that the writer can change.

import PlaybackModel

/// Sizes and offsets of a ring: one header page, then interleaved stereo samples, in a form that the worker names before the
/// first is read (`RingSamples`). There is room for the larger one; pages that nobody touches take no memory.
///
/// A ring index counts frames ever written; frame `i` lies in slot `i & (capacity - 1)`. After a seek the
/// writer goes on at an index that the engine names, so one index never stands for two frames that the
/// reader could still want.
package struct RingLayout: Hashable, Sendable {
  /// Bytes before the first sample: one page, so that samples are page-aligned.
  package static var headerBytes: Int {
    @_noLocks @_noAllocation get { 4096 }
  }
  /// How long a frame stays in the ring after it was heard: what is rendered again begins with a saved state.
  package static var retention: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.15) }
  }
  /// The shortest stretch of sound that a ring has room for beside the retention: what lies in the device's
  /// buffer, and as much again, for the reader takes it in one step, and the worker has that long to bring it, also
  /// from a slow disk. With the retention it comes to 1 MB at 44.1 and 48 kHz, half of that for integers, and two decks have a
  /// ring each.
  package static var lead: Seconds {
    @_noLocks @_noAllocation get { Seconds(2.5) }
  }
  /// Header offsets of the 64-bit atomics, each on a cache line of its own.
  package static var writeIndexOffset: Int {
    @_noLocks @_noAllocation get { 0 }
  }
  /// The oldest index that the reader may still want; the writer keeps away from it and everything after.
  package static var retainIndexOffset: Int {
    @_noLocks @_noAllocation get { 64 }
  }
  /// One past the last frame of the track, or `noEnd`.
  package static var endIndexOffset: Int {
    @_noLocks @_noAllocation get { 128 }
  }
  /// The longest that the writer has waited for its storage since the reader's side looked, in nanoseconds.
  static var storageWaitOffset: Int {
    @_noLocks @_noAllocation get { 192 }
  }
  /// Since when it waits, on the monotonic clock; 0 while it does not.
  static var waitingSinceOffset: Int {
    @_noLocks @_noAllocation get { 200 }
  }
  /// Three words of a station's worker: a byte, its frame, and the pace.
  static var stationOffset: Int {
    @_noLocks @_noAllocation get { 256 }
  }
  /// Two words of the audio thread, for a live source's worker: a frame, and when it is heard.
  static var heardOffset: Int {
    @_noLocks @_noAllocation get { 320 }
  }
  /// Four words of a live source's worker: its delay, its clock's difference, what it has dropped, and how wrong its times are.
  static var liveOffset: Int {
    @_noLocks @_noAllocation get { 384 }
  }
  /// The end index of a track whose end is not decoded yet.
  package static var noEnd: UInt64 {
    @_noLocks @_noAllocation get { .max }
  }

  /// Frames that the ring holds, a power of two.
  package let capacity: Int

  /// The layout for an engine's rate: lead and retention, rounded up to a power of two.
  package init(rate: SampleRate) {
    let wanted = Double(rate.hertz) * (Self.lead.value + Self.retention.value)
    var capacity = 4096
    while Double(capacity) < wanted { capacity *= 2 }
    self.capacity = capacity
  }

  /// A layout of a given capacity, which must be a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
    self.capacity = capacity
  }

  /// Bytes of the whole mapping.
  package var totalBytes: Int { usedBytes(.floats) }

  /// Bytes from the mapping's first on that are ever touched.
  package func usedBytes(_ samples: RingSamples) -> Int { Self.headerBytes + capacity * samples.frameBytes }
}
