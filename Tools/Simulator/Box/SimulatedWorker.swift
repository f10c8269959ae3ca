// Work that waits for storage, done inline at a simulated moment. One thread.

import Platform

/// A background thread of a simulated box.
final class SimulatedWorker: BackgroundWorker {
  private struct Job {
    let work: @Sendable () -> Void
    let then: (SystemError?) -> Void
  }

  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource
  private var watch: DescriptorWatch?
  private var jobs: [Job] = []
  /// When the first job is done, if the storage answers.
  private var doneAt: UInt64 = 0
  private var done: [(SystemError?) -> Void] = []
  /// Jobs that it was given and has not told the end of.
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

  /// When it has finished something.
  var due: UInt64? { jobs.isEmpty || outside.storage.health == .hangs ? nil : doneAt }

  /// Finishes what is due.
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

  /// The power goes in the middle of what is being done.
  func cutPower() {
    guard let job = jobs.first, outside.storage.random.oneIn(2) else { return }
    outside.storage.operationsLeft = outside.storage.random.within(0...4)
    job.work()
  }
}

/// A background thread whose storage always answers at once: that of the configuration.
final class PromptWorker: BackgroundWorker {
  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    work()
    then(nil)
  }

  func wait(within nanoseconds: UInt64) -> Bool { true }
}
