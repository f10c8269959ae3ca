// Pending work of the simulated surroundings of a box, such as button edges and typed lines. One thread.

/// Actions to run at simulated times, in order. It outlives the box.
final class Agenda {
  private struct Entry {
    let time: UInt64
    let action: () -> Void
  }

  private var entries: [Entry] = []

  /// When the first action is due, in nanoseconds.
  var due: UInt64? { entries.first?.time }

  func add(at time: UInt64, _ action: @escaping () -> Void) {
    var place = entries.count
    while place > 0, entries[place - 1].time > time { place -= 1 }
    entries.insert(Entry(time: time, action: action), at: place)
  }

  /// Runs all actions that are due.
  func work(at now: UInt64) {
    while let first = entries.first, first.time <= now {
      entries.removeFirst()
      first.action()
    }
  }
}
