// Defers actions until a state file next to the checkpoint is loaded. Control thread; never blocks.

import Checkpoints
import Console
import Platform

/// Opens a state file once the configuration provides its path, and queues actions that need its contents.
final class KnownFile<Contents: KeptContents> {
  private let file: PersistentFile<Contents>
  /// Suffix of the file's name, appended to the checkpoint's.
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
    file.onRefused = { [waiting] in waiting.release() }
  }

  /// Loads the file, if there is one; no-op while the configuration is not loaded.
  func open() {
    guard configuration.isRead else { return }
    guard let path = configuration.started.checkpointPath else { return waiting.release() }
    file.open(path + ending)
  }

  /// Whether the file is loaded, or no file is configured.
  var isKnown: Bool { file.isRead || (configuration.isRead && configuration.started.checkpointPath == nil) }

  /// Why an action that needs the contents is refused after `run`; nil if they are known.
  var refusal: ConsoleError? {
    guard !isKnown else { return nil }
    let silent = "the \(Contents.noun)s are not loaded yet: the storage of the file does not respond"
    return ConsoleError(.failed, (file.unread ?? silent) + "; try again after correcting that")
  }

  /// Runs an action once the file is loaded, after a timeout, or when loading it again was refused.
  func run(_ action: @escaping () -> Void) {
    waiting.run(isKnown: isKnown, action)
    // A command is a reason to retry at once: the obstacle may be gone.
    if !isKnown, file.readFailure != nil { file.keep() }
  }

  /// Drops waiting actions.
  func end() { waiting.end() }
}
