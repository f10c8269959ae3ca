// Reads and writes the configuration file through a helper process, because its storage may hang. Control thread; waits
// at most 0.5 s for the first read at start, and never blocks afterwards.

import Console
import Platform

/// Asynchronous access to the configuration file.
final class ConfigurationFile {
  /// How long the start waits for the file, in nanoseconds.
  private static let startTimeout: UInt64 = 500_000_000
  /// Nanoseconds after which `save` replies with a timeout; the write itself continues.
  private static let saveTimeout: UInt64 = 5_000_000_000
  /// Nanoseconds that a shutdown waits for a pending write.
  private static let endTimeout: UInt64 = 2_000_000_000

  /// Path of the file; nil: no configuration file.
  let path: String?
  /// Called when a request to the storage begins or ends.
  var onWork: () -> Void = {}
  /// Receives the result of a save whose caller already got a timeout.
  var onLateSave: (Reply) -> Void = { _ in }
  /// Time since which a storage request has been pending, in scheduler nanoseconds; nil: none is pending.
  private(set) var busySince: UInt64?
  private var jobs = 0
  private var onFinish: (() -> Void)?
  /// What the last save wrote. A save may begin before the one before it has ended.
  private final class LastSave: @unchecked Sendable {
    /// Accessed only by the jobs of `run`, one after the other.
    var written: SavedConfiguration?
  }
  private let last = LastSave()
  /// Board given on the command line; nil: the one named in the file.
  private var board: String?
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler
  private let endTimer: DeadlineTimer

  /// Result of a read. Written by the worker, read by the control thread after the job has finished.
  private final class Reading: @unchecked Sendable {
    var configuration: Configuration?
    var failure: SystemError?
  }

  private final class Saving: @unchecked Sendable {
    var reply = Reply.ok()
    /// The state that was written.
    var written: SavedConfiguration?
    /// Used by the control thread only, as is `timer`; nil once the caller has got a reply.
    var answer: ((Reply) -> Void)?
    let timer: DeadlineTimer

    init(_ scheduler: any Scheduler, _ answer: @escaping (Reply) -> Void) {
      timer = DeadlineTimer(scheduler)
      self.answer = answer
    }
  }

  /// Creates the accessor without reading the file.
  ///
  /// - Throws: `SystemError` if the background worker cannot be started.
  init(_ path: String?, on machine: any Machine) throws(SystemError) {
    self.path = path
    files = machine.configurationFiles
    worker = try machine.configurationWorker()
    scheduler = machine.scheduler
    endTimer = DeadlineTimer(scheduler)
  }

  /// Reads the file. Blocks for at most `startTimeout`; call `passOn` after a read.
  ///
  /// - Parameters:
  ///   - board: Board whose profile to use; nil: the one named in the file.
  ///   - then: Receives the configuration and the read error, if any; called before this returns unless the read times
  ///     out.
  func read(board: String?, then: @escaping (Configuration, SystemError?) -> Void) {
    self.board = board
    let (path, files, reading) = (path, files, Reading())
    run({
      var text: [UInt8] = []
      if let path {
        do throws(SystemError) {
          // One byte more than the limit, so that an oversized file is detected.
          text = try files.read(path, limit: Configuration.maxFileBytes + 1)
        } catch {
          reading.failure = error
        }
      }
      reading.configuration = Configuration(text, board: board) { files.boardProfile($0) }
    }) { then(reading.configuration ?? Configuration([]), $0 ?? reading.failure) }
    _ = worker.wait(within: Self.startTimeout)
  }

  /// Releases the helper process after the start's read: it serves the state files, or ends if there are
  /// none.
  func passOn(to machine: any Machine, isRemembering: Bool) {
    if isRemembering, jobs == 0 { return machine.passOnStorage() }
    let files = files
    run({ files.rest() }) { _ in }
  }

