// Background worker of a simulated box: runs its jobs on the simulation's thread after a simulated delay. One thread.

import Platform

/// Background thread of a simulated box.
final class SimulatedWorker: BackgroundWorker {
  private struct Job {
    let work: @Sendable () -> Void
    let then: (SystemError?) -> Void
  }

  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource
  private var watch: DescriptorWatch?
  private var jobs: [Job] = []
  /// When the first job will be done, in nanoseconds, unless the storage hangs.
  private var doneAt: UInt64 = 0
  private var done: [(SystemError?) -> Void] = []
  /// Jobs whose completion has not been delivered yet.
  var backlog: Int { jobs.count + done.count }

  init(_ outside: SimulatedBoxes) throws(SystemError) {
    self.outside = outside
    source = SimulatedSource(outside.scheduler)
    watch = try DescriptorWatch(outside.scheduler, readable: source.descriptor) { [unowned(unsafe) self] in
      withExtendedLifetime(self) { tell() }
    }
    outside.workers.append(SimulatedBoxes.Unowned(worker: self))
  }

  deinit { outside.workers.removeAll { $0.worker === self } }

  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    outside.willStore()
    jobs.append(Job(work: work, then: then))
    if jobs.count == 1 { begin() }
  }

  private func begin() { doneAt = outside.scheduler.now + outside.storageLatency() }

  /// When the next job finishes; nil if there is none or the storage hangs.
  var due: UInt64? { jobs.isEmpty || outside.storage.health == .hangs ? nil : doneAt }

  /// Finishes the jobs that are due.
  func work() {
    while let due, due <= outside.scheduler.now {
      finishFirst()
      source.signal()
    }
  }

  private func finishFirst() {
    let job = jobs.removeFirst()
    job.work()
    done.append(job.then)
    if !jobs.isEmpty { begin() }
  }

  private func tell() {
    source.clear()
    let finished = done
    done = []
    for then in finished { then(nil) }
  }

  func wait(within nanoseconds: UInt64) -> Bool {
    tell()
    while !jobs.isEmpty {
      guard outside.storage.health != .hangs else {
        outside.onControlStall(nanoseconds)
        return false
      }
      finishFirst()
      tell()
    }
    return true
  }

  /// Cuts the power, perhaps in the middle of the first job.
  func cutPower() {
    guard let job = jobs.first, outside.storage.random.oneIn(2) else { return }
    outside.storage.operationsLeft = outside.storage.random.within(0...4)
    job.work()
  }
}

/// Background worker that runs its jobs immediately; used for the configuration.
final class PromptWorker: BackgroundWorker {
  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    work()
    then(nil)
  }

  func wait(within nanoseconds: UInt64) -> Bool { true }
}
