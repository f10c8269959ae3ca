// Executes background work on a new thread for each item, one at a time, so that an idle daemon has no worker
// threads. Control thread only, except the work itself.

import Synchronization

/// A worker that starts a thread for each item of work. While storage hangs, only one thread waits for it.
package final class ThreadWorker: BackgroundWorker {
  /// The most items that may wait.
  package static let limit = 64

  private struct Job {
    let work: @Sendable () -> Void
    let then: (SystemError?) -> Void
  }

  private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }

  private struct Running {
    let thread: BackgroundThread
    let isDone: Flag
    let then: (SystemError?) -> Void
  }

  private let wakeUp: WakeUp
  private var watch: DescriptorWatch?
  private var waiting: [Job] = []
  private var running: Running?

  /// Creates a worker that reports completion on a scheduler's thread.
  ///
  /// - Throws: If the process has no descriptors left.
  package init(_ scheduler: any Scheduler) throws(SystemError) {
    wakeUp = try WakeUp()
    watch = try DescriptorWatch(scheduler, readable: wakeUp.descriptor) { [unowned(unsafe) self] in collect()
    }
  }

  deinit { running?.thread.abandon() }

  package func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    guard waiting.count < Self.limit else {
      return then(SystemError("background work", code: SystemError.tooMany))
    }
    waiting.append(Job(work: work, then: then))
    startNext()
  }

  package func wait(within nanoseconds: UInt64) -> Bool {
    let end = MonotonicClock.now() &+ nanoseconds
    collect()
    while running != nil {
      let now = MonotonicClock.now()
      guard now < end else { return false }
      wakeUp.wait(Int64(clamping: end - now))
      collect()
    }
    return true
  }

  private func startNext() {
    while running == nil, !waiting.isEmpty {
      let job = waiting.removeFirst()
      let (work, isDone, wakeUp) = (job.work, Flag(), wakeUp)
      do throws(SystemError) {
        let thread = try BackgroundThread {
          work()
          isDone.isSet.store(true, ordering: .releasing)
          wakeUp.signal()
        }
        running = Running(thread: thread, isDone: isDone, then: job.then)
      } catch {
        job.then(error)
      }
    }
  }

  private func collect() {
    wakeUp.clear()
    guard let done = running, done.isDone.isSet.load(ordering: .acquiring) else { return }
    done.thread.join()
    running = nil
    startNext()
    done.then(nil)
  }
}
