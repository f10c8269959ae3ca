// The parameters of a stream: its URL, timeouts and limits. A value; any thread.

import CLinux
import Platform

/// A URL to stream, and how to fetch it.
package struct StreamRequest: Hashable, Sendable {
  /// Maximum length of a URL in bytes.
  package static let maxURLLength = 2048

  /// The URL, with a scheme that a transport plugin supports.
  package var url: String
  /// If the URL is a station's playlist: the address that played last, so that later ones are tried first;
  /// empty for none.
  package var previous = ""
  /// Size of the stream's buffer in bytes, a power of two.
  package var window = 4 << 20
  /// Milliseconds of audio to buffer at the start and after an underrun.
  package var startMilliseconds = 1500
  /// Timeout for connecting, in milliseconds.
  package var connectMilliseconds: UInt32 = 10_000
  /// Milliseconds without a byte after which a connection counts as lost.
  package var stallMilliseconds: UInt32 = 10_000
  /// Milliseconds without a byte, across reconnects, after which the stream fails.
  package var giveUpMilliseconds: UInt32 = 60_000
  /// URL of a proxy; empty for none.
  package var proxy = ""
  /// Whether a public server may redirect to addresses of this machine or its local network.
  package var allowsPrivateRedirects = false
  /// The reach of the server whose playlist named the URL; nil if the user named it.
  package var leastReach: AddressReach?
  /// Folders of transport plugins, separated by colons; empty for the first of: next to the executable,
  /// /usr/lib/swiftlet/transports.
  package var plugins = ""

  /// Creates a request with default values.
  package init(_ url: String) { self.url = url }

  /// Nanoseconds after which the fetcher reports a failure at the latest.
  package var patienceNanoseconds: UInt64 {
    UInt64(connectMilliseconds + stallMilliseconds + giveUpMilliseconds) * 2_000_000
  }

  /// Whether a path is the URL of a stream.
  package static func isStream(_ path: String) -> Bool { TransportName.of(path) != nil }

  /// Whether the plugins for streams are installed.
  ///
  /// - Parameter folders: A list of folders, as in `plugins`.
  package static func isInstalled(in folders: String) -> Bool {
    TransportName.plugins.allSatisfy { TransportName.path(of: $0, in: TransportName.folders(folders)) != nil }
  }

  /// Converts a URL to a form that transports accept: replaces Shoutcast's scheme `icy` by `http`, and spaces
  /// by `%20`.
  static func fetchable(_ url: String) -> String {
    var bytes: [UInt8] = []
    for byte in url.utf8 { if byte == 0x20 { bytes += Array("%20".utf8) } else { bytes.append(byte) } }
    if TransportName.scheme(of: url) == "icy" { bytes = Array("http".utf8) + bytes.dropFirst(3) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The buffer size clamped to 64 KiB to 64 MiB, as a power of two.
  var boundedWindow: Int {
    var size = 64 << 10
    while size < window, size < 64 << 20 { size *= 2 }
    return size
  }
}

/// Maps URL schemes to transport plugins.
enum TransportName {
  private static let table: [(scheme: String, plugin: String)] = [
    ("http", "HTTP"), ("https", "HTTP"), ("icy", "HTTP"),
  ]

  /// Names of all plugins.
  static var plugins: Set<String> { Set(table.map { $0.plugin }) }

  /// The folders to search for plugins: those of a list separated by colons, or the default ones.
  static func folders(_ list: String) -> [String] {
    list.isEmpty
      ? [Executable.folder, "/usr/lib/swiftlet/transports"] : list.split(separator: ":").map { String($0) }
  }

  /// Path of a plugin's file; nil if none of the folders has it.
  static func path(of plugin: String, in folders: [String]) -> String? {
    for folder in folders {
      for ending in [".so", ".elf"] {
        let path = "\(folder)/libSwiftletTransport\(plugin)\(ending)"
        if access(path, R_OK) == 0 { return path }
      }
    }
    return nil
  }

  /// Name of the plugin for a URL; nil for an unknown scheme.
  static func of(_ url: String) -> String? {
    guard let scheme = scheme(of: url) else { return nil }
    return table.first { $0.scheme == scheme }?.plugin
  }

  /// The scheme of a URL, in lower case; nil if the text is not a URL.
  static func scheme(of url: String) -> String? {
    let bytes = url.utf8.prefix { $0 != 0x3A && $0 != 0x2F }
    guard bytes.count > 1, bytes.count < 16, url.utf8.dropFirst(bytes.count).starts(with: "://".utf8) else {
      return nil
    }
    return String(decoding: bytes.map { $0.asciiLowercased }, as: UTF8.self)
  }
}
