// Looking into folders and playlists on storage that may be slow, or hang: one request after another.
// Control thread, but for the requests' work.

import Platform

/// Has a background worker look, and answers on the control thread, one way or the other.
final class StorageReader {
  /// Nanoseconds within which somebody who waits is answered.
  static let timeoutNanoseconds: UInt64 = 30_000_000_000
  /// Requests that may wait at once.
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

    /// Answers once.
    func finish(isInTime: Bool) {
      deadline.stop()
      let done = done
      self.done = nil
      done?(isInTime)
    }
  }

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result<Value>: @unchecked Sendable { var value: Value? }

  /// Told of each look that is done: how long it took, and whether it came to an end.
  var onJob: (_ isOK: Bool, _ took: UInt64) -> Void = { _, _ in }

  private let scheduler: any Scheduler
  private let worker: any BackgroundWorker
  private var waiting: [Request] = []
  private var running: Request?
  /// Since when the storage is asked what it has not answered yet.
  private(set) var runningSince: UInt64?
  private var isOver = false

  init(_ worker: any BackgroundWorker, scheduler: any Scheduler) {
    self.worker = worker
    self.scheduler = scheduler
  }

  /// Has `work` done in the background and calls `then` with its result: nil if that takes too long, or too many
  /// wait. Storage that hangs is not touched again before it has answered.
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

  /// Reads no more, and answers nobody.
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
