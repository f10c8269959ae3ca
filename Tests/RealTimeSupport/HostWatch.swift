// Measures how long the host kept this process and its children from running. Has its own threads; read on
// test threads.

import Foundation
import Synchronization

/// Measures CPU time withheld by the host, by two signs: late wakeups of a sleeping thread on each CPU, and
/// runnable threads that wait for a CPU (second number in `/proc/PID/schedstat`; Linux,
/// Documentation/scheduler/sched-stats).
package final class HostWatch: Sendable {
  /// The instance of this process. Its threads start on first use.
  package static let shared = HostWatch()

  /// Nanoseconds between two wakeups of a watching thread.
  private static let period: UInt64 = 10_000_000
  /// Shorter delays are usual on an idle host.
  private static let minLateness: UInt64 = 3_000_000
  /// Maximum number of watched CPUs.
  private static let maxWatched = 16
  /// Maximum number of recorded late wakeups.
  private static let maxKept = 4096

  /// A starting point for a measurement.
  package struct Mark: Sendable {
    let time: UInt64
    /// Nanoseconds that each thread had waited for a CPU.
    let waits: [Int32: UInt64]
  }

  /// CPU time withheld since a mark.
  package struct Withheld: Sendable, CustomStringConvertible {
    /// Nanoseconds since the mark.
    package let elapsed: UInt64
    /// The longest delay of a wakeup, in nanoseconds.
    package let longestDelay: UInt64
    /// The maximum time in nanoseconds that a thread of this process or its descendants was runnable without
    /// running.
    package let maxWait: UInt64

    /// Whether real-time results are void: a delay beyond the margin, or a thread that waited for 50 ms or 3
    /// % of the time.
    ///
    /// - Parameter margin: Nanoseconds of delay that the test tolerates.
    package func isStarved(margin: UInt64) -> Bool {
      longestDelay > margin || maxWait > max(50_000_000, elapsed / 100 * 3)
    }

    package var description: String {
      "wake-ups up to \(longestDelay / 1_000_000) ms late, a thread waited \(maxWait / 1_000_000) ms of "
        + "\(elapsed / 1_000_000) ms for a processor"
    }
  }

  private let delays = Mutex<[(time: UInt64, delay: UInt64)]>([])

  private init() {
    // A hypervisor may withhold one CPU while another one runs, so each is watched.
    for processor in 0..<min(ProcessInfo.processInfo.activeProcessorCount, Self.maxWatched) {
      Thread.detachNewThread { [self] in
        Self.stay(on: processor)
        watch()
      }
    }
  }

  /// Binds the calling thread to a CPU. If that is refused, it runs on any.
  private static func stay(on processor: Int) {
    typealias Function = @convention(c) (pid_t, Int, UnsafeRawPointer) -> Int32
    // The Glibc module lacks the functions of _GNU_SOURCE.
    guard let symbol = dlsym(nil, "sched_setaffinity") else { return }
    var mask = UInt64(1) << UInt64(processor)
    _ = unsafeBitCast(symbol, to: Function.self)(0, MemoryLayout<UInt64>.size, &mask)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private func watch() {
    var due = Self.now() + Self.period
    while true {
      var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) != 0 {}
      let woken = Self.now()
      if woken - due > Self.minLateness {
        delays.withLock {
          if $0.count == Self.maxKept { $0.removeFirst(Self.maxKept / 2) }
          $0.append((woken, woken - due))
        }
      }
      due = woken + Self.period
    }
  }

  /// Starts a measurement.
  package func mark() -> Mark {
    Mark(
      time: Self.now(),
      waits: Self.threads().reduce(into: [:]) { $0[$1.identifier] = $1.wait })
  }

  /// CPU time withheld since `mark` from this process and its descendants that still run.
  package func withheld(since mark: Mark) -> Withheld {
    let longestDelay = delays.withLock { $0.lazy.filter { $0.time > mark.time }.map(\.delay).max() ?? 0 }
    let waits = Self.threads().map { thread in
      let before = mark.waits[thread.identifier] ?? 0
      return thread.wait > before ? thread.wait - before : 0
    }
    return Withheld(
      elapsed: Self.now() - mark.time, longestDelay: longestDelay, maxWait: waits.max() ?? 0)
  }

  /// The threads of this process and its descendants, with the nanoseconds that each has waited for a CPU.
  private static func threads() -> [(identifier: Int32, wait: UInt64)] {
    var found: [(identifier: Int32, wait: UInt64)] = []
    var processes = [getpid()]
    while let process = processes.popLast() {
      let folder = "/proc/\(process)/task"
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        guard let identifier = Int32(name) else { continue }
        if let wait = words(of: "\(folder)/\(name)/schedstat").dropFirst().first {
          found.append((identifier, wait))
        }
        processes += words(of: "\(folder)/\(name)/children").map { Int32(clamping: $0) }
      }
    }
    return found
  }

  private static func words(of path: String) -> [UInt64] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
  }
}
