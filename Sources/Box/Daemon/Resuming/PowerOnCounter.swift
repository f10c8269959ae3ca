// Counts power-ons in a file next to the checkpoint, to reveal an unreliable power supply. Control thread; storage is
// accessed by a background worker.

import Checkpoints
import Platform

/// The number of power-ons.
final class PowerOnCounter {
  private let file: PersistentFile<PowerOns>
  private let known: KnownFile<PowerOns>

  init(
    _ configuration: ConfigurationStore, _ file: PersistentFile<PowerOns>, scheduler: any Scheduler, log: Log
  ) {
    self.file = file
    known = KnownFile(file, ending: ".power-ons", configuration, scheduler: scheduler, log: log)
  }

  /// Number of power-ons, including this one; nil until the file is loaded, or if nothing is persisted.
  var count: Int? { file.isRead ? file.contents.count : nil }

  /// Counts a power-on. Saved as soon as the file is loaded.
  func note() { file.change { $0.add() } }

  /// Loads the file next to the checkpoint, if there is one; no-op while the configuration is not loaded.
  func open() { known.open() }

  /// Saves the count and calls `then`, whether or not the write succeeded.
  func finish(_ then: @escaping () -> Void) {
    known.end()
    file.finish(then)
  }
}