  /// Replaces the file atomically, so that a power cut leaves the old or the new one, and keeps the old contents in
  /// `PATH.bak`.
  ///
  /// - Parameters:
  ///   - settings: Settings to write.
  ///   - controls: Controls to write.
  ///   - base: Board profile; only differences from it are written.
  ///   - saved: State when the file was last read or written. Lines that the user has changed since are kept.
  ///   - then: Called with the new state once the file is written.
  ///   - answer: Called with the result, or with an error after `saveTimeout`.
  func save(
    _ settings: Settings, _ controls: ControlTable, over base: ConfigurationBase,
    since saved: SavedConfiguration,
    then: @escaping (SavedConfiguration) -> Void, answer: @escaping (Reply) -> Void
  ) {
    guard let path else {
      return answer(.failed("there is no configuration file; start the daemon with --config FILE"))
    }
    let (files, board, last, saving) = (files, board, last, Saving(scheduler, answer))
    saving.timer.start(after: Self.saveTimeout) {
      let answer = saving.answer
      saving.answer = nil
      answer?(
        .failed(
          "the storage of \(path) does not answer, so it is not known whether it is written; check that it is plugged in "
            + "properly, and its network. The log has the result"))
    }
    run({
      let profile: @Sendable (String) -> [UInt8]? = { files.boardProfile($0) }
      do throws(ConsoleError) {
        let before = last.written ?? saved
        let edits = try Self.replace(path, settings, controls, over: base, since: before, in: files) {
          Configuration($0, board: board, profile: profile)
        }
        last.written = SavedConfiguration(
          inFile: edits.settings, inBox: settings, controlsInFile: edits.controls, controlsInBox: controls)
        saving.written = last.written
        saving.reply = .ok("written to \(path)" + Self.note(edits.kept))
      } catch {
        saving.reply = .error(error)
      }
      files.rest()
    }) { [unowned(unsafe) self] refusal in
      saving.timer.stop()
      let reply =
        refusal.map { .failed("the configuration was not written: \($0.description)") } ?? saving.reply
      if reply.isOK, let written = saving.written { then(written) }
      if let answer = saving.answer { answer(reply) } else { onLateSave(reply) }
      saving.answer = nil
    }
  }

  /// Note about changes by the user in the file that are not in effect yet; empty for none.
  private static func note(_ kept: [String]) -> String {
    guard !kept.isEmpty else { return "" }
    let few = kept.count <= maxNamed ? kept : kept.prefix(maxNamed) + ["others"]
    return "; changed by hand there, kept, and in effect at the next start: " + few.joined(separator: ", ")
  }

  /// Number of settings that the note lists.
  private static let maxNamed = 8

  /// Writes the file. Blocks on storage.
  ///
  /// - Throws: `ConsoleError` with the path and the reason; the file is unchanged then.
  private static func replace(
    _ path: String, _ settings: Settings, _ controls: ControlTable, over base: ConfigurationBase,
    since saved: SavedConfiguration, in files: any FileStore, read: ([UInt8]) -> Configuration
  ) throws(ConsoleError) -> HandEdits {
    let old = try contents(path, files)
    let found = old.map { read($0) }
    var edits = HandEdits(settings, controls)
    if let old, let found, old.contains(where: { $0 > 0x20 }) {
      do throws(ConsoleError) {
        edits = try HandEdits(found, since: saved, board: base.board, settings, controls)
      } catch {
        throw ConsoleError(
          .failed,
          "\(path) was changed by hand since the box read it, so it was not written: " + error.sentence)
      }
    }
    do throws(SystemError) {
      if let old, let found {
        // The backup of a file with a PIN or a password must not be world-readable.
        let secrets = saved.inFile.secrets + found.settings.secrets
        try files.replace(path + ".bak", with: old, isPrivate: !secrets.isEmpty)
      }
      let text = base.edited(old ?? [], edits.settings, edits.controls) { files.boardProfile($0) }
      try files.replace(path, with: text, isPrivate: !edits.settings.secrets.isEmpty)
    } catch {
      throw ConsoleError(.failed, "the configuration was not written: \(error.description)")
    }
    return edits
  }

  /// Contents of the file; nil if it does not exist. A file that exists but cannot be read must not be overwritten.
  private static func contents(_ path: String, _ files: any FileStore) throws(ConsoleError) -> [UInt8]? {
    do throws(SystemError) {
      let bytes = try files.read(path, limit: Configuration.maxFileBytes + 1)
      if bytes.count <= Configuration.maxFileBytes { return bytes }
    } catch {
      if error.code == SystemError.noSuchFile { return nil }
      throw ConsoleError(.failed, "the configuration was not written: \(error.description)")
    }
    throw ConsoleError(
      .failed, "\(path) is too long to be changed; it has more than \(Configuration.maxFileBytes / 1024) KiB")
  }

  /// Calls `then` once pending writes have finished, or after `endTimeout`.
  func finish(_ then: @escaping () -> Void) {
    guard jobs > 0 else { return then() }
    onFinish = then
    endTimer.start(after: Self.endTimeout) { [unowned(unsafe) self] in finish() }
  }

  private func finish() {
    endTimer.stop()
    let then = onFinish
    onFinish = nil
    then?()
  }

  private func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    jobs += 1
    if busySince == nil { busySince = scheduler.now }
    onWork()
    worker.run(work) { [unowned(unsafe) self] refusal in
      jobs -= 1
      busySince = jobs > 0 ? scheduler.now : nil
      onWork()
      then(refusal)
      if jobs == 0 { finish() }
    }
  }
}
