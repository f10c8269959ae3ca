// One storage worker per media root, so that a root that hangs does not delay the others. Control thread.

import Decoding
import Platform

/// Runs storage requests, each on the worker of its media root.
final class RootReaders {
  private struct Entry {
    let root: String
    let reader: StorageReader
  }

  private let machine: any Machine
  private let onLook: (_ isOK: Bool, _ took: UInt64) -> Void
  private var entries: [Entry] = []
  /// Called when a request begins.
  var onBegin: () -> Void = {}

  /// Creates readers without workers.
  ///
  /// - Parameters:
  ///   - machine: Creates the workers.
  ///   - onLook: Called after each request with its success and duration in nanoseconds.
  init(on machine: any Machine, onLook: @escaping (_ isOK: Bool, _ took: UInt64) -> Void) {
    self.machine = machine
    self.onLook = onLook
  }

  /// Media roots with a request that has been pending for at least this many nanoseconds.
  func silent(for nanoseconds: UInt64) -> [String] {
    let now = machine.scheduler.now
    return entries.filter { $0.reader.runningSince.map { now &- $0 >= nanoseconds } ?? false }.map { $0.root }
  }

  /// Whether any request is pending.
  var isBusy: Bool { entries.contains { $0.reader.runningSince != nil } }

  /// Runs `work` on the worker of a media root, like `StorageReader.read`.
  ///
  /// - Parameters:
  ///   - root: The media root.
  ///   - work: Runs in the background.
  ///   - then: Receives the result; nil after a timeout or if too many requests or roots are pending.
  func read<Value: Sendable>(
    _ root: String, _ work: @escaping @Sendable () -> Value, then: @escaping (Value?) -> Void
  ) {
    guard let reader = reader(of: root) else { return then(nil) }
    reader.read(work, then: then)
    onBegin()
  }

  private func reader(of root: String) -> StorageReader? {
    if let entry = entries.first(where: { $0.root == root }) { return entry.reader }
    // Remove idle workers, which may belong to roots that are no longer configured.
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

  /// Drops pending requests without answering them.
  func end() {
    for entry in entries { entry.reader.end() }
  }
}
