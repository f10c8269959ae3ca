// The codec plugins that come with Swiftlet: the folders of Sources/Decoding/Codecs. Test threads.

import Foundation

/// The plugins that come with Swiftlet.
package enum ShippedCodecs {
  /// What they call themselves.
  package static let names: [String] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/Decoding/Codecs")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.standardizedFileURL.path)) ?? []
    precondition(!names.isEmpty, "there are no codecs in \(folder.path)")
    return names.sorted()
  }()

  /// The file of the plugin with a name.
  package static func file(_ name: String) -> String { "libSwiftletCodec\(name).so" }
}
