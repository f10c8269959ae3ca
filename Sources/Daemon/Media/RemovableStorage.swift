// Sticks and cards that come and go beneath one folder. Control thread; told by the kernel, never polling.

import PlaybackModel
import Platform

/// Notices mounts and unmounts beneath a folder.
final class RemovableStorage {
  /// What happened.
  enum Change: Equatable {
    case appeared(String)
    case removed(String)
  }

  /// The mount points that are there.
  private(set) var mounted: [String]
  private let folder: String
  private var watch: DescriptorWatch?
  private let table: any MountPoints

  /// Watches a folder until this goes; `react` is called for each change.
  init(
    folder: String, in table: any MountPoints, scheduler: any Scheduler, react: @escaping (Change) -> Void
  ) throws(SystemError) {
    self.folder = folder
    self.table = table
    mounted = table.points(beneath: folder)
    watch = try DescriptorWatch(scheduler, changing: table.descriptor) { [unowned(unsafe) self] in
      for change in look() { react(change) }
    }
  }

  /// Whether a track lies on storage that is not mounted now.
  func isAway(_ track: Track) -> Bool {
    track.lives(beneath: folder) && !mounted.contains { track.lives(beneath: $0) }
  }

  private func look() -> [Change] {
    let now = table.points(beneath: folder)
    var changes: [Change] = []
    for point in mounted where !now.contains(point) { changes.append(.removed(point)) }
    for point in now where !mounted.contains(point) { changes.append(.appeared(point)) }
    mounted = now
    return changes
  }
}
