// Detects mounts and unmounts below a folder by notifications of the kernel. Control thread.

import Platform

/// Watches the mount table.
final class RemovableStorage {
  /// A mount or unmount.
  enum Change: Equatable {
    case appeared(String)
    case removed(String)
  }

  /// Current mount points below the folder.
  private(set) var mounted: [String]
  private let folder: String
  private var watch: DescriptorWatch?
  private let table: any MountPoints
  private let scheduler: any Scheduler
  private let react: (Change) -> Void
  /// Rate limit between reads of the table; changes during it are handled at its end.
  private let pause: DeadlineTimer
  /// Minimum interval between reads in nanoseconds, since other programs may mount and unmount continually.
  private static let pauseNanoseconds: UInt64 = 100_000_000

  /// Watches the mounts below a folder for as long as this object exists.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - table: The mount table.
  ///   - scheduler: The event loop.
  ///   - react: Called for each change.
  /// - Throws: `SystemError` if the table cannot be watched.
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
      // `react` may release this object.
      withExtendedLifetime(self) { for change in look() { react(change) } }
    }
  }

  /// Stops listening for `pauseNanoseconds`. A change during that time is signalled as soon as listening resumes.
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
