// A ring's memory in the engine. Made on the control thread; the audio thread reads through `RingReader`.

import AudioRing
import Platform
import Synchronization

/// A mapped ring. Keep a reference until the audio thread has let go of the deck.
package final class RingMemory: Sendable {
  /// Sizes and offsets.
  package let layout: RingLayout
  private let memory: SharedMemory
  /// Whether the worker says that its samples are integers.
  private let areIntegers = Atomic<Bool>(false)

  /// The mapping's first byte, `layout.totalBytes` long.
  package var base: UnsafeMutableRawPointer { memory.base }

  init(layout: RingLayout, file: borrowing FileDescriptor) throws(SystemError) {
    self.layout = layout
    memory = try SharedMemory(mapping: file, size: layout.totalBytes)
    // Before any worker runs, the reader must not take zero for the track's end.
    atomic(RingLayout.endIndexOffset).pointee.store(RingLayout.noEnd, ordering: .releasing)
  }

  /// Takes a form of samples from the worker, and has all that is used for them in memory before the audio thread reads.
  func adopt(_ samples: RingSamples) {
    areIntegers.store(samples.areIntegers, ordering: .relaxed)
    memory.makeResident(layout.usedBytes(samples))
  }

  /// The ring index that the worker claims to have written up to; any number if it is hostile. Any thread.
  package var writeIndex: UInt64 { atomic(RingLayout.writeIndexOffset).pointee.load(ordering: .acquiring) }

  /// The ring index that the worker claims is the end, `RingLayout.noEnd` if it knows none yet. Any thread.
  package var endIndex: UInt64 { atomic(RingLayout.endIndexOffset).pointee.load(ordering: .acquiring) }

  /// Declares what is written to be the whole track, unless the worker has named an end before it went: one within what is
  /// written, for nobody writes what lies beyond. Call it when no worker writes any more.
  ///
  /// - Parameter indexes: Those that can be the end of a track; no other is believed.
  /// - Returns: The ring index of the end.
  func seal(within indexes: ClosedRange<UInt64>) -> UInt64 {
    let end = endIndex
    let written = min(max(writeIndex, indexes.lowerBound), indexes.upperBound)
    if indexes.contains(end), end <= written { return end }
    atomic(RingLayout.endIndexOffset).pointee.store(written, ordering: .releasing)
    return written
  }

  /// A reader's view, for the mixer: once the worker has opened what it reads.
  package var reader: RingReader {
    RingReader(
      layout: layout, base: base, samples: areIntegers.load(ordering: .relaxed) ? .integers : .floats)
  }

  private func atomic(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
