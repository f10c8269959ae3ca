// The configuration's file, which another process reads and replaces: its storage may never answer. Control thread; waits half a second
// at the start, and never again.

import Console
import Platform

/// Reads the configuration, and changes it.
final class ConfigurationFile {
  /// Nanoseconds that a start waits for the file.
  private static let startTimeout: UInt64 = 500_000_000
  /// Nanoseconds after which whoever saves gets an answer all the same.
  private static let saveTimeout: UInt64 = 5_000_000_000
  /// Nanoseconds that an end waits for what is being written.
  private static let endTimeout: UInt64 = 2_000_000_000

  /// Where it is; nil: there is none.
  let path: String?
  /// Called when the storage is asked for something, and when it has answered.
  var onWork: () -> Void = {}
  /// Told what became of a file after whoever had saved it was answered otherwise.
  var onLateSave: (Reply) -> Void = { _ in }
  /// Since when the storage has owed an answer; nil where it owes none.
  private(set) var busySince: UInt64?
  private var jobs = 0
  private var onFinish: (() -> Void)?
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler
  private let endTimer: DeadlineTimer

  /// What the worker leaves behind; looked at only after it is done.
  private final class Reading: @unchecked Sendable {
    var configuration: Configuration?
    var failure: SystemError?
  }

  private final class Saving: @unchecked Sendable {
    var reply = Reply.ok()
    /// Control thread only, from here on.
    var answer: ((Reply) -> Void)?
    let timer: DeadlineTimer

    init(_ scheduler: any Scheduler, _ answer: @escaping (Reply) -> Void) {
      timer = DeadlineTimer(scheduler)
      self.answer = answer
    }
  }

  /// A file that is not read yet.
  init(_ path: String?, on machine: any Machine) throws(SystemError) {
    self.path = path
    files = machine.configurationFiles
    worker = try machine.configurationWorker()
    scheduler = machine.scheduler
    endTimer = DeadlineTimer(scheduler)
  }

  /// Reads it. `then` gets what it says, and why it could not be read, before this returns where its storage answers in time. Whoever
  /// has it read calls `passOn`.
  func read(board: String?, then: @escaping (Configuration, SystemError?) -> Void) {
    let (path, files, reading) = (path, files, Reading())
    run({
      var text: [UInt8] = []
      if let path {
        do throws(SystemError) {
          // One byte more than is taken, so that a longer file is noticed.
          text = try files.read(path, limit: Configuration.maxFileBytes + 1)
        } catch {
          reading.failure = error
        }
      }
      reading.configuration = Configuration(text, board: board) { files.boardProfile($0) }
    }) { then(reading.configuration ?? Configuration([]), $0 ?? reading.failure) }
    _ = worker.wait(within: Self.startTimeout)
  }

  /// It has been read, and nothing is being saved: whatever the machine has started for that serves what is remembered, if anything is,
  /// or ends.
  func passOn(to machine: any Machine, isRemembering: Bool) {
    if isRemembering, jobs == 0 { return machine.passOnStorage() }
    let files = files
    run({ files.rest() }) { _ in }
  }

  /// Changes it, so that either the old or the new one is there after a power cut, and leaves the old one beside it. `answer` is called when
  /// that is safe, or when the storage takes too long; `then` when it is safe.
  func save(
    _ settings: Settings, _ controls: ControlTable, over base: ConfigurationBase, hadPIN: Bool,
    then: @escaping () -> Void, answer: @escaping (Reply) -> Void
  ) {
    guard let path else {
      return answer(.failed("there is no configuration file; start the daemon with --config FILE"))
    }
    let (files, saving) = (files, Saving(scheduler, answer))
    saving.timer.start(after: Self.saveTimeout) {
      let answer = saving.answer
      saving.answer = nil
      answer?(
        .failed(
          "the storage of \(path) does not answer, so it is not known whether it is written; check that it is plugged in "
            + "properly, and its network. The log says what became of it"))
    }
    run({
      saving.reply = Self.replace(path, settings, controls, over: base, hadPIN: hadPIN, in: files)
      files.rest()
    }) { [unowned(unsafe) self] refusal in
      saving.timer.stop()
      let reply =
        refusal.map { .failed("the configuration was not written: \($0.description)") } ?? saving.reply
      if reply.isOK { then() }
      if let answer = saving.answer { answer(reply) } else { onLateSave(reply) }
      saving.answer = nil
    }
  }

  private static func replace(
    _ path: String, _ settings: Settings, _ controls: ControlTable, over base: ConfigurationBase,
    hadPIN: Bool,
    in files: any FileStore
  ) -> Reply {
    do throws(SystemError) {
      var old: [UInt8] = []
      do throws(SystemError) {
        old = try files.read(path, limit: Configuration.maxFileBytes + 1)
        guard old.count <= Configuration.maxFileBytes else {
          return .failed(
            "\(path) is too long to be changed; it has more than \(Configuration.maxFileBytes / 1024) KiB")
        }
        try files.replace(path + ".bak", with: old, isPrivate: hadPIN)
      } catch {
        // Without a file there is nothing to keep; one that cannot be read must not be replaced.
        guard error.code == SystemError.noSuchFile else { throw error }
      }
      let text = base.edited(old, settings, controls) { files.boardProfile($0) }
      // A PIN is for whoever may read it.
      try files.replace(path, with: text, isPrivate: settings.consolePIN != nil)
    } catch {
      return .failed("the configuration was not written: \(error.description)")
    }
    return .ok("written to \(path)")
  }

  /// Calls `then` when what was saved is written, or takes too long.
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
