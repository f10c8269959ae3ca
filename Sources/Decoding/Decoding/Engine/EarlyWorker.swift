// A worker started before the output is open, to learn the rate that the output should have. Control thread,
// at startup only.

import AudioRing
import CLinux
import Platform
import PlaybackModel

/// A worker that decodes at the file's own rate. It fills its ring while the engine opens the output, and a
/// player at that rate takes it over, so that startup needs one worker process instead of two.
package final class EarlyWorker {
  private let path: String
  private let worker: CodecWorker

  /// Starts the worker.
  ///
  /// - Parameter path: The file.
  /// - Throws: `internalError` if no process can be started.
  package init(_ path: String) throws(WorkerFailure) {
    self.path = path
    var request = WorkerRequest(path: path, rate: SampleRate(48_000))
    request.takesNativeRate = true
    worker = try CodecWorker(request, now: MonotonicClock.now())
  }

  /// Blocks until the worker has recognised the file: at most four seconds, or four times that on a busy
  /// system.
  ///
  /// - Returns: The worker with the file's format.
  /// - Throws: The worker's failure.
  package func opened() throws(WorkerFailure) -> OpenedWorker {
    while true {
      // Reads one message at a time, so that later messages stay queued for the player that takes the worker
      // over.
      for event in worker.takeEvents(now: MonotonicClock.now(), messages: 1) {
        switch event {
        case .opened(let info): return OpenedWorker(path: path, info: info, worker: worker)
        case .failed(let failure): throw failure
        default: break
        }
      }
      var entry = pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 100)
    }
  }
}

/// An early worker whose file was recognised. Drops its reference to the worker, with a ring of one megabyte,
/// when the worker is handed over or terminated.
package final class OpenedWorker {
  /// The path of the file.
  package let path: String
  /// The format of the file.
  package let info: StreamInfo
  private var worker: CodecWorker?

  init(path: String, info: StreamInfo, worker: CodecWorker) {
    self.path = path
    self.info = info
    self.worker = worker
  }

  /// Hands the worker over to a player, once.
  ///
  /// - Parameter rate: The player's rate.
  /// - Returns: Nil if the worker decodes to another rate or into a ring of another size, or was handed over
  ///   before.
  package func takeWorker(at rate: SampleRate) -> CodecWorker? {
    guard let worker, info.playableRate == rate, RingLayout(rate: rate) == worker.ring.layout else {
      return nil
    }
    self.worker = nil
    return worker
  }

  /// Kills the worker, unless it was handed over.
  package func terminate() {
    worker?.terminate()
    worker = nil
  }
}
