// Checks which codec and transport plugins stored music needs but the machine lacks, for `swiftlet doctor`. Pure
// functions.

import Media
import PlaybackModel

/// Codec and transport plugins installed on a machine.
package struct InstalledPlugins: Hashable, Sendable {
  /// Names of the codec plugins.
  private let codecs: Set<String>
  /// File name extensions of third-party plugins, in lower case without the dot. Swiftlet's own plugins are identified
  /// by name instead, since several share an extension.
  private let endings: Set<String>
  private let hasTransport: Bool

  /// Creates the set of installed plugins.
  ///
  /// - Parameters:
  ///   - codecs: Name of each codec plugin and its file name extensions, separated by spaces.
  ///   - hasTransport: Whether the plugin for HTTP streams is installed.
  package init(codecs: [(name: String, endings: String)], hasTransport: Bool) {
    self.codecs = Set(codecs.map { $0.name })
    let foreign = codecs.filter { codec in !MusicKind.all.contains { $0.codec == codec.name } }
    endings = Set(foreign.flatMap { $0.endings.split(separator: " ").map { String($0) } })
    self.hasTransport = hasTransport
  }

  /// A plugin that is not installed but needed.
  package struct Missing: Hashable, Sendable {
    /// The problem, as a sentence without its full stop.
    package let problem: String
    /// Command that installs the plugin.
    package let remedy: String
  }

  /// Plugins missing for a list of tracks, in order of first use. A plugin is derived from the file name; files with
  /// unknown extensions are assumed to be playable.
  ///
  /// - Parameter paths: Paths or URLs of the tracks.
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
