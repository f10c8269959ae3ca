// Connects a live input's worker process to the player's receiver interface. Control thread.

import AudioRing
import Decoding
import PlaybackModel
import Platform
import Player

/// Watches a live worker and translates its events for the player.
package final class LiveWorkerReceiver: LiveReceiver {
  package var onEvents: () -> Void = {}
  private let worker: LiveWorker
  /// Must end before the worker's descriptors are closed.
  private var watch: DescriptorWatch?

  /// Starts the processes of a live input.
  ///
  /// - Parameters:
  ///   - source: Configuration of the live input.
  ///   - rate: The engine's sample rate.
  ///   - scheduler: Event loop for the worker's descriptor.
  /// - Throws: `SystemError` if a process cannot be started.
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
