// The settings at work, and the configuration file that they come from. Control thread; waits for storage at the start
// and in `save`.

import Console
import Decoding
import PlaybackModel
import Platform

/// Holds the settings, and posts every change of them.
final class ConfigurationStore {
  /// What holds now.
  private(set) var settings: Settings
  /// As the configuration file has them.
  private(set) var saved: Settings
  /// What the board's profile has set; the file holds what differs.
  let base: ConfigurationBase
  /// The file; nil: none, and nowhere to save to.
  let path: String?
  /// The controls as the file declares them.
  let declaredControls: ControlTable
  private var commandsAtStart: ArraySlice<(line: Int, command: Command)>
  private let files: any FileStore
  private let feed: EventFeed
  private let log: Log

  /// Reads the file; what is wrong with it is logged.
  init(_ options: BoxOptions, on machine: any Machine, feed: EventFeed, log: Log) {
    path = options.configuration
    files = machine.files
    self.feed = feed
    self.log = log
    let found = Self.read(options, machine.files, log)
    settings = found.settings
    saved = found.settings
    base = found.base
    declaredControls = found.controls
    commandsAtStart = found.commands[...]
  }

  private static func read(_ options: BoxOptions, _ files: any FileStore, _ log: Log) -> Configuration {
    func configuration(_ text: [UInt8], _ source: String) -> Configuration {
      let found = Configuration(text, board: options.board) { files.boardProfile($0) }
      for problem in found.problems {
        log.write(.error, "\(source), \(problem.sentence) (the line was skipped)")
      }
      return found
    }
    guard let path = options.configuration else { return configuration([], "the command line") }
    do throws(SystemError) {
      // One byte more than is taken, so that a longer file is noticed.
      let text = try files.read(path, limit: Configuration.longestFile + 1)
      return configuration(text, path)
    } catch {
      log.write(
        error.code == SystemError.noSuchFile ? .info : .error,
        "No configuration: \(error.description). Defaults are used; 'set' and 'save' write one.")
      return configuration([], path)
    }
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
    commandsAtStart = []
  }

  /// Logs what the settings want to be logged, from now on.
  func adoptLogLevel() { log.level = LogLevel(name: settings.logLevel) ?? .info }

  /// Changes a setting, without an answer.
  func set(_ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void) throws(ConsoleError) {
    try change(&settings)
    didChange(setting)
  }

  private func didChange(_ setting: Setting?) {
    adoptLogLevel()
    feed.post(.setting(setting, shown: setting.map { settings.shown($0) } ?? ""))
  }

  // MARK: Commands

  /// Answers a command that changes one setting; the change is felt when this returns.
  func change(_ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void) -> Reply {
    do throws(ConsoleError) {
      try set(setting, change)
    } catch {
      return .error(error)
    }
    let later = setting.declaration.application == .atNextStart
    return .ok(
      settings.shownLine(setting) + (later ? " (takes effect at the next start; 'save' keeps it)" : ""))
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

  /// Answers `save`: changes the file, so that either the old or the new one is there after a power cut, and leaves the old
  /// one beside it.
  func save(_ controls: ControlTable) -> Reply {
    guard let path else {
      return .failed("there is no configuration file; start the daemon with --config FILE")
    }
    do throws(SystemError) {
      let files = files
      var old: [UInt8] = []
      do throws(SystemError) {
        old = try files.read(path, limit: Configuration.longestFile + 1)
        guard old.count <= Configuration.longestFile else {
          return .failed(
            "\(path) is too long to be changed; it has more than \(Configuration.longestFile / 1024) KiB")
        }
        try files.replace(path + ".bak", with: old, isPrivate: saved.consolePIN != nil)
      } catch {
        // Without a file there is nothing to keep; one that cannot be read must not be replaced.
        guard error.code == SystemError.noSuchFile else { throw error }
      }
      let text = base.edited(old, settings, controls) { files.boardProfile($0) }
      // A PIN is for whoever may read it.
      try files.replace(path, with: Array(text.utf8), isPrivate: settings.consolePIN != nil)
    } catch {
      return .failed("the configuration was not written: \(error.description)")
    }
    saved = settings
    return .ok("written to \(path)")
  }

  private func row(_ setting: Setting) -> Row {
    let note = setting.declaration.application == .atNextStart ? " (takes effect at the next start)" : ""
    return Row(
      settings.shownLine(setting) + (settings.differences(from: saved).contains(setting) ? note : ""),
      [Field("key", setting.key), Field("value", settings.shown(setting))])
  }
}
