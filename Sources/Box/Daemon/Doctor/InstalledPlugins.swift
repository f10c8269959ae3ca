// Which plugins a machine has, and what stored names need beyond them, for `swiftlet doctor`. Pure.

import Media
import PlaybackModel

/// The codec and transport plugins of a machine.
package struct InstalledPlugins: Hashable, Sendable {
  /// The names of the codec plugins.
  private let codecs: Set<String>
  /// Endings of file names that plugins from elsewhere play: small letters, without the dot. Several of Swiftlet's name one ending, each for
  /// other contents.
  private let endings: Set<String>
  private let hasTransport: Bool

  /// Plugins of a machine.
  ///
  /// - Parameters:
  ///   - codecs: The names of the codec plugins, each with the endings that it plays, separated by spaces.
  ///   - hasTransport: Whether the plugin for streams is installed.
  package init(codecs: [(name: String, endings: String)], hasTransport: Bool) {
    self.codecs = Set(codecs.map { $0.name })
    let foreign = codecs.filter { codec in !MusicKind.all.contains { $0.codec == codec.name } }
    endings = Set(foreign.flatMap { $0.endings.split(separator: " ").map { String($0) } })
    self.hasTransport = hasTransport
  }

  /// A plugin that is not installed, and what needs it.
  package struct Missing: Hashable, Sendable {
    /// The problem, as a sentence without its full stop.
    package let problem: String
    /// The command that installs the plugin.
    package let remedy: String
  }

  /// The plugins that are missing for what a name stands for, in the order of its tracks. A track's name tells its plugin, as a rule; where
  /// it does not, none is missing.
  package func missing(for paths: [String]) -> [Missing] {
    var found: [(need: Need, count: Int, path: String)] = []
    for path in paths {
      guard let need = need(of: path) else { continue }
      if let place = found.firstIndex(where: { $0.need == need }) {
        found[place].count += 1
      } else {
        found.append((need, 1, path))
      }
    }
    return found.map { need, count, path in
      let verb = count == 1 ? "is " + need.one : "are " + need.several
      let subject =
        paths.count == 1
        ? "'\(path)' " + verb : "\(count) of \(paths.count) tracks, such as '\(path)', " + verb
      return Missing(
        problem: subject + ", and the plugin for \(need.several) is not installed",
        remedy: "sudo apt install \(need.package == "swiftlet" ? "--reinstall " : "")\(need.package)")
    }
  }

  private struct Need: Equatable {
    let one: String
    let several: String
    let package: String
  }

  private func need(of path: String) -> Need? {
    if MediaList.isStream(path) {
      return hasTransport ? nil : Need(one: "a stream", several: "streams", package: "swiftlet-http")
    }
    guard let kind = MusicKind.of(path: path), !codecs.contains(kind.codec),
      !kind.endings.contains(where: { endings.contains($0) })
    else { return nil }
    return Need(one: kind.codec, several: kind.codec, package: kind.debianPackage)
  }
}
