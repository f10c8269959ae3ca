// The published words of a spool. Mapped by fetcher and worker, one thread each; nothing in it is believed by the other side.

import Synchronization

/// A spool's header at the beginning of a mapping.
struct SpoolHeader {
  private let base: UnsafeMutableRawPointer

  /// The mapping outlives this value.
  init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
    (base + offset).assumingMemoryBound(to: Atomic<Int64>.self)
  }

  var start: Int64 {
    get { word(SpoolLayout.startOffset).pointee.load(ordering: .acquiring) }
    nonmutating set { word(SpoolLayout.startOffset).pointee.store(newValue, ordering: .releasing) }
  }
  var end: Int64 {
    get { word(SpoolLayout.endOffset).pointee.load(ordering: .acquiring) }
    nonmutating set { word(SpoolLayout.endOffset).pointee.store(newValue, ordering: .releasing) }
  }
  var length: Int64 {
    get { word(SpoolLayout.lengthOffset).pointee.load(ordering: .acquiring) }
    nonmutating set { word(SpoolLayout.lengthOffset).pointee.store(newValue, ordering: .releasing) }
  }
  var isSeekable: Bool {
    get { word(SpoolLayout.seekableOffset).pointee.load(ordering: .acquiring) == 1 }
    nonmutating set { word(SpoolLayout.seekableOffset).pointee.store(newValue ? 1 : 0, ordering: .releasing) }
  }
  var kind: SpoolKind {
    get { SpoolKind(rawValue: word(SpoolLayout.kindOffset).pointee.load(ordering: .acquiring)) }
    nonmutating set { word(SpoolLayout.kindOffset).pointee.store(newValue.rawValue, ordering: .releasing) }
  }
  /// A byte at which a station's connection began anew. The writer sets it before any byte from there on is there.
  func seam(_ slot: Int) -> Int64 {
    word(SpoolLayout.seamOffset + slot * 8).pointee.load(ordering: .acquiring)
  }
  func setSeam(_ slot: Int, _ offset: Int64) {
    word(SpoolLayout.seamOffset + slot * 8).pointee.store(offset, ordering: .releasing)
  }
  /// Since when a station lags behind itself, and where its bytes ended then; nil while it does not.
  var lag: (since: UInt64, end: Int64)? {
    get {
      let since = word(SpoolLayout.lagSinceOffset).pointee.load(ordering: .acquiring)
      let end = word(SpoolLayout.lagEndOffset).pointee.load(ordering: .acquiring)
      return since > 0 ? (UInt64(since), end) : nil
    }
    nonmutating set {
      word(SpoolLayout.lagEndOffset).pointee.store(newValue?.end ?? 0, ordering: .releasing)
      word(SpoolLayout.lagSinceOffset).pointee.store(
        Int64(clamping: newValue?.since ?? 0), ordering: .releasing)
    }
  }
  /// What is none counts as failed.
  var phase: SpoolPhase {
    get {
      let value = word(SpoolLayout.phaseOffset).pointee.load(ordering: .acquiring)
      return SpoolPhase(rawValue: UInt64(bitPattern: value)) ?? .failed
    }
    nonmutating set {
      word(SpoolLayout.phaseOffset).pointee.store(Int64(bitPattern: newValue.rawValue), ordering: .releasing)
    }
  }
}
