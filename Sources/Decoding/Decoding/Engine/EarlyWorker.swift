// A worker that is started before there is an output: its file says which rate the output shall have. Control
// thread, at start only.

import AudioRing
import CLinux
import Platform
import PlaybackModel

/// A worker at the file's own rate. It fills its ring while the engine opens the output; a player that runs at
/// that rate takes it over, so that a start needs one process and not a second one to learn the rate.
package final class EarlyWorker {
  private let path: String
  private let worker: CodecWorker

  /// Starts the worker on the file at a path.
  ///
  /// - Throws: `internalError` where no process starts.
  package init(_ path: String) throws(WorkerFailure) {
    self.path = path
    var request = WorkerRequest(path: path, rate: SampleRate(48_000))
    request.takesNativeRate = true
    worker = try CodecWorker(request, now: MonotonicClock.now())
  }

  /// Waits until the worker has found out what the file is: for the four seconds of its timeout, and four times that on a
  /// busy machine.
  ///
  /// - Throws: The worker's failure.
  package func opened() throws(WorkerFailure) -> OpenedWorker {
    while true {
      // No more than one message: what follows is for whoever takes the worker over.
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

/// An early worker that has said what its file is. Whoever holds this does not hold the worker any more once it was handed over or
/// ended: its ring is a megabyte.
package final class OpenedWorker {
  /// The file.
  package let path: String
  /// What it is.
  package let info: StreamInfo
  private var worker: CodecWorker?

  init(path: String, info: StreamInfo, worker: CodecWorker) {
    self.path = path
    self.info = info
    self.worker = worker
  }

  /// Hands the worker over, once, to a player at a rate; nil if it decodes to another one, or into a ring of another size.
  package func takeWorker(at rate: SampleRate) -> CodecWorker? {
    guard let worker, info.playableRate == rate, RingLayout(rate: rate) == worker.ring.layout else {
      return nil
    }
    self.worker = nil
    return worker
  }

  /// Ends the worker, where it was not handed over.
  package func terminate() {
    worker?.terminate()
    worker = nil
  }
}
