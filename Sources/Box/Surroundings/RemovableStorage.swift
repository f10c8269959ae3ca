// Sticks and cards that come and go beneath one folder. Control thread; told by the kernel, never polling.

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
  private let table: MountTable
  private let events: EventLoop
  private var token: EventLoop.Token?

  /// Watches a folder; `react` is called for each change.
  init(folder: String, events: EventLoop, react: @escaping (Change) -> Void) throws(SystemError) {
    self.folder = folder
    self.events = events
    table = try MountTable()
    mounted = table.points(beneath: folder)
    token = try events.add(changing: table.descriptor) { [self] in
      for change in look() { react(change) }
    }
  }

  private func look() -> [Change] {
    let now = table.points(beneath: folder)
    var changes: [Change] = []
    for point in mounted where !now.contains(point) { changes.append(.removed(point)) }
    for point in now where !mounted.contains(point) { changes.append(.appeared(point)) }
    mounted = now
    return changes
  }

  /// Watches no more.
  func end() {
    if let token { events.remove(token) }
    token = nil
  }
}
