// Finds, loads and checks codec plugins. Worker process, one thread, before the sandbox closes.

import CLinux
import CodecPlugin
import Platform

/// A loaded plugin with a valid table. Never unloaded.
struct Plugin {
  let table: UnsafePointer<swiftlet_codec>

  /// Loads a shared object.
  ///
  /// - Throws: A failure whose sentence begins with "It"; the caller puts the path in front.
  static func load(_ path: String) throws(WorkerFailure) -> Plugin {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw WorkerFailure(.internalError, "It cannot be loaded: \(String(cString: dlerror())).")
    }
    guard let symbol = dlsym(library, SWIFTLET_CODEC_ENTRY) else {
      throw WorkerFailure(
        .internalError, "It is no codec plugin: there is no function \(SWIFTLET_CODEC_ENTRY) in it.")
    }
    let entry = unsafeBitCast(symbol, to: swiftlet_codec_entry_fn.self)
    guard let table = entry() else {
      throw WorkerFailure(.internalError, "It is no codec plugin: its table is missing.")
    }
    guard (SWIFTLET_CODEC_OLDEST_ABI...SWIFTLET_CODEC_ABI).contains(table.pointee.abi) else {
      throw WorkerFailure(
        .internalError,
        "It speaks version \(table.pointee.abi) of the plugin interface, this Swiftlet versions "
          + "\(SWIFTLET_CODEC_OLDEST_ABI) to \(SWIFTLET_CODEC_ABI); rebuild it against this SwiftletCodec.h.")
    }
    guard table.pointee.size >= UInt32(Self.minSize), table.pointee.name != nil,
      table.pointee.version != nil,
      table.pointee.extensions != nil, table.pointee.mime_types != nil, table.pointee.probe != nil,
      table.pointee.open != nil,
      table.pointee.decode != nil, table.pointee.seek != nil, table.pointee.last_error != nil,
      table.pointee.close != nil
    else { throw WorkerFailure(.internalError, "Its table has gaps.") }
    return Plugin(table: table)
  }

  /// Sizes of a table without `measure` and `describe`, of one without `describe`, and of a complete one.
  /// `measure` was added during version 2, `describe` with version 3.
  private static let minSize = wholeSize - 2 * MemoryLayout<OpaquePointer>.size
  private static let measuringSize = wholeSize - MemoryLayout<OpaquePointer>.size
  private static let wholeSize = MemoryLayout<swiftlet_codec>.size

  /// Whether the plugin can find the end of a stream without decoding it.
  var canMeasure: Bool {
    table.pointee.abi >= 2 && table.pointee.size >= UInt32(Self.measuringSize)
      && table.pointee.measure != nil
  }

  /// Whether the plugin can report multiple tag values and chapters.
  var canDescribe: Bool {
    table.pointee.abi >= 3 && table.pointee.size >= UInt32(Self.wholeSize) && table.pointee.describe != nil
  }

  /// Calls the plugin's `measure` and checks the result.
  ///
  /// - Returns: 1, 0 or a negative status as in the ABI; `unsupported` if the plugin has no `measure` or the
  ///   result is implausible.
  func measure(
    _ decoder: OpaquePointer, bytes: Int, _ extent: inout swiftlet_extent
  ) -> Int32 {
    guard canMeasure, let measure = table.pointee.measure else { return SWIFTLET_ERROR_UNSUPPORTED.rawValue }
    let status = measure(decoder, bytes, &extent)
    let isPlausible = (0...Limits.maxTrack).contains(extent.frames) && extent.next >= 0
    return status < 0 || isPlausible ? min(status, 1) : SWIFTLET_ERROR_UNSUPPORTED.rawValue
  }

  /// The plugin's name, sanitised.
  var name: String { text(table.pointee.name) }

  var description: PluginDescription {
    PluginDescription(
      name: name, version: text(table.pointee.version), extensions: list(table.pointee.extensions),
      mimeTypes: list(table.pointee.mime_types))
  }

  /// The plugin's score for a file that begins with `bytes`, clamped to 0 to 100.
  func probe(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { Int(min(100, max(0, table.pointee.probe($0.baseAddress, $0.count)))) }
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, Limits.text - 1))
    return String(decoding: bytes, as: UTF8.self).printable(limit: Limits.text)
  }

  private func list(_ words: UnsafePointer<UnsafePointer<CChar>?>?) -> String {
    var result = ""
    var index = 0
    while index < 64, let word = words?[index] {
      result += (index == 0 ? "" : " ") + text(word)
      index += 1
    }
    return result
  }
}

/// Locates plugins in the file system.
enum PluginDirectory {
  private static let prefix = "libSwiftletCodec"
  private static let endings = [".so", ".elf"]

  /// The directories to search: those of `explicit`, separated by colons; if it is empty, next to the
  /// executable, then the system's.
  static func candidates(_ explicit: String) -> [String] {
    if !explicit.isEmpty { return explicit.split(separator: ":").map { String($0) } }
    return [Executable.folder, "/usr/lib/swiftlet/codecs"]
  }

  /// The paths of all plugins. Of several with the same name, the first.
  static func paths(_ explicit: String) -> [String] {
    var found: [(name: String, path: String)] = []
    for directory in candidates(explicit) {
      for name in names(in: directory) where !found.contains(where: { $0.name == name }) {
        found.append((name, "\(directory)/\(name)"))
      }
    }
    return found.map { $0.path }
  }

  /// The possible paths of the plugin `name`, in order of preference.
  static func paths(_ explicit: String, name: String) -> [String] {
    var paths: [String] = []
    for directory in candidates(explicit) {
      for ending in endings { paths.append("\(directory)/\(prefix)\(name)\(ending)") }
    }
    return paths
  }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < 256, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      let bytes = Array(name.utf8)
      let isPlugin =
        bytes.starts(with: prefix.utf8)
        && endings.contains { bytes.reversed().starts(with: $0.utf8.reversed()) }
      if isPlugin { names.append(name) }
    }
    return names.sorted()
  }
}
