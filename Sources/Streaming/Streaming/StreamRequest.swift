// What is fetched, and within which bounds. A value; any thread.

import CLinux
import Platform

/// A URL, and how patiently its bytes are waited for.
package struct StreamRequest: Hashable, Sendable {
  /// Bytes of a URL at most.
  package static let maxURLLength = 2048

  /// The URL, of a scheme that a transport plugin knows.
  package var url: String
  /// Where it is a station's list: the address that was played last, so that those behind it are tried first; empty for none.
  package var previous = ""
  /// Bytes of the stream that are kept, a power of two.
  package var window = 4 << 20
  /// Milliseconds of sound that are decoded before it begins, also after it ran dry.
  package var startMilliseconds = 1500
  /// Milliseconds that a connection may take.
  package var connectMilliseconds: UInt32 = 10_000
  /// Milliseconds without a byte after which a connection counts as lost.
  package var stallMilliseconds: UInt32 = 10_000
  /// Milliseconds without a byte, over all connections, after which the stream has failed.
  package var giveUpMilliseconds: UInt32 = 60_000
  /// A proxy's URL; empty for none.
  package var proxy = ""
  /// Whether a server may lead to addresses of this machine and its network though it is not one of these itself.
  package var allowsPrivateRedirects = false
  /// The reach of the server that has named the URL, in a station's list; nil: a person has named it.
  package var leastReach: AddressReach?
  /// The folders of transport plugins, with colons between them; empty for the usual places: next to the executable, then
  /// /usr/lib/swiftlet/transports.
  package var plugins = ""

  /// A request with the defaults.
  package init(_ url: String) { self.url = url }

  /// Nanoseconds within which a fetcher has given up what it cannot get.
  package var patienceNanoseconds: UInt64 {
    UInt64(connectMilliseconds + stallMilliseconds + giveUpMilliseconds) * 2_000_000
  }

  /// Whether a path is no path but the URL of a stream.
  package static func isStream(_ path: String) -> Bool { TransportName.of(path) != nil }

  /// Whether the plugin that fetches streams is in one of some folders: a list as `plugins`.
  package static func isInstalled(in folders: String) -> Bool {
    TransportName.plugins.allSatisfy { TransportName.path(of: $0, in: TransportName.folders(folders)) != nil }
  }

  /// A URL as transports fetch it: Shoutcast's own scheme is HTTP, and a raw space, which no URL holds, is written as `%20`.
  static func fetchable(_ url: String) -> String {
    var bytes: [UInt8] = []
    for byte in url.utf8 { if byte == 0x20 { bytes += Array("%20".utf8) } else { bytes.append(byte) } }
    if TransportName.scheme(of: url) == "icy" { bytes = Array("http".utf8) + bytes.dropFirst(3) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The window, brought into its bounds: 64 KiB to 64 MiB.
  var boundedWindow: Int {
    var size = 64 << 10
    while size < window, size < 64 << 20 { size *= 2 }
    return size
  }
}

/// Which transport plugin a URL's scheme stands for.
enum TransportName {
  private static let table: [(scheme: String, plugin: String)] = [
    ("http", "HTTP"), ("https", "HTTP"), ("icy", "HTTP"),
  ]

  /// The names of all plugins.
  static var plugins: Set<String> { Set(table.map { $0.plugin }) }

  /// The folders that plugins may be in: those of a list with colons between them, or the usual ones.
  static func folders(_ list: String) -> [String] {
    list.isEmpty
      ? [Executable.folder, "/usr/lib/swiftlet/transports"] : list.split(separator: ":").map { String($0) }
  }

  /// The file of a plugin; nil where none of the folders has it.
  static func path(of plugin: String, in folders: [String]) -> String? {
    for folder in folders {
      for ending in [".so", ".elf"] {
        let path = "\(folder)/libSwiftletTransport\(plugin)\(ending)"
        if access(path, R_OK) == 0 { return path }
      }
    }
    return nil
  }

  /// The plugin's name; nil for a scheme that none is known for.
  static func of(_ url: String) -> String? {
    guard let scheme = scheme(of: url) else { return nil }
    return table.first { $0.scheme == scheme }?.plugin
  }

  /// What stands before `://`, in small letters; nil where that is no URL.
  static func scheme(of url: String) -> String? {
    let bytes = url.utf8.prefix { $0 != 0x3A && $0 != 0x2F }
    guard bytes.count > 1, bytes.count < 16, url.utf8.dropFirst(bytes.count).starts(with: "://".utf8) else {
      return nil
    }
    return String(decoding: bytes.map { $0.asciiLowercased }, as: UTF8.self)
  }
}
