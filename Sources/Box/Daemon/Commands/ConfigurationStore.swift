// Current settings and the configuration file they were loaded from. Control thread; blocks for at most 0.5 s, at
// start.

import Console
import Decoding
import PlaybackModel
import Platform

/// Holds the settings and posts a `setting` event for every change.
final class ConfigurationStore: StatusSource {
  /// Settings in effect now.
  private(set) var settings = Settings()
  /// Settings at daemon start; these apply to settings that take effect at the next start only.
  private(set) var started = Settings()
  /// Settings as stored in the configuration file.
  var saved: Settings { synced.inFile }
  /// What the file and the box had when the file was last read or written.
  private var synced = SavedConfiguration(Settings(), ControlTable())
  /// Settings and controls of the board's profile; the file stores only differences from it.
  private(set) var base = ConfigurationBase()
  /// Controls as declared in the file.
  private(set) var declaredControls = ControlTable()
  /// Whether the file was read, or reading it failed. Until then the defaults apply.
  private(set) var isRead = false
  /// Summary for `status` of the lines that were skipped, or of the read error; nil: no problem.
  private(set) var skipped: String?
  /// Problem with other files on the SD card at this start; nil: none.
  let cardTrouble: String?
  /// Whether the user must correct the configuration or the card.
  var needsMending: Bool { skipped != nil || cardTrouble != nil }

  var statusFields: [Field] {
    (skipped.map { [Field("configuration", $0)] } ?? []) + (cardTrouble.map { [Field("card", $0)] } ?? [])
  }
  /// Called when the file has been read after the start and its settings were applied.
  var onRead: () -> Void = {}
  let file: ConfigurationFile
  private var commandsAtStart: ArraySlice<(line: Int, command: Command)> = []
  /// Settings the user changed before the file was read; these override the file.
  private var early: Set<Setting> = []
  /// Name of the adopted time zone; nil: the operating system's zone.
  private var timeZone: String?
  private var isStarted = false
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log

  /// Reads the file and logs its problems. If its storage is slow, the file is applied when it has been read.
  ///
  /// - Parameters:
  ///   - options: Command-line options, with the file's path.
  ///   - machine: Access to storage and time zones.
  ///   - feed: Receives `setting` events.
  ///   - log: Receives the file's problems.
  /// - Throws: `SystemError` if the background worker cannot be started.
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

