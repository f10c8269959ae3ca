// Tells everybody that the wall clock was set: by a person, or by the network some time after power-on. Control thread.

import Platform

/// Posts each change of the wall clock.
final class WallClockWatch {
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var watch: DescriptorWatch?

  init(_ machine: any Machine, feed: EventFeed, log: Log) {
    self.machine = machine
    self.feed = feed
    self.log = log
  }

  /// Begins to watch.
  func start() {
    do throws(SystemError) {
      let changes = try machine.watchWallClock()
      watch = try DescriptorWatch(machine.scheduler, readable: changes.descriptor) { [unowned(unsafe) self] in
        changes.clear()
        log.write(.info, "The wall clock was set.", isPublic: true)
        feed.post(.clockSet)
      }
    } catch {
      log.write(.warning, "Changes of the wall clock go unnoticed: \(error.description)")
    }
  }

  /// Watches no more.
  func stop() { watch = nil }
}
