// What waits until a small file beside the checkpoint is read. Control thread; never waits.

import Checkpoints
import Console
import Platform

/// Opens such a file where the configuration says that it lies, and has actions wait until it is known what it holds.
final class KnownFile<Contents: KeptContents> {
  private let file: PersistentFile<Contents>
  /// What the name of the file has behind that of the checkpoint.
  private let ending: String
  private let configuration: ConfigurationStore
  private let waiting: KnownLater

  init(
    _ file: PersistentFile<Contents>, ending: String, _ configuration: ConfigurationStore,
    scheduler: any Scheduler, log: Log, onTimeout: @escaping () -> Void = {}
  ) {
    self.file = file
    self.ending = ending
    self.configuration = configuration
    waiting = KnownLater(scheduler)
    waiting.onTimeout = onTimeout
    file.onNote = { [log] in log.write(.error, $0) }
    file.onRead = { [waiting] in waiting.release() }
  }

  /// Reads the file, if there is one, as soon as the configuration says where that is.
  func open() {
    guard configuration.isRead else { return }
    guard let path = configuration.started.checkpointPath else { return waiting.release() }
    file.open(path + ending)
  }

  /// Whether the file is read, or nothing is kept.
  var isKnown: Bool { file.isRead || (configuration.isRead && configuration.started.checkpointPath == nil) }

  /// Does something when it is known what is kept, or when that has taken too long.
  func run(_ action: @escaping () -> Void) { waiting.run(isKnown: isKnown, action) }

  /// Nothing begins any more.
  func end() { waiting.end() }
}
