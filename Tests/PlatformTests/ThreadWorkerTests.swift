// Background work on threads. Test threads.

import Foundation
import Platform
import Synchronization
import RealTimeSupport
import Testing

private final class Counter: Sendable {
  let count = Atomic<Int>(0)
  func add() { count.add(1, ordering: .sequentiallyConsistent) }
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
}

@Suite(.realTime) struct ThreadWorkerTests {
  @Test func workIsDoneInOrderAndToldOnTheSchedulersThread() throws {
    let loop = try EventLoop()
    let worker = try ThreadWorker(loop)
    let done = Counter()
    var told: [Int] = []
    for number in 1...20 {
      worker.run({ done.add() }) { refusal in
        #expect(refusal == nil && done.value >= number)
        told.append(number)
      }
    }
    #expect(told.isEmpty)
    while told.count < 20 { loop.turn(waits: true) }
    #expect(told == Array(1...20) && done.value == 20)
  }

  @Test func oneThatHangsHoldsUpTheNextAndIsWaitedForOnlySoLong() throws {
    let worker = try ThreadWorker(try EventLoop())
    let gate = DispatchSemaphore(value: 0)
    let done = Counter()
    worker.run({ gate.wait() }) { _ in }
    worker.run({ done.add() }) { _ in }
    #expect(!worker.wait(within: 20_000_000))
    #expect(done.value == 0)
    gate.signal()
    #expect(worker.wait(within: 60_000_000_000))
    #expect(done.value == 1)
  }

  @Test func waitingIncludesWhatFollows() throws {
    let worker = try ThreadWorker(try EventLoop())
    let done = Counter()
    worker.run({ done.add() }) { _ in worker.run({ done.add() }) { _ in done.add() } }
    #expect(worker.wait(within: 60_000_000_000))
    #expect(done.value == 3)
  }

  @Test func thereIsALimit() throws {
    let worker = try ThreadWorker(try EventLoop())
    let gate = DispatchSemaphore(value: 0)
    var refused = 0
    for _ in 0..<(ThreadWorker.limit + 3) {
      worker.run({ gate.wait() }) { refusal in if refusal != nil { refused += 1 } }
    }
    #expect(refused == 2, "one is at work")
    for _ in 0..<(ThreadWorker.limit + 3) { gate.signal() }
    #expect(worker.wait(within: 60_000_000_000))
  }

  @Test func aWorkerThatGoesTellsNothing() throws {
    let loop = try EventLoop()
    let gate = DispatchSemaphore(value: 0)
    let done = Counter()
    var told = 0
    var worker: ThreadWorker? = try ThreadWorker(loop)
    worker?.run({
      gate.wait(); done.add()
    }) { _ in told += 1 }
    worker?.run({ done.add() }) { _ in told += 1 }
    worker = nil
    gate.signal()
    while done.value == 0 { usleep(1000) }
    loop.turn(waits: false)
    #expect(told == 0 && done.value == 1)
  }
}
