// The receivers of all live sources of a simulated box: schedules their work. One thread.

/// All receivers of a box.
final class SimulatedReceivers {
  private struct Unowned {
    unowned(unsafe) let receiver: SimulatedReceiver
  }

  let scheduler: SimulatedScheduler
  let pool: RingPool
  let rate: Int
  let framesPerNanosecond: Double
  private var all: [Unowned] = []
  private var begun = 0

  init(_ scheduler: SimulatedScheduler, _ pool: RingPool, rate: Int, drift: Int) {
    (self.scheduler, self.pool, self.rate) = (scheduler, pool, rate)
    framesPerNanosecond = Double(rate) * (1 + Double(drift) / 1e6) / 1e9
  }

  /// Returns the number of a new receiver.
  func begin() -> Int {
    begun += 1
    return begun
  }

  func add(_ receiver: SimulatedReceiver) { all.append(Unowned(receiver: receiver)) }
  func remove(_ id: Int) { all.removeAll { $0.receiver.id == id } }

  /// When the first receiver has work, in nanoseconds; nil if none has.
  var due: UInt64? { all.compactMap { $0.receiver.due }.min() }

  /// Runs all work that is due.
  func work() {
    for entry in all { entry.receiver.work() }
  }

  /// The receivers, with the ring index up to which each has written.
  var written: [(id: Int, end: UInt64)] { all.map { ($0.receiver.id, $0.receiver.written) } }
}
