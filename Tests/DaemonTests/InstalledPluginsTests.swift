// The findings of `swiftlet doctor` about missing plugins and the names that need them. Test threads.

import Foundation
import PlaybackModel
import Testing

@testable import Daemon

@Suite struct InstalledPluginsTests {
  /// All plugins for audio files except one.
  private func plugins(without missing: MusicKind? = nil, hasTransport: Bool = true) -> InstalledPlugins {
    let kinds = MusicKind.all.filter { $0 != missing }
    return InstalledPlugins(
      codecs: kinds.map { ($0.codec, $0.endings.joined(separator: " ")) }, hasTransport: hasTransport)
  }

  @Test(arguments: MusicKind.all) func eachEndingNeedsItsPlugin(kind: MusicKind) {
    for ending in kind.endings.flatMap({ [$0, $0.uppercased()] }) {
      let path = "/music/a b/x." + ending
      #expect(plugins().missing(for: [path]).isEmpty)
      let found = plugins(without: kind).missing(for: [path])
      #expect(
        found.map(\.problem) == [
          "'\(path)' is \(kind.codec), and the plugin for \(kind.codec) is not installed"
        ])
      #expect(found.first?.remedy.hasSuffix(" " + kind.debianPackage) == true)
      // Another vendor's plugin may handle the same endings.
      let other = InstalledPlugins(
        codecs: [("Other", kind.endings.joined(separator: " "))], hasTransport: false)
      #expect(other.missing(for: [path]).isEmpty)
    }
  }

  @Test func packagesAreThoseThatThePackagingMakes() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    func names(_ folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
    }
    #expect(try names("Sources/Decoding/Codecs") == MusicKind.all.map(\.codec).sorted())
    let own = MusicKind.all.filter { $0.debianPackage != "swiftlet" }
    #expect(try names("packaging/codecs") == own.map(\.codec).sorted())
    #expect(own.allSatisfy { $0.debianPackage == "swiftlet-codec-" + $0.codec.lowercased() })
  }

  @Test func manyTracksAreOneSentenceForEachPlugin() {
    let paths = ["a.m4b", "b.flac", "c.M4A", "http://x/y", "d.wv", "e", "f.xyz"]
    let few = InstalledPlugins(codecs: [("FLAC", "flac")], hasTransport: false)
    #expect(
      few.missing(for: paths).map { $0.problem + ": " + $0.remedy } == [
        "2 of 7 tracks, such as 'a.m4b', are AAC, and the plugin for AAC is not installed: sudo apt install swiftlet-codec-aac",
        "1 of 7 tracks, such as 'http://x/y', is a stream, and the plugin for streams is not installed: sudo apt install swiftlet-http",
        "1 of 7 tracks, such as 'd.wv', is WavPack, and the plugin for WavPack is not installed: sudo apt install swiftlet-codec-wavpack",
      ])
    #expect(few.missing(for: []).isEmpty)
  }
}
