// The settings at work, and the configuration file that they come from. Control thread; waits half a second at most, at the
// start.

import Console
import Decoding
import PlaybackModel
import Platform

/// Holds the settings, and posts every change of them.
final class ConfigurationStore {
  /// What holds now.
  private(set) var settings = Settings()
  /// As they were when the daemon started: what counts of settings that take effect at a start.
  private(set) var started = Settings()
  /// As the configuration file has them.
  private(set) var saved = Settings()
  /// What the board's profile has set; the file holds what differs.
  private(set) var base = ConfigurationBase()
  /// The controls as the file declares them.
  private(set) var declaredControls = ControlTable()
  /// Whether it is known what the file says, or that it cannot be read. Until then the defaults hold.
  private(set) var isRead = false
  /// Which lines of the file are skipped, or why it is not read, for `status`; nil: nothing is wrong with it.
  private(set) var skipped: String?
  /// What could not be taken of the card's other files at this start; nil: nothing.
  let cardTrouble: String?
  /// Whether a person has to mend something that was written for the box.
  var needsMending: Bool { skipped != nil || cardTrouble != nil }
  /// Called when that becomes known after the start, and the settings have been changed.
  var onRead: () -> Void = {}
  let file: ConfigurationFile
  private var commandsAtStart: ArraySlice<(line: Int, command: Command)> = []
  /// What a person has set before the file was read.
  private var early: Set<Setting> = []
  /// The zone that local time is of; nil: the operating system's.
  private var timeZone: String?
  private var isStarted = false
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log

  /// Reads the file; what is wrong with it is logged. Where its storage does not answer soon, it is taken up when it does.
  init(_ options: BoxOptions, on machine: any Machine, feed: EventFeed, log: Log) throws(SystemError) {
    file = try ConfigurationFile(options.configuration, on: machine)
    self.machine = machine
    self.feed = feed
    self.log = log
    cardTrouble = machine.cardTrouble
    if let cardTrouble { log.write(.error, "On the card, \(cardTrouble)") }
    file.onLateSave = { reply in
      switch reply {
      case .ok(let answer): log.write(.info, "The configuration is \(answer.message) at last.")
      case .error(let error): log.write(.error, "After all, \(error.sentence)")
      }
    }
    file.read(board: options.board) { [unowned(unsafe) self] found, failure in take(found, failure) }
    isStarted = true
    guard !isRead else { return }
    log.write(
      .warning,
      "The configuration \(options.configuration ?? "of the board") is not known yet, because its storage does not answer. "
        + "Defaults hold until it does.")
  }

  /// The file; nil: none, and nowhere to save to.
  var path: String? { file.path }

  private func take(_ found: Configuration, _ failure: SystemError?) {
    let source = path ?? "the command line"
    for problem in found.problems {
      log.write(.error, "\(source), \(problem.sentence) (the line was skipped)")
    }
    if let failure {
      log.write(
        failure.code == SystemError.noSuchFile ? .info : .error,
        "No configuration: \(failure.description). Defaults are used; 'set' and 'save' write one.")
    }
    skipped = Self.summary(found.problems, failure)
    isRead = true
    let former = settings
    settings = found.settings
    saved = found.settings
    base = found.base
    declaredControls = found.controls
    commandsAtStart = found.commands[...]
    if isStarted { for setting in early { try? settings.set(setting, to: former.value(setting)) } }
    started = settings
    adoptConfiguredTimeZone()
    guard isStarted else { return }
    log.write(.info, "The configuration \(source) is read at last.")
    didChange(nil)
    onRead()
  }

  /// The zone of the settings, which the machine may not have: then local time is the operating system's.
  private func adoptConfiguredTimeZone() {
    guard let refusal = adoptTimeZone() else { return }
    let problem = Setting.clockTimezone.key + " " + refusal
    log.write(.error, "\(path ?? "the command line"): \(problem) (the system's time zone is used)")
    skipped = (skipped.map { $0 + "; " } ?? "") + problem.printable(limit: Self.maxSummary)
  }

  /// Has local time follow clock.timezone, or the operating system where the machine lacks the zone.
  ///
  /// - Returns: Why the zone is refused; nil: it holds.
  private func adoptTimeZone() -> String? {
    let wanted = settings.timeZone
    guard wanted != timeZone else { return nil }
    let refusal = machine.useTimeZone(wanted)
    let adopted = refusal == nil ? wanted : nil
    if refusal != nil { _ = machine.useTimeZone(nil) }
    guard adopted != timeZone else { return refusal }
    timeZone = adopted
    log.write(.info, "Local time is that of \(adopted ?? "the operating system").")
    if isStarted { feed.post(.clockSet) }
    return refusal
  }

  /// Skipped lines that are named one by one.
  private static let maxNamedLines = 3
  /// Bytes of a summary.
  private static let maxSummary = 600

  private static func summary(_ problems: [Configuration.Problem], _ failure: SystemError?) -> String? {
    if let failure, failure.code != SystemError.noSuchFile { return "not read: " + failure.description }
    guard !problems.isEmpty else { return nil }
    var text = problems.count == 1 ? "1 line is skipped: " : String(problems.count) + " lines are skipped: "
    text += problems.prefix(maxNamedLines).map { $0.sentence }.joined(separator: "; ")
    if problems.count > maxNamedLines { text += "; and " + String(problems.count - maxNamedLines) + " more" }
    return text.printable(limit: maxSummary)
  }

  /// What is to be said beside something that is kept over a power cut, where nothing is.
  var lossNote: String {
    started.checkpointPath == nil ? " (lost at power-off: checkpoint.path is off)" : ""
  }

