// Finds, loads and checks transport plugins. Fetcher process, one thread, before the sandbox closes.

import CLinux
import Platform
import TransportPlugin

/// A loaded plugin with a valid table. Never unloaded.
struct Transport {
  let table: UnsafePointer<swiftlet_transport>

  /// Loads the plugin for a URL.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - folders: Folders to search, separated by colons; empty for the default ones.
  /// - Throws: `FetchFailure` if there is no usable plugin.
  static func load(for url: String, from folders: String) throws(FetchFailure) -> Transport {
    guard let scheme = TransportName.scheme(of: url), let name = TransportName.of(url) else {
      throw FetchFailure(sentence: "No transport plugin is known for such URLs.")
    }
    let places = TransportName.folders(folders)
    if let path = TransportName.path(of: name, in: places) { return try load(path) }
    throw FetchFailure(
      sentence:
        "The transport plugin for \(scheme) is not installed: 'sudo apt install swiftlet-http' installs it. Looked in: "
        + places.joined(separator: ", ") + ".", kind: .format)
  }

  private static func load(_ path: String) throws(FetchFailure) -> Transport {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw FetchFailure(sentence: "\(path) cannot be loaded: \(String(cString: dlerror())).")
    }
    guard let symbol = dlsym(library, SWIFTLET_TRANSPORT_ENTRY),
      let table = unsafeBitCast(symbol, to: swiftlet_transport_entry_fn.self)()
    else { throw FetchFailure(sentence: "\(path) is no transport plugin.") }
    guard table.pointee.abi == SWIFTLET_TRANSPORT_ABI else {
      throw FetchFailure(
        sentence:
          "\(path) speaks version \(table.pointee.abi) of the plugin interface, this Swiftlet version "
          + "\(SWIFTLET_TRANSPORT_ABI); rebuild it against this SwiftletTransport.h.")
    }
    let plugin = table.pointee
    // `location` was added later as the last function and may be missing.
    let least = MemoryLayout<swiftlet_transport>.size - MemoryLayout<UnsafeRawPointer>.size
    guard plugin.size >= UInt32(least), plugin.prepare != nil,
      plugin.open != nil, plugin.begin != nil, plugin.run != nil, plugin.resume != nil, plugin.stop != nil,
      plugin.last_error != nil, plugin.close != nil
    else { throw FetchFailure(sentence: "\(path) has gaps in its table.") }
    guard plugin.prepare() == 0 else { throw FetchFailure(sentence: "\(path) cannot be prepared.") }
    return Transport(table: table)
  }
}
