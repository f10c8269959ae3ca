// The checkpoint is synced to storage when the box acknowledges it, as counted by the storage. Test threads.

import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime, .enabled(if: StallingStorage.isAvailable)) struct CheckpointSyncTests {
  @Test func eachCheckpointIsSynced() throws {
    let bench = try Workbench()
    let storage = try StallingStorage(bench)
    let box = try BoxRig(["set checkpoint.path \(storage.mountpoint)/checkpoint"], bench: bench)
    try box.tracks(1...1, seconds: 60)
    try box.tell("play 1.wav")
    try box.hears { $0.last?.track == 1 }
    for volume in [90, 80, 70] {
      try box.tell("volume \(volume)")
      let before = try storage.figures().syncs
      // The command responds after the sync.
      try box.tell("power-failing")
      #expect(try storage.figures().syncs > before)
    }
  }
}
