// Serializes storage requests on a background worker, with a timeout for each. Control thread, except for the requests'
// work.

import Platform

/// Runs requests on a background worker, and calls back on the control thread exactly once.
final class StorageReader {
  /// Nanoseconds after which a request times out.
  static let timeoutNanoseconds: UInt64 = 30_000_000_000
  /// Maximum number of waiting requests.
  static let maxCount = 16

  private final class Request {
    let work: @Sendable () -> Void
    let deadline: DeadlineTimer
    private var done: ((_ isInTime: Bool) -> Void)?

    init(
      _ work: @escaping @Sendable () -> Void, _ deadline: DeadlineTimer, _ done: @escaping (Bool) -> Void
    ) {
      self.work = work
      self.deadline = deadline
      self.done = done
    }

    /// Calls the completion handler, the first time only.
    func finish(isInTime: Bool) {
      deadline.stop()
      let done = done
      self.done = nil
      done?(isInTime)
    }
  }

  /// Result of a request. Written by the worker, read by the control thread after the job has finished.
  private final class Result<Value>: @unchecked Sendable { var value: Value? }

  /// Called after each request with its success and duration in nanoseconds.
  var onJob: (_ isOK: Bool, _ took: UInt64) -> Void = { _, _ in }

  private let scheduler: any Scheduler
  private let worker: any BackgroundWorker
  private var waiting: [Request] = []
  private var running: Request?
  /// Scheduler time since which a request has been pending; nil: none is.
  private(set) var runningSince: UInt64?
  private var isOver = false

  init(_ worker: any BackgroundWorker, scheduler: any Scheduler) {
    self.worker = worker
    self.scheduler = scheduler
  }

  /// Runs `work` in the background. Requests are run one at a time, so that a hanging storage gets no further ones.
  ///
  /// - Parameters:
  ///   - work: Runs on the background worker.
  ///   - then: Receives the result; nil after `timeoutNanoseconds` or if too many requests are waiting.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value?) -> Void
  ) {
    guard waiting.count < Self.maxCount, !isOver else { return then(nil) }
    let result = Result<Value>()
    let request = Request({ result.value = work() }, DeadlineTimer(scheduler)) { isInTime in
      then(isInTime ? result.value : nil)
    }
    request.deadline.start(after: Self.timeoutNanoseconds) {
      [unowned(unsafe) self, unowned(unsafe) request] in
      giveUp(request)
    }
    waiting.append(request)
    startNext()
  }

  /// Drops all requests without answering them.
  func end() {
    isOver = true
    for request in waiting { request.deadline.stop() }
    waiting = []
    running?.deadline.stop()
  }

  private func startNext() {
    guard running == nil, !waiting.isEmpty else { return }
    let request = waiting.removeFirst()
    running = request
    let begun = scheduler.now
    runningSince = begun
    worker.run(request.work) { [unowned(unsafe) self] refusal in
      guard !isOver else { return }
      running = nil
      runningSince = nil
      onJob(refusal == nil, scheduler.now - begun)
      request.finish(isInTime: refusal == nil)
      startNext()
    }
  }

  private func giveUp(_ request: Request) {
    request.finish(isInTime: false)
    waiting.removeAll { $0 === request }
  }
}
