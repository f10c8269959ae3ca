// The sandboxed worker of a live source as the player's receiver. Control thread.

import AudioRing
import Decoding
import PlaybackModel
import Platform
import Player

/// Watches a live worker, and gives its events the player's words.
package final class LiveWorkerReceiver: LiveReceiver {
  package var onEvents: () -> Void = {}
  private let worker: LiveWorker
  /// Ends before the worker's descriptors are closed.
  private var watch: DescriptorWatch?

  /// Starts a source's processes.
  package init(
    _ source: LiveSource, rate: SampleRate, on scheduler: any Scheduler
  ) throws(SystemError) {
    worker = try LiveWorker(source, rate: rate)
    watch = try DescriptorWatch(scheduler, readable: worker.descriptor) { [unowned(unsafe) self] in
      onEvents()
    }
  }

  deinit { watch = nil }

  package var ring: RingReader { worker.ring.reader }
  package var figures: LiveFigures.Values { worker.figures }

  package func takeEvents() -> [LiveEvent] {
    worker.takeEvents().map {
      switch $0 {
      case .ready(let index): .ready(index: index)
      case .silent: .silent
      case .failed(let reason): .failed(reason)
      }
    }
  }

  package func dismiss() { worker.dismiss() }
  package func listen() { worker.listen() }

  package func terminate() {
    watch = nil
    worker.terminate()
  }
}
