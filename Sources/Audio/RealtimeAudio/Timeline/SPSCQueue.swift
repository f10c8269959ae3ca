// A bounded lock-free queue between exactly one writing and one reading thread. Memory is allocated at start. Push and
// pop neither lock nor allocate; this is proved in the audio thread's callers, since a generic function cannot be
// annotated.

import Synchronization

/// Fixed-size single-producer single-consumer queue (Lamport, 1983: indexes only grow).
///
/// Elements are plain values: those left in the queue at deinit are not destroyed.
@usableFromInline package struct SPSCQueue<Element: Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)

  /// Creates a queue.
  ///
  /// - Parameter capacity: Maximum number of elements, a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "capacity is a power of two")
    slots = .allocateResident(capacity: capacity)
    mask = capacity - 1
  }

  deinit { slots.deallocate() }

  /// Appends an element. Producer thread.
  ///
  /// - Returns: False if the queue is full.
  @inlinable
  package borrowing func push(_ element: Element) -> Bool {
    let end = tail.load(ordering: .relaxed)
    guard end - head.load(ordering: .acquiring) <= mask else { return false }
    (slots + (end & mask)).initialize(to: element)
    tail.store(end + 1, ordering: .releasing)
    return true
  }

  /// Whether more than `count` elements can be appended. Producer thread.
  @inlinable
  package borrowing func hasRoom(forMoreThan count: Int) -> Bool {
    tail.load(ordering: .relaxed) - head.load(ordering: .acquiring) + count <= mask
  }

  /// Removes and returns the oldest element; nil if the queue is empty. Consumer thread.
  @inlinable
  package borrowing func pop() -> Element? {
    let start = head.load(ordering: .relaxed)
    guard start != tail.load(ordering: .acquiring) else { return nil }
    let element = slots[start & mask]
    head.store(start + 1, ordering: .releasing)
    return element
  }

  /// Whether the queue is empty.
  package var isEmpty: Bool {
    @inlinable get {
      head.load(ordering: .relaxed) == tail.load(ordering: .acquiring)
    }
  }
}
