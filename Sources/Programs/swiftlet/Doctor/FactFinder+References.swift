// `swiftlet doctor`: checks that stored names of music, files, folders and programs exist and that plugins for them, the queue and the playlists are
// installed. Main thread; blocks on storage and on worker processes.

import CLinux
import Checkpoints
import Console
import Controls
import Daemon
import Decoding
import Media
import PlaybackModel
import Platform

extension FactFinder {
  /// Checks every music name in the configuration and in the state files next to the checkpoint.
  static func references(
    _ settings: Settings, _ controls: ControlTable, _ plugins: InstalledPlugins
  ) -> BoxFacts.References {
    var search = ReferenceSearch(settings, plugins)
    for setting in Setting.allCases {
      let change = "swiftlet ctl set \(setting.key) VALUE   or: swiftlet ctl unset \(setting.key)"
      for reference in settings.references(setting) {
        search.look(reference, isDefault: settings.isDefault(setting), controls, setting.key, change)
      }
    }
    for source in controls.sources {
      search.look(
        source, "swiftlet ctl source \(source.name.text) …   or: swiftlet ctl remove \(source.name.text)")
    }
    for binding in controls.bindings.bindings {
      search.look(
        binding.command.playedNames, binding.trigger.text, "swiftlet ctl bind \(binding.trigger.text) COMMAND"
      )
    }
    guard let state = settings.checkpointPath else { return search.references }
    for alarm in ReferenceSearch.kept(Alarms.self, state + ".alarms").entries {
      search.look(
        [alarm.name], "alarm \(alarm.time)", "swiftlet ctl alarm   lists them; set it anew with another name")
    }
    for entry in ReferenceSearch.kept(TagStore.self, state + ".tags").entries {
      guard let typed = try? TypedCommand(line: entry.line) else { continue }
      search.look(
        typed.command.playedNames, "tag \(entry.tag.text)", "swiftlet ctl tag \(entry.tag.text) COMMAND")
    }
    for playlist in ReferenceSearch.kept(PlaylistStore.self, state + ".playlists").playlists {
      search.lookForPlugins(of: playlist.tracks, "playlist '\(playlist.name.text)'")
    }
    if let queue = ReferenceSearch.queue(state) {
      search.lookForPlugins(of: queue.snapshot.entries.map { $0.track }, "the queue")
    }
    return search.references
  }
}

/// Checks names one after the other and collects the results.
private struct ReferenceSearch {
  private let settings: Settings
  private let roots: MediaRoots
  private let plugins: InstalledPlugins
  /// Results so far.
  private(set) var references = BoxFacts.References()
  /// Missing plugins of paths already checked.
  private var known: [String: [InstalledPlugins.Missing]] = [:]

  /// Read limit for a checkpoint file in bytes, twice the default size of the file.
  private static let maxCheckpoint = 8 << 20

  init(_ settings: Settings, _ plugins: InstalledPlugins) {
    self.settings = settings
    self.plugins = plugins
    roots = MediaRoots(settings.mediaRoots + (settings.removableFolder.map { [$0] } ?? []))
  }

  /// Checks names, and the plugins for their tracks.
  ///
  /// - Parameters:
  ///   - names: The names.
  ///   - owner: Where they are stored, for the report.
  ///   - change: Command that replaces the name, for the report.
  mutating func look(_ names: [String], _ owner: String, _ change: String) {
    for name in names {
      references.count += 1
      if let problem = problem(name) {
        references.broken.append(BoxFacts.Reference(owner: owner, problem: problem, remedy: change))
      } else {
        add(missing(for: name), owner)
      }
    }
  }

  /// Checks what a setting names.
  ///
  /// - Parameters:
  ///   - reference: The name.
  ///   - isDefault: Whether it is the setting's default, which the service's package provides.
  ///   - controls: The declared controls.
  ///   - owner: The setting's key, for the report.
  ///   - change: Command that replaces the name, for the report.
  mutating func look(
    _ reference: NamedReference, isDefault: Bool, _ controls: ControlTable, _ owner: String, _ change: String
  ) {
    let problem: String?
    switch reference.thing {
    case .music: return look([reference.name], owner, change)
    case .sound: problem = self.problem(reference.name, as: .sound)
    case .file where isDefault, .newFile where isDefault: return
    case .file: problem = Self.problem(ofFile: reference.name)
    case .newFile:
      problem = Self.problem(ofFolder: AtomicFile.folder(of: reference.name)).map {
        $0 + ", so '" + reference.name + "' cannot be written"
      }
    case .button where isDefault: return
    case .button:
      guard let name = ControlName(reference.name) else { return }
      problem = controls.isDeclared(name) ? nil : "there is no button '" + name.text + "'"
    // Other checks report folders of music, the sound card, groups and zones.
    case .folder, .output, .group, .timeZone, .address, .server: return
    }
    add(problem, owner, change)
  }

  /// Checks the program, FIFO or device of a live source.
  mutating func look(_ source: SourceDeclaration, _ change: String) {
    let problem: String?
    switch source.source.origin {
    case .command(let line): problem = Self.problem(ofCommand: line)
    case .fifo(let path): problem = Self.problem(ofFIFO: path)
    case .capture(let device): problem = SoundCard.problem(of: device)
    case .snapcast: return
    }
    add(problem, "source " + source.name.text, change)
  }

