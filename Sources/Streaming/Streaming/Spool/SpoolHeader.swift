// The atomic fields of a spool's header. Mapped by the fetcher, the worker and the engine; each treats the
// other's values as untrusted.

import Synchronization

/// Accessors for the header at the beginning of a spool.
struct SpoolHeader {
  private let base: UnsafeMutableRawPointer

  /// Creates a view. The mapping must outlive it.
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
  /// The offset of a station's reconnect in one of the slots. Set before any byte from there on is written.
  func seam(_ slot: Int) -> Int64 {
    word(SpoolLayout.seamOffset + slot * 8).pointee.load(ordering: .acquiring)
  }
  func setSeam(_ slot: Int, _ offset: Int64) {
    word(SpoolLayout.seamOffset + slot * 8).pointee.store(offset, ordering: .releasing)
  }
  /// When a station began to lag behind live, and the end of its bytes then; nil while it is live.
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
  /// Invalid values read as `failed`.
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
