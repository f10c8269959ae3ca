// What the engine expects of a worker, and the failures for a worker that hangs. Control thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

extension CodecWorker {
  /// Wakes the worker. Call whenever the deck starts or resumes: a worker whose ring stays full and unread
  /// for some seconds sleeps until then.
  package func wake() {
    if !isOver { socket.send(EngineMessage.wake.bytes) }
  }

  /// Notes an underrun: the ring is empty before the end. The worker counts as hung if it writes nothing
  /// within `timeoutNanoseconds`.
  package func expectRefill(now: UInt64) {
    guard !isOver else { return }
    let index = ring.writeIndex
    switch watchdog.expected {
    case .open?, .seek?: return
    // A second underrun after new frames restarts the timeout.
    case .refill? where index == refillIndex: break
    case .refill?, .progress?, nil:
      refillIndex = index
      watchdog.expect(.refill, now: now, used: child.processorTime ?? ProcessorTime())
    }
    socket.send(EngineMessage.refill.bytes)
  }

  /// Notes that the ring, which was full, runs low. A worker that writes nothing for
  /// `Watchdog.progressTimeout` counts as hung.
  ///
  /// If storage or CPU load delays the worker, the ring may run dry instead, and `expectRefill` decides.
  package func expectProgress(now: UInt64) {
    guard !isOver, watchdog.expected == nil else { return }
    refillIndex = ring.writeIndex
    watchdog.expect(.progress, now: now, used: child.processorTime ?? ProcessorTime())
    // The worker may be asleep although its ring runs low.
    wake()
  }

  /// Whether the worker is blocked on its storage.
  ///
  /// The kernel's process state is not sufficient, because waits for FUSE and automounts are interruptible.
  /// The worker's own report is untrusted, but a false one only prolongs the timeout.
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
