// Helper processes that access the daemon's files. Created by the control thread; each is used by one background
// worker.

import Checkpoints

/// One process for the configuration and one for the state files, so that slow storage of one does not delay the other.
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

  /// Makes the configuration's process serve the state files, so that only one process must be started at boot.
  func passOn() { state.takeOver(configuration) }
}
