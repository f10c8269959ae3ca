// The content determines which plugin plays a file, whatever its name. Test threads.

import ChildSupport
import CodecPlugin
import Foundation
import Testing

@Suite struct ProbeTests {
  @Test(arguments: Fixtures.all)
  func theRightPluginIsSurest(_ fixture: Fixture) {
    let scores = Plugin.all.map { ($0.name, $0.probe(fixture.bytes.prefix(4096))) }
    let best = scores.max { $0.1 < $1.1 }
    #expect(best?.0 == fixture.codec)
    #expect(scores.filter { $0.1 == best?.1 }.count == 1, "\(scores)")
    #expect((best?.1 ?? 0) >= 50)
  }

  @Test func noPluginClaimsNoise() {
    var random = Random(99)
    for length in [0, 1, 3, 11, 27, 28, 200, 4096] {
      for _ in 0..<200 {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        for plugin in Plugin.all { #expect(plugin.probe(bytes) < 50) }
      }
    }
    for plugin in Plugin.all { #expect(plugin.table.pointee.probe(nil, 0) == 0) }
  }

  /// Probing any truncated beginning of a file is safe.
  @Test(arguments: Fixtures.all)
  func cutBeginningsAreSafe(_ fixture: Fixture) {
    for length in stride(from: 0, to: 300, by: 1) {
      for plugin in Plugin.all {
        let score = plugin.probe(fixture.bytes.prefix(length))
        #expect(score >= 0 && score <= 100)
      }
    }
  }

  @Test(arguments: ShippedCodecs.names)
  func theTableIsComplete(_ name: String) {
    let plugin = Plugin.named(name)
    #expect(plugin.name == name)
    #expect(plugin.table.pointee.abi == UInt32(SWIFTLET_CODEC_ABI))
    #expect(Int(plugin.table.pointee.size) == MemoryLayout<swiftlet_codec>.size)
    #expect(!String(cString: plugin.table.pointee.version).isEmpty)
    #expect(!Plugin.strings(plugin.table.pointee.extensions).isEmpty)
    #expect(Plugin.strings(plugin.table.pointee.mime_types).allSatisfy { $0.contains("/") })
  }

  @Test(arguments: Plugin.all)
  func aForeignFileIsRefusedInWords(_ plugin: Plugin) throws {
    for fixture in Fixtures.all where fixture.codec != plugin.name {
      do {
        let stream = try plugin.open(fixture.bytes)
        Issue.record("\(plugin.name) opened \(fixture.name) as \(stream.format)")
      } catch let error as PluginError {
        #expect(error.status < 0)
        #expect(error.sentence.hasSuffix("."), "\(error.sentence)")
      }
    }
  }
}
