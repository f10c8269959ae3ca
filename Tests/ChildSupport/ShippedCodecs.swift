// The codec plugins shipped with Swiftlet: the folders of Sources/Decoding/Codecs. Test threads.

import Foundation

/// The codec plugins shipped with Swiftlet.
package enum ShippedCodecs {
  /// The names of the plugins.
  package static let names: [String] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/Decoding/Codecs")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.standardizedFileURL.path)) ?? []
    precondition(!names.isEmpty, "there are no codecs in \(folder.path)")
    return names.sorted()
  }()

  /// The file name of a plugin.
  package static func file(_ name: String) -> String { "libSwiftletCodec\(name).so" }
}
