// The stack of an audio thread is resident before it is used. Test threads.
import Foundation
import Synchronization
import Testing

@testable import Platform

@Suite struct RealtimeThreadTests {
  private static var faults: Int {
    var usage = rusage()
    // RUSAGE_THREAD.
    getrusage(1, &usage)
    return usage.ru_minflt + usage.ru_majflt
  }

  /// Recurses until the stack has reached an address. Returns the depth.
  @inline(never) private static func dig(to lowest: UInt) -> Int {
    var depth = 1
    let here = withUnsafeMutablePointer(to: &depth) { UInt(bitPattern: $0) }
    if here > lowest { depth += dig(to: lowest) }
    return depth
  }

  @Test func noPageOfItsStackIsMissing() throws {
    let faulted = Atomic<Int>(-1)
    let calls = Atomic<Int>(0)
    let thread = try RealtimeThread(priority: 1, locksMemory: false) {
      var here = 0
      let top = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
      _ = Self.dig(to: top)
      let before = Self.faults
      let depth = Self.dig(to: top - UInt(RealtimeThread.touchedBytes * 7 / 8))
      faulted.store(Self.faults - before, ordering: .relaxed)
      calls.store(depth, ordering: .relaxed)
    }
    thread.join()
    #expect(faulted.load(ordering: .relaxed) == 0 && calls.load(ordering: .relaxed) > 10)
  }
}
