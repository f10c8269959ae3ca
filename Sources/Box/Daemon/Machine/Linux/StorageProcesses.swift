// The processes that have the box's own storage. Made and passed on by the control thread; asked by a background worker each.

import Checkpoints

/// A process for the configuration and one for what is remembered: the storage of the one must not keep the other waiting.
final class StorageProcesses {
  let configurationFiles: any FileStore
  let stateFiles: any FileStore
  let checkpoints: any CheckpointFiles
  private let configuration = StoreProcess()
  private let state = StoreProcess()

  init() {
    configurationFiles = StateFiles(configuration, followsLinks: true)
    stateFiles = StateFiles(state)
    checkpoints = ProcessCheckpointFiles(state)
  }

  /// The configuration has been read: its process goes on as that of what is remembered, so that a start waits for one process, and not
  /// for two.
  func passOn() { state.takeOver(configuration) }
}