  /// The answer to who asks for something that takes what the file says.
  var unread: Reply {
    .failed(
      "the configuration \(path ?? "") is not known yet, because its storage does not answer: check that it is plugged in "
        + "properly, and its network, and try again")
  }

  /// Its folder, if its storage has owed an answer for so many nanoseconds.
  func silentFolder(for nanoseconds: UInt64, at now: UInt64) -> String? {
    guard let path, let since = file.busySince, now &- since >= nanoseconds else { return nil }
    return AtomicFile.folder(of: path)
  }

  /// The folders that media may come from.
  var roots: MediaRoots {
    MediaRoots(settings.mediaRoots + (settings.removableFolder.map { [$0] } ?? []))
  }

  /// Takes the next command of the file; nil when there are no more.
  func takeCommand() -> (line: Int, command: Command)? { commandsAtStart.popFirst() }

  /// Begins with the settings of a safe start instead, and with none of the file's commands.
  func startSafely() {
    settings = SafeStart.settings(from: saved, base: base)
    started = settings
    adoptConfiguredTimeZone()
    commandsAtStart = []
  }

  /// Logs what the settings want to be logged, from now on.
  func adoptLogLevel() { log.level = LogLevel(name: settings.logLevel) ?? .info }

  /// Changes a setting, without an answer.
  func set(_ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void) throws(ConsoleError) {
    try change(&settings)
    didChange(setting)
  }

  /// Sets the settings of the queue to those of a restored one, so that the next change of any setting leaves the queue as it is.
  func follow(_ queue: PlayQueue) {
    let former = settings
    try? settings.set(Setting.queueRepeat.key, queue.repeatMode.name)
    try? settings.set(Setting.queueShuffle.key, queue.isShuffled ? "on" : "off")
    try? settings.set(Setting.queueEnd.key, queue.endOfQueue.name)
    for setting in [Setting.queueRepeat, .queueShuffle, .queueEnd]
    where settings.value(setting) != former.value(setting) { didChange(setting) }
  }

  private func didChange(_ setting: Setting?) {
    if !isRead, let setting { early.insert(setting) }
    adoptLogLevel()
    if setting == nil || setting == .clockTimezone { _ = adoptTimeZone() }
    feed.post(.setting(setting, shown: setting.map { settings.shown($0) } ?? ""))
  }

  // MARK: Commands

  /// Answers a command that changes one setting; the change is felt when this returns.
  func change(_ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void) -> Reply {
    do throws(ConsoleError) {
      var wanted = settings
      try change(&wanted)
      try checkEffect(setting, wanted)
      try set(setting, change)
    } catch {
      return .error(error)
    }
    return .ok(
      settings.shownLine(setting) + Self.note(setting, keeping: true)
        + (alarmNote(setting).map { " (" + $0 + ")" } ?? ""))
  }

  /// A warning where a changed setting leaves alarms quieter than alarm.volume.
  private func alarmNote(_ setting: Setting) -> String? {
    switch setting {
    case .volumeMaximum, .nightFrom, .nightTo, .nightMaximum, .alarmVolume, .alarmMinimum:
      settings.alarmLimitNote()
    default: nil
    }
  }

  /// Throws for a value that could have no effect now. A configuration file may hold it: what is in the way may be gone then.
  private func checkEffect(_ setting: Setting, _ wanted: Settings) throws(ConsoleError) {
    if setting == .clockTimezone, let name = wanted.timeZone, let refusal = machine.refusal(ofTimeZone: name)
    {
      throw ConsoleError(.badValue, setting.key + " " + refusal)
    }
    guard setting == .mpdListen, let address = wanted.mpdAddress, address.port != settings.mpdAddress?.port
    else { return }
    do throws(SystemError) {
      try machine.checkListening(at: address)
    } catch {
      throw ConsoleError(
        .failed,
        "nothing can listen at " + error.description
          + "; end the program that has the port, or name another address")
    }
  }

  /// Answers `unset all`.
  func unsetAll() -> Reply {
    settings = Settings()
    didChange(nil)
    return .ok("all settings are back to their defaults")
  }

  /// Answers `eq clear`.
  func clearEqualizer() -> Reply {
    let former = settings
    settings.clearEqualizer()
    for band in settings.differences(from: former) { didChange(band) }
    return .ok("all bands of the equaliser are off")
  }

  /// Answers `show`.
  func show(_ selection: SettingSelection) -> Reply {
    .ok(Answer(rows: Settings.settings(selection).map { row($0) }))
  }

  /// Answers `diff`.
  func diff() -> Reply {
    let changed = settings.changed
    return .ok(
      Answer(changed.isEmpty ? "all settings have their defaults" : "", rows: changed.map { row($0) }))
  }

  /// Answers `save`, when the file is written or its storage takes too long.
  func save(_ controls: ControlTable, then answer: @escaping (Reply) -> Void) {
    // What was not read must not be replaced.
    guard isRead else { return answer(unread) }
    let written = settings
    file.save(
      written, controls, over: base, hadPIN: saved.consolePIN != nil,
      then: { [unowned(unsafe) self] in saved = written }, answer: answer)
  }

  /// When a change takes effect, where that is not at once. `keeping`: with the command that keeps a change until then.
  private static func note(_ setting: Setting, keeping: Bool) -> String {
    let application = setting.declaration.application
    guard application != .atOnce else { return "" }
    return " (takes effect " + application.name
      + (keeping && application == .atNextStart ? "; 'save' keeps it)" : ")")
  }

  private func row(_ setting: Setting) -> Row {
    let isPending =
      setting.declaration.application == .atNextStart && settings.differences(from: started).contains(setting)
    return Row(
      settings.shownLine(setting) + (isPending ? Self.note(setting, keeping: false) : ""),
      [Field("key", setting.key), Field("value", settings.shown(setting))])
  }
}
