// Media index: schedules updates in the background and carries out `library` queries, by child processes. Control
// thread; never blocks.

import Console
import Decoding
import Library
import PlaybackModel
import Platform
import Player

/// Keeps the media index up to date and queries it.
final class LibraryController: StatusSource {
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let storage: RemovableStorageController
  private let index: (any MusicIndex)?
  private let machine: any Machine
  private let log: Log
  private let feed: EventFeed
  /// Background workers; nil until the index is first used.
  private var workers: Workers?
  private let timer: DeadlineTimer
  private var isOpen = false
  /// Pending updates, in order.
  private var due: [Update] = []
  private var running: (update: Update, cancellation: Cancellation)?
  private var subscription: EventSubscription?

  private struct Workers {
    /// Runs queries one after the other.
    let asker: StorageReader
    let filler: any BackgroundWorker

    init(on machine: any Machine) throws(SystemError) {
      asker = StorageReader(try machine.backgroundWorker(), scheduler: machine.scheduler)
      filler = try machine.backgroundWorker()
    }
  }

  private struct Update: Hashable {
    let root: String
    /// Whether to rebuild the index from scratch.
    let isAfresh: Bool
  }

  /// Maximum number of pending updates.
  private static let maxDue = 2 * MediaRoots.limit
  /// Maximum size of a query's arguments in bytes; Linux may limit the arguments of a process to 128 KiB.
  private static let maxWordBytes = 64 << 10
  /// Nanoseconds from start to the first update, which must not delay playback.
  private static let startDelay: UInt64 = 20_000_000_000
  /// Nanoseconds until an update that failed is retried.
  private static let retryDelay: UInt64 = 600_000_000_000

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ storage: RemovableStorageController,
    on machine: any Machine, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.storage = storage
    index = machine.library
    self.machine = machine
    self.log = log
    self.feed = feed
    timer = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting(.libraryEnabled?, _), .setting(.mediaRoot?, _), .setting(nil, _): adopt()
      case .storage(let path, isThere: true): if isWanted { begin([path]) }
      default: break
      }
    }
  }

  /// Schedules the first update; call when the daemon is up.
  func open() {
    isOpen = true
    timer.start(after: Self.startDelay) { [unowned(unsafe) self] in adopt() }
  }

  /// Cancels updates, and drops pending queries without answering them.
  func end() {
    isOpen = false
    stop()
    workers?.asker.end()
  }

  var statusFields: [Field] {
    (statusText.map { [Field("library", $0)] } ?? [])
      + (running == nil ? [] : [Field("library-updating", true)])
  }

  /// Text for `status`; nil if the index is disabled.
  private var statusText: String? {
    guard configuration.settings.isLibraryEnabled else { return nil }
    guard file != nil, index != nil else { return "none: there is nowhere to keep it" }
    return running.map { "is being brought up to date with " + $0.update.root } ?? "up to date"
  }

  private var file: String? {
    configuration.started.checkpointPath.map { Directory.path(of: "library", in: AtomicFile.folder(of: $0)) }
  }

  private var isWanted: Bool {
    isOpen && configuration.settings.isLibraryEnabled && index != nil && file != nil
  }

  private var roots: [String] { configuration.settings.mediaRoots + storage.mounted }

  private func adopt() {
    guard isWanted else { return stop() }
    begin(roots)
  }

  private func stop() {
    timer.stop()
    due = []
    running?.cancellation.cancel()
  }

  private func working() -> Workers? {
    if workers == nil { workers = try? Workers(on: machine) }
    return workers
  }

  // MARK: Filling

  private func begin(_ roots: [String], isAfresh: Bool = false) {
    for (i, root) in roots.enumerated() {
      let isAfresh = isAfresh && i == 0 || due.contains { $0.root == root && $0.isAfresh }
      due.removeAll { $0.root == root }
      if due.count < Self.maxDue { due.append(Update(root: root, isAfresh: isAfresh)) }
    }
    next()
  }

  private func next() {
    guard running == nil, isWanted, let index, let file, let filler = working()?.filler, !due.isEmpty else {
      return
    }
    let update = due.removeFirst()
    let cancellation = Cancellation()
    running = (update, cancellation)
    feed.post(.library(root: update.root, isUpdating: true, changed: 0))
    let result = Result()
    filler.run({
      result.report = index.update(file, root: update.root, isAfresh: update.isAfresh, cancellation)
    }) { [unowned(unsafe) self] refusal in
      running = nil
      finish(update, refusal.map { .fault($0.description) } ?? result.report, cancellation)
    }
  }

  /// Result of an update. Written by the worker, read by the control thread after the job has finished.
  private final class Result: @unchecked Sendable {
    var report = LibraryUpdateReport.fault("it did not begin")
  }

  private func finish(_ update: Update, _ report: LibraryUpdateReport, _ cancellation: Cancellation) {
    guard isOpen, !cancellation.isSet else { return next() }
    var changed = 0
    switch report {
    case .done(let summary):
      changed = summary.read + summary.removed
      log.write(
        changed > 0 || update.isAfresh ? .info : .debug,
        "The index has \(summary.tracks) tracks of \(update.root): \(summary.read) were read, \(summary.removed) are gone"
          + (summary.faults > 0 ? ", \(summary.faults) cannot be read ('library faults')" : "") + ".")
      if !summary.note.utf8.isEmpty { log.write(.warning, "The index: \(summary.note).") }
    case .fault(let reason):
      log.write(.error, "The index was not brought up to date with \(update.root): \(reason).")
      timer.start(after: Self.retryDelay) { [unowned(unsafe) self] in adopt() }
    }
    feed.post(.library(root: update.root, isUpdating: false, changed: changed))
    next()
  }

  // MARK: Queries

  /// Carries out a `library` command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - cancellation: Cancels a query.
  ///   - answer: Called with the reply.
  func perform(
    _ command: LibraryCommand, until cancellation: Cancellation, then answer: @escaping (Reply) -> Void
  ) {
    guard let index, let file else {
      return answer(.failed("there is nowhere to keep an index: 'checkpoint.path' names the folder"))
    }
    guard configuration.settings.isLibraryEnabled else {
      return answer(.failed("there is no index of the music; 'set library.enabled on' makes one"))
    }
    if case .queue(let from, let count) = command {
      let rows = QueueTagRows(outputs.openedPlayer?.queue.tracks ?? [], from: from?.index ?? 0, count: count)
      return describe(rows.files, until: cancellation) { answer(rows.reply($0)) }
    }
    guard let verb = command.question else {
      begin(roots, isAfresh: command == .rebuild)
      return answer(.ok("looking through \(roots.joined(separator: ", ")); 'library' tells how far it is"))
    }
    guard let asker = working()?.asker else {
      return answer(.failed("the process has no descriptors left to ask the index with"))
    }
    let (words, roots) = (command.words, roots)
    asker.read({ index.ask(verb, words, in: file, within: roots, cancellation) }) {
      [unowned(unsafe) self] found in
      answer(reply(found ?? .fault("it does not answer in time", isBroken: false), to: command))
    }
  }

  /// Looks up the tags of files in the index.
  ///
  /// - Parameters:
  ///   - paths: Absolute paths; those that exceed one query's size are left out.
  ///   - cancellation: Cancels the query.
  ///   - then: Receives the fields of `library find` by path; empty if there is no index or it does not respond.
  func describe(
    _ paths: [String], until cancellation: Cancellation,
    then: @escaping ([String: [LibraryField]]) -> Void
  ) {
    guard let index, let file, configuration.settings.isLibraryEnabled, !paths.isEmpty,
      let asker = working()?.asker
    else { return then([:]) }
    let (asked, roots) = (Self.question(paths), roots)
    asker.read({ index.ask(.files, asked, in: file, within: roots, cancellation) }) { found in
      var known: [String: [LibraryField]] = [:]
      if case .rows(let rows, _)? = found {
        for row in rows { if let path = row.first(where: { $0.name == "path" }) { known[path.value] = row } }
      }
      then(known)
    }
  }

  /// The longest prefix of distinct paths that fits into one process's arguments.
  private static func question(_ paths: [String]) -> [String] {
    var (asked, seen, size): ([String], Set<String>, Int) = ([], [], 0)
    for path in paths where asked.count < LibraryProcess.maxFiles && seen.insert(path).inserted {
      size += path.utf8.count + 1
      guard size <= maxWordBytes else { break }
      asked.append(path)
    }
    return asked
  }

  private func reply(_ found: LibraryAnswer, to command: LibraryCommand) -> Reply {
    let updating = running.map { $0.update.root }
    switch found {
    case .rows(let rows, let total): return .ok(LibraryRows(command, rows, total, updating).answer)
    case .refused(let sentence): return .error(ConsoleError(.badValue, command.verb + ": " + sentence))
    case .missing:
      if running == nil { begin(roots) }
      if command == .summary { return .ok(LibraryRows.nothing(running?.update.root).answer) }
      return .failed("the index is being made; try again in a while")
    case .fault(let reason, let isBroken):
      guard isBroken else { return .failed("the index cannot be asked: \(reason)") }
      log.write(.error, "The index is broken and is made afresh: \(reason).")
      if running?.update.isAfresh != true { begin(roots, isAfresh: true) }
      return .failed("the index was broken, and is being made afresh; try again in a while")
    }
  }
}

extension LibraryCommand {
  /// Query for the index; nil for commands that update it.
  fileprivate var question: LibraryVerb? {
    switch self {
    case .find: .find
    case .search: .search
    case .list: .list
    case .count: .count
    case .summary: .summary
    case .faults: .faults
    case .queue, .update, .rebuild: nil
    }
  }
}