  private mutating func add(_ problem: String?, _ owner: String, _ change: String) {
    references.count += 1
    guard let problem else { return }
    references.broken.append(BoxFacts.Reference(owner: owner, problem: problem, remedy: change))
  }

  private static func problem(ofFile path: String) -> String? {
    path.withPath({ access($0, F_OK) }) == 0 ? nil : "there is no '" + path + "' now"
  }

  private static func problem(ofFolder folder: String) -> String? {
    do throws(SystemError) {
      guard let status = try FileStatus.of(folder) else { return "there is no folder '" + folder + "' now" }
      return status.isFolder ? nil : "'" + folder + "' is no folder"
    } catch {
      return NamedThing.problem(ofFolder: folder, error)
    }
  }

  private static func problem(ofFIFO path: String) -> String? {
    do throws(SystemError) {
      guard let status = try FileStatus.of(path) else {
        return "there is no FIFO '" + path + "' now; the program that writes it creates it, or 'mkfifo' does"
      }
      return status.isPipe ? nil : "'" + path + "' is no FIFO"
    } catch {
      return error.description
    }
  }

  /// The problem of a shell command whose first word is a program that is not installed; nil if it is, or if the first
  /// word is more than a name or a path.
  private static func problem(ofCommand line: String) -> String? {
    let word = String(decoding: line.utf8.drop { $0 == 0x20 }.prefix { $0 != 0x20 }, as: UTF8.self)
    guard let found = Executable.isInstalled(word), !found else { return nil }
    return "there is no program '" + word + "'"
  }

  /// Checks the plugins for tracks.
  mutating func lookForPlugins(of tracks: [Track], _ owner: String) {
    guard !tracks.isEmpty else { return }
    references.count += 1
    add(plugins.missing(for: tracks.map { $0.path }), owner)
  }

  private mutating func add(_ missing: [InstalledPlugins.Missing], _ owner: String) {
    references.broken += missing.map {
      BoxFacts.Reference(owner: owner, problem: $0.problem, remedy: $0.remedy)
    }
  }

  static func kept<Contents: KeptContents>(_ kind: Contents.Type, _ path: String) -> Contents {
    Contents.read(bytes(of: path, limit: Contents.maxFileBytes)).contents
  }

  static func queue(_ path: String) -> QueueRecord? {
    CheckpointFile.queue(in: bytes(of: path, limit: maxCheckpoint))
  }

  private static func bytes(of path: String, limit: Int) -> [UInt8] {
    do throws(SystemError) { return try StateFile(path).contents(limit: limit) } catch { return [] }
  }

  /// Plugins missing for an existing name. Stored playlists are left out, because they are checked separately.
  private mutating func missing(for name: String) -> [InstalledPlugins.Missing] {
    if MediaList.isStream(name) { return plugins.missing(for: [name]) }
    guard name != ".", PlaylistName(path: name) == nil, let path = path(of: name) else { return [] }
    if let known = known[path] { return known }
    var paths = [path]
    if Directory.isDirectory(path) || MediaList.isPlaylist(path) {
      do throws(PlaybackError) {
        paths = try MediaList.expand(path, within: roots.covering(name)).tracks.map { $0.path }
      } catch {
        paths = []
      }
    }
    let found = plugins.missing(for: paths)
    known[path] = found
    return found
  }

  /// The problem of a name that does not exist; nil if it exists.
  private func problem(_ name: String, as thing: NamedThing = .music) -> String? {
    if MediaList.isStream(name) { return AddressText(name)?.problem.map { "'" + name + "': " + $0 } }
    if name == "." { return nil }
    if let saved = PlaylistName(path: name) {
      guard let state = settings.checkpointPath else { return nil }
      return Self.kept(PlaylistStore.self, state + ".playlists")[saved] == nil
        ? "there is no playlist '\(saved.text)'" : nil
    }
    if thing == .music, let problem = NameMatch.beyond(name, roots) { return problem }
    let (asked, found) = matches(name)
    let away = found.firstIndex(of: .away).map { asked[$0] }
    return NameMatch.sentence(name, found, as: thing, silent: nil, away: away)
  }

  /// Looks up a name in the folders that it may be in.
  ///
  /// - Returns: The folders, and the match in each.
  private func matches(_ name: String) -> (folders: [String], matches: [NameMatch]) {
    let places = roots.covering(name)
    let asked = places.candidates(for: name)
    let media = MountedMedia()
    return (
      asked,
      asked.map {
        NameMatch(of: name, in: $0, within: places, media, mayBeEmpty: $0 == settings.removableFolder)
      }
    )
  }

  /// Path of a name; nil if it does not exist.
  private func path(of name: String) -> String? {
    let (asked, found) = matches(name)
    for (folder, match) in zip(asked, found) {
      switch match {
      case .there: return name.utf8.first == 0x2F ? name : Directory.path(of: name, in: folder)
      case .alike(let path): return path
      case .away, .outside, .missing: continue
      }
    }
    return nil
  }
}
