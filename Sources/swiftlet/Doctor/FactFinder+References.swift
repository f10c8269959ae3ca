// Whether what tags, alarms, bindings and settings play is there, for `swiftlet doctor`. Main thread; waits for the storage.

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
  /// Looks for each name that the configuration and the files beside the checkpoint hold.
  static func references(_ settings: Settings, _ controls: ControlTable) -> BoxFacts.References {
    var references = BoxFacts.References()
    let roots = MediaRoots(settings.mediaRoots + (settings.removableFolder.map { [$0] } ?? []))
    func look(_ names: [String], _ owner: String, _ change: String) {
      for name in names {
        references.count += 1
        guard let problem = problem(name, roots, settings) else { continue }
        references.broken.append(
          BoxFacts.Reference(
            owner: owner, problem: problem,
            remedy: MediaList.isStream(name) ? "sudo apt install swiftlet-http" : change))
      }
    }
    for setting in Setting.allCases where setting.namesMusic {
      guard case .text(let path) = settings.value(setting) else { continue }
      look(
        [path], setting.key, "swiftlet ctl set \(setting.key) PATH   or: swiftlet ctl unset \(setting.key)")
    }
    for binding in controls.bindings.bindings {
      look(
        binding.command.playedNames, binding.trigger.text, "swiftlet ctl bind \(binding.trigger.text) COMMAND"
      )
    }
    guard let state = settings.checkpointPath else { return references }
    for alarm in kept(Alarms.self, state + ".alarms").entries {
      look(
        [alarm.name], "alarm \(alarm.time)", "swiftlet ctl alarm   lists them; set it anew with another name")
    }
    for entry in kept(TagBook.self, state + ".tags").entries {
      guard let typed = try? TypedCommand(line: entry.line) else { continue }
      look(typed.command.playedNames, "tag \(entry.tag.text)", "swiftlet ctl tag \(entry.tag.text) COMMAND")
    }
    return references
  }

  private static func kept<Contents: KeptContents>(_ kind: Contents.Type, _ path: String) -> Contents {
    var bytes: [UInt8] = []
    do throws(SystemError) { bytes = try StateFile(path).contents(limit: Contents.longestFile) } catch {}
    return Contents.read(bytes).contents
  }

  /// What is wrong with a name; nil where it leads somewhere.
  private static func problem(_ name: String, _ roots: MediaRoots, _ settings: Settings) -> String? {
    if MediaList.isStream(name) {
      return hasTransport ? nil : "'\(name)' is a stream, and the plugin for streams is not installed"
    }
    if name == "." { return nil }
    if let saved = PlaylistName(path: name) {
      guard let state = settings.checkpointPath else { return nil }
      return kept(PlaylistBook.self, state + ".playlists")[saved] == nil
        ? "there is no playlist '\(saved.text)'" : nil
    }
    var places = roots
    if name.utf8.first == 0x2F, roots.root(of: name) == nil {
      places = MediaRoots([AtomicFile.folder(of: name)])
    }
    let asked = name.utf8.first == 0x2F ? places.root(of: name).map { [$0] } ?? [] : places.folders
    let media = MountedMedia()
    let found = asked.map {
      NameMatch(of: name, in: $0, within: places, media, mayBeEmpty: $0 == settings.removableFolder)
    }
    let away = found.firstIndex(of: .away).map { asked[$0] }
    return NameMatch.sentence(name, found, silent: nil, away: away)
  }

  private static var hasTransport: Bool {
    [Executable.folder, "/usr/lib/swiftlet/transports"].contains {
      access($0 + "/libSwiftletTransportHTTP.so", R_OK) == 0
    }
  }
}
