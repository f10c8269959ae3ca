// What a worker is waited for, and when it counts as hung. Control thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

extension CodecWorker {
  /// Wakes the worker because its ring is being read (again). Call it whenever the deck starts or resumes: a
  /// worker whose ring was full and not read for some seconds sleeps until then.
  package func wake() {
    if !isOver { socket.send(EngineMessage.wake.bytes) }
  }

  /// Notes that the ring has run empty before the end. The worker has `timeoutNanoseconds` from now on to write more;
  /// otherwise it counts as hung.
  package func expectRefill(now: UInt64) {
    guard !isOver else { return }
    let index = ring.writeIndex
    switch watchdog.expected {
    case .open?, .seek?: return
    // Run dry again: what came in between begins the wait anew.
    case .refill? where index == refillIndex: break
    case .refill?, .progress?, nil:
      refillIndex = index
      watchdog.expect(.refill, now: now, used: child.processorTime ?? ProcessorTime())
    }
    socket.send(EngineMessage.refill.bytes)
  }

  /// Notes that the ring, which was full, runs low. A worker that writes nothing for `Watchdog.progressTimeout` counts as hung, unless
  /// storage or other processes hold it up: then the ring may run dry, and `expectRefill` decides.
  package func expectProgress(now: UInt64) {
    guard !isOver, watchdog.expected == nil else { return }
    refillIndex = ring.writeIndex
    watchdog.expect(.progress, now: now, used: child.processorTime ?? ProcessorTime())
    // It may sleep, and has nothing to do with what it is late for.
    wake()
  }

  /// Whether the worker waits for its storage. The kernel's word on it is not enough: who waits for FUSE or an automount may
  /// be interrupted, and looks like any sleeper. The worker's own word may be a lie, which costs no more than a longer wait.
  func waitsForStorage(now: UInt64) -> Bool {
    ring.reader.storageWaits.present(now: now) > 0 || child.waitsForStorage
  }

  func hang(_ operation: Watchdog.Operation, now: UInt64) -> WorkerFailure {
    if waitsForStorage(now: now) {
      if request.stream != nil { return WorkerFailure(.network, "Nothing comes from the network.") }
      return WorkerFailure(
        .unreadable,
        "The storage has not answered for \(watchdog.longestForStorage / 1_000_000_000) s; check it, its cable or its network."
      )
    }
    if operation == .progress {
      return WorkerFailure(
        .decoderHung, "The decoder made no progress while its buffer ran low, and was stopped.")
    }
    return WorkerFailure(
      .decoderHung,
      "The decoder made no progress in \(request.timeoutNanoseconds / 1_000_000_000) s of \(operation.rawValue) "
        + "and was stopped.")
  }
}
