// A reader for each root, so that storage that hangs holds up nobody who asks another. Control thread.

import Decoding
import Platform

/// Reads roots, each by a worker of its own.
final class RootReaders {
  private struct Entry {
    let root: String
    let reader: StorageReader
  }

  private let machine: any Machine
  private let onLook: (_ isOK: Bool, _ took: UInt64) -> Void
  private var entries: [Entry] = []
  /// Called when something is asked.
  var onBegin: () -> Void = {}

  /// `onLook` is told of each look: whether it came to an end, and how many nanoseconds it took.
  init(on machine: any Machine, onLook: @escaping (_ isOK: Bool, _ took: UInt64) -> Void) {
    self.machine = machine
    self.onLook = onLook
  }

  /// The roots that have been asked for so long and have not answered.
  func silent(for nanoseconds: UInt64) -> [String] {
    let now = machine.scheduler.now
    return entries.filter { $0.reader.runningSince.map { now &- $0 >= nanoseconds } ?? false }.map { $0.root }
  }

  /// Whether any is asked something now.
  var isBusy: Bool { entries.contains { $0.reader.runningSince != nil } }

  /// As `StorageReader.read`, of a root: nil where that takes too long, or too many wait, for this root or for others.
  func read<Value: Sendable>(
    _ root: String, _ work: @escaping @Sendable () -> Value, then: @escaping (Value?) -> Void
  ) {
    guard let reader = reader(of: root) else { return then(nil) }
    reader.read(work, then: then)
    onBegin()
  }

  private func reader(of root: String) -> StorageReader? {
    if let entry = entries.first(where: { $0.root == root }) { return entry.reader }
    // Roots that are none any more make room, once they have answered.
    if entries.count >= MediaRoots.limit {
      entries.removeAll { $0.reader.runningSince == nil }
      guard entries.count < MediaRoots.limit else { return nil }
    }
    guard let worker = try? machine.backgroundWorker() else { return nil }
    let reader = StorageReader(worker, scheduler: machine.scheduler)
    reader.onJob = onLook
    entries.append(Entry(root: root, reader: reader))
    return reader
  }

  /// Reads no more, and answers nobody.
  func end() {
    for entry in entries { entry.reader.end() }
  }
}
