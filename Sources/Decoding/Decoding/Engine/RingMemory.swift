// The engine's mapping of a ring. Created on the control thread; the audio thread reads it through
// `RingReader`.

import AudioRing
import Platform
import Synchronization

/// A mapped ring. Must be retained until the audio thread has released the deck.
package final class RingMemory: Sendable {
  /// Sizes and offsets in the ring.
  package let layout: RingLayout
  private let memory: SharedMemory
  /// Whether the worker writes integer samples.
  private let areIntegers = Atomic<Bool>(false)

  /// Address of the mapping, `layout.totalBytes` long.
  package var base: UnsafeMutableRawPointer { memory.base }

  init(layout: RingLayout, file: borrowing FileDescriptor) throws(SystemError) {
    self.layout = layout
    memory = try SharedMemory(mapping: file, size: layout.totalBytes)
    // A new file is all zero, which the reader would take for an end at index 0.
    atomic(RingLayout.endIndexOffset).pointee.store(RingLayout.noEnd, ordering: .releasing)
  }

  /// Sets the sample format, and faults in the memory that it uses before the audio thread reads.
  func adopt(_ samples: RingSamples) {
    areIntegers.store(samples.areIntegers, ordering: .relaxed)
    memory.makeResident(layout.usedBytes(samples))
  }

  /// The ring index up to which the worker claims to have written; untrusted. Any thread.
  package var writeIndex: UInt64 { atomic(RingLayout.writeIndexOffset).pointee.load(ordering: .acquiring) }

  /// The ring index of the end as set by the worker, `RingLayout.noEnd` if unset; untrusted. Any thread.
  package var endIndex: UInt64 { atomic(RingLayout.endIndexOffset).pointee.load(ordering: .acquiring) }

  /// Ends the track at the last written frame, unless the worker has set a valid end within the written
  /// frames. Call when no worker writes.
  ///
  /// - Parameter indexes: The valid end indexes of the track.
  /// - Returns: The ring index of the end.
  func seal(within indexes: ClosedRange<UInt64>) -> UInt64 {
    let end = endIndex
    let written = min(max(writeIndex, indexes.lowerBound), indexes.upperBound)
    if indexes.contains(end), end <= written { return end }
    atomic(RingLayout.endIndexOffset).pointee.store(written, ordering: .releasing)
    return written
  }

  /// The mixer's view of the ring. Get it after the worker has opened its file, because it includes the
  /// sample format.
  package var reader: RingReader {
    RingReader(
      layout: layout, base: base, samples: areIntegers.load(ordering: .relaxed) ? .integers : .floats)
  }

  private func atomic(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
