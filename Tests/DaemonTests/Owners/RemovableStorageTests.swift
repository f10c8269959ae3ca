// The detection of sticks in isolation, from tables of mounts. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

/// A table of mounts that counts how often it is read.
private final class CountedMounts: MountPoints {
  private let source: SimulatedSource
  var points: [String] = []
  private(set) var reads = 0

  init(_ scheduler: SimulatedScheduler) { source = SimulatedSource(scheduler) }

  var descriptor: Int32 { source.descriptor }
  func tell() { source.signal() }

  func points(beneath folder: String) -> [String] {
    source.clear()
    reads += 1
    return points
  }
}

@Suite struct RemovableStorageTests {
  /// Under constant mounts of other programs a stick is still reported soon, and once.
  @Test func aStormOfMountsCostsLittle() throws {
    let clock = SimulatedScheduler()
    let table = CountedMounts(clock)
    var changes: [RemovableStorage.Change] = []
    let storage = try RemovableStorage(folder: "/media", in: table, scheduler: clock) { changes.append($0) }
    for number in 0..<2000 {
      table.tell()
      if number == 1000 { table.points = ["/media/stick"] }
      clock.run(seconds: 0.001)
    }
    #expect(table.reads > 5 && table.reads < 25, "\(table.reads) in two seconds")
    #expect(changes == [.appeared("/media/stick")])
    clock.run(seconds: 1)
    table.points = []
    table.tell()
    clock.run(seconds: 0.001)
    #expect(changes.last == .removed("/media/stick"), "at once, after a rest")
    withExtendedLifetime(storage) {}
  }
}
