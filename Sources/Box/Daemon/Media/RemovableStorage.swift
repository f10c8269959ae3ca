// What is mounted and unmounted beneath one folder. Control thread; told by the kernel, never polling.

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
  private let scheduler: any Scheduler
  private let react: (Change) -> Void
  /// Runs after a look: what changes meanwhile is seen after it.
  private let pause: DeadlineTimer
  /// Nanoseconds between two looks at a table that other programs may change all the time.
  private static let pauseNanoseconds: UInt64 = 100_000_000

  /// Watches a folder until this goes; `react` is called for each change.
  init(
    folder: String, in table: any MountPoints, scheduler: any Scheduler, react: @escaping (Change) -> Void
  ) throws(SystemError) {
    self.folder = folder
    self.table = table
    self.scheduler = scheduler
    self.react = react
    pause = DeadlineTimer(scheduler)
    mounted = table.points(beneath: folder)
    try listen()
  }

  private func listen() throws(SystemError) {
    watch = try DescriptorWatch(scheduler, changing: table.descriptor) { [unowned(unsafe) self] in
      watch = nil
      rest()
      // What reacts may let this go.
      withExtendedLifetime(self) { for change in look() { react(change) } }
    }
  }

  /// Looks away for a moment. A change meanwhile is told of as soon as somebody listens again.
  private func rest() {
    pause.start(after: Self.pauseNanoseconds) { [unowned(unsafe) self] in
      do throws(SystemError) { try listen() } catch { rest() }
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
}
