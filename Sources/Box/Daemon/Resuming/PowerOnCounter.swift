// How often the box was switched on, kept beside the checkpoint: a box that counts more than its people do loses its power. Control
// thread; the storage is waited for in the background.

import Checkpoints
import Platform

/// Counts power-ons, and knows how many there were.
final class PowerOnCounter {
  private let file: PersistentFile<PowerOns>
  private let known: KnownFile<PowerOns>

  init(
    _ configuration: ConfigurationStore, _ file: PersistentFile<PowerOns>, scheduler: any Scheduler, log: Log
  ) {
    self.file = file
    known = KnownFile(file, ending: ".power-ons", configuration, scheduler: scheduler, log: log)
  }

  /// How often, this time included; nil while that is not known, and where nothing is kept.
  var count: Int? { file.isRead ? file.contents.count : nil }

  /// The box was switched on. Written as soon as the file was read.
  func note() { file.change { $0.add() } }

  /// Reads the file beside the checkpoint, if there is one, as soon as the configuration says where that is.
  func open() { known.open() }

  /// Calls `then` when it is written, or could not be.
  func finish(_ then: @escaping () -> Void) {
    known.end()
    file.finish(then)
  }
}