  /// Path of the file; nil: none, and `save` fails.
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
    synced = SavedConfiguration(found.settings, found.controls)
    base = found.base
    declaredControls = found.controls
    commandsAtStart = found.commands[...]
    if isStarted { for setting in early { try? settings.set(setting, to: former.value(setting)) } }
    started = settings
    adoptConfiguredTimeZone()
    checkConfiguredGroup()
    guard isStarted else { return }
    log.write(.info, "The configuration \(source) is read at last.")
    didChange(nil)
    onRead()
  }

  /// Applies the configured time zone; if the system lacks it, the operating system's zone is used and the problem is
  /// reported.
  private func adoptConfiguredTimeZone() {
    guard let refusal = adoptTimeZone() else { return }
    report(.clockTimezone, refusal, instead: "the system's time zone is used")
  }

  /// Reports a group of the control socket that does not exist; `socketGroup` is nil then.
  private func checkConfiguredGroup() {
    guard let name = settings.socketGroup, let refusal = machine.refusal(ofGroup: name) else { return }
    report(.socketGroup, refusal, instead: "the control socket belongs to the daemon's own group")
  }

  /// Reports a value of the file that names nothing on this machine, and its replacement.
  private func report(_ setting: Setting, _ refusal: String, instead: String) {
    let problem = setting.key + " " + refusal
    log.write(.error, "\(path ?? "the command line"): \(problem) (\(instead))")
    skipped = (skipped.map { $0 + "; " } ?? "") + problem.printable(limit: Self.maxSummary)
  }

  /// Group of the control socket; nil: the daemon's own, also if the configured group does not exist.
  var socketGroup: String? { settings.socketGroup.flatMap { machine.refusal(ofGroup: $0) == nil ? $0 : nil } }

  /// Problem of an output device, such as a missing sound card; nil: none is known.
  func problem(ofOutput name: String) -> String? { machine.problem(ofOutput: name) }

  /// Applies clock.timezone to local time, or the operating system's zone if the configured one is not installed.
  ///
  /// - Returns: Why the zone was refused; nil if it was accepted.
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

  /// Number of skipped lines that the summary lists individually.
  private static let maxNamedLines = 3
  /// Length limit of the summary, in bytes.
  private static let maxSummary = 600

  private static func summary(_ problems: [Configuration.Problem], _ failure: SystemError?) -> String? {
    if let failure, failure.code != SystemError.noSuchFile { return "not read: " + failure.description }
    guard !problems.isEmpty else { return nil }
    var text = problems.count == 1 ? "1 line is skipped: " : String(problems.count) + " lines are skipped: "
    text += problems.prefix(maxNamedLines).map { $0.sentence }.joined(separator: "; ")
    if problems.count > maxNamedLines { text += "; and " + String(problems.count - maxNamedLines) + " more" }
    return text.printable(limit: maxSummary)
  }

  /// Note for replies that store something, if nothing can be stored because the checkpoint is off.
  var lossNote: String {
    started.checkpointPath == nil ? " (lost at power-off: checkpoint.path is off)" : ""
  }

  /// Reply to commands that need the file's contents before the file was read.
  var unread: Reply {
    .failed(
      "the configuration \(path ?? "") is not known yet, because its storage does not answer: check that it is plugged in "
        + "properly, and its network, and try again")
  }

  /// Folder of the configuration file, if its storage has been busy for at least `nanoseconds`; nil otherwise.
  func silentFolder(for nanoseconds: UInt64, at now: UInt64) -> String? {
    guard let path, let since = file.busySince, now &- since >= nanoseconds else { return nil }
    return AtomicFile.folder(of: path)
  }

  /// Folders that media may be played from: the media roots and the folder of removable storage.
  var roots: MediaRoots {
    MediaRoots(settings.mediaRoots + (settings.removableFolder.map { [$0] } ?? []))
  }

  /// Removes and returns the next command of the file; nil when there are no more.
  func takeCommand() -> (line: Int, command: Command)? { commandsAtStart.popFirst() }

  /// Switches to the settings of a safe start and discards the commands of the file.
  func startSafely() {
    settings = SafeStart.settings(from: saved, base: base)
    started = settings
    adoptConfiguredTimeZone()
    commandsAtStart = []
  }

  /// Applies the `log.level` setting.
  func adoptLogLevel() { log.level = LogLevel(name: settings.logLevel) ?? .info }

  /// Changes a setting without a reply to the user.
  ///
  /// - Throws: `ConsoleError` if the value is refused.
  func set(_ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void) throws(ConsoleError) {
    try change(&settings)
    didChange(setting)
  }

  /// Copies repeat, shuffle and end mode from a restored queue into the settings, so that a later change of any setting
  /// does not reset the queue.
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

  /// Carries out a command that changes one setting. The change is in effect when this returns.
  ///
  /// - Parameters:
  ///   - setting: The setting.
  ///   - change: Applies the change.
  /// - Returns: The new value, or the error.
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

  /// Warning if the changed setting limits alarms below `alarm.volume`; nil otherwise.
  private func alarmNote(_ setting: Setting) -> String? {
    switch setting {
    case .volumeMaximum, .nightFrom, .nightTo, .nightMaximum, .alarmVolume, .alarmMinimum:
      settings.alarmLimitNote()
    default: nil
    }
  }

  /// Refuses a value that could have no effect now. Configuration files may contain such values, since the obstacle may
  /// be gone by then.
  ///
  /// - Throws: `ConsoleError` if the time zone or the group does not exist, or the port is in use.
  private func checkEffect(_ setting: Setting, _ wanted: Settings) throws(ConsoleError) {
    let refusal: String? =
      switch setting {
      case .clockTimezone: wanted.timeZone.flatMap { machine.refusal(ofTimeZone: $0) }
      case .socketGroup: wanted.socketGroup.flatMap { machine.refusal(ofGroup: $0) }
      default: nil
      }
    if let refusal { throw ConsoleError(.badValue, setting.key + " " + refusal) }
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

  /// Carries out `unset all`.
  func unsetAll() -> Reply {
    settings = Settings()
    didChange(nil)
    return .ok("all settings are back to their defaults")
  }

  /// Carries out `eq clear`.
  func clearEqualizer() -> Reply {
    let former = settings
    settings.clearEqualizer()
    for band in settings.differences(from: former) { didChange(band) }
    return .ok("all bands of the equaliser are off")
  }

  /// Carries out `show`.
  func show(_ selection: SettingSelection) -> Reply {
    .ok(Answer(rows: Settings.settings(selection).map { row($0) }))
  }

  /// Carries out `diff`.
  func diff() -> Reply {
    let changed = settings.changed
    return .ok(
      Answer(changed.isEmpty ? "all settings have their defaults" : "", rows: changed.map { row($0) }))
  }

  /// Carries out `save`. Lines that the user has changed in the file since it was read are kept.
  ///
  /// - Parameters:
  ///   - controls: Current controls, written with the settings.
  ///   - answer: Called when the file is written or its storage times out.
  func save(_ controls: ControlTable, then answer: @escaping (Reply) -> Void) {
    // A file that was not read must not be overwritten.
    guard isRead else { return answer(unread) }
    file.save(
      settings, controls, over: base, since: synced, then: { [unowned(unsafe) self] in synced = $0 },
      answer: answer)
  }

  /// Note about when a change takes effect; empty if at once.
  ///
  /// - Parameter keeping: Whether to mention the `save` command.
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
