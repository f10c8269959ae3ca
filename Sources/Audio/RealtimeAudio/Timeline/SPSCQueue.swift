// A bounded queue between exactly one writing and one reading thread, without locks.
// The memory is allocated at start; pushing and popping may not lock or allocate (proved where the audio
// thread calls them: a generic function by itself cannot be).

import Synchronization

/// Fixed-size single-producer single-consumer queue (Lamport, 1983: indexes only ever grow).
/// Elements are plain values: what is left in the queue when it goes is not destroyed.
@usableFromInline package struct SPSCQueue<Element: Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)

  /// A queue for `capacity` elements, a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "capacity is a power of two")
    slots = .allocateResident(capacity: capacity)
    mask = capacity - 1
  }

  deinit { slots.deallocate() }

  /// Appends, on the producer's thread. False if the queue is full.
  @inlinable
  package borrowing func push(_ element: Element) -> Bool {
    let end = tail.load(ordering: .relaxed)
    guard end - head.load(ordering: .acquiring) <= mask else { return false }
    (slots + (end & mask)).initialize(to: element)
    tail.store(end + 1, ordering: .releasing)
    return true
  }

  /// Whether more than that many elements can be appended; producer's thread.
  @inlinable
  package borrowing func hasRoom(forMoreThan count: Int) -> Bool {
    tail.load(ordering: .relaxed) - head.load(ordering: .acquiring) + count <= mask
  }

  /// Takes the oldest element, on the consumer's thread. Nil if there is none.
  @inlinable
  package borrowing func pop() -> Element? {
    let start = head.load(ordering: .relaxed)
    guard start != tail.load(ordering: .acquiring) else { return nil }
    let element = slots[start & mask]
    head.store(start + 1, ordering: .releasing)
    return element
  }

  /// Whether there is nothing to pop.
  package var isEmpty: Bool {
    @inlinable get {
      head.load(ordering: .relaxed) == tail.load(ordering: .acquiring)
    }
  }
}
