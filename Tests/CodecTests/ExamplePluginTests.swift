// The example plugin in C of the codec authors' guide works as the guide describes. Test threads.

import Foundation
import Testing

@Suite struct ExamplePluginTests {
  static let plugin = Plugin("Tone")

  @Test func playsItsFormat() throws {
    let bytes = Array("SWTONE 440 2.5s\n".utf8)
    #expect(Self.plugin.probe(bytes) == 100)
    let stream = try Self.plugin.open(bytes)
    #expect(stream.format == "Tone")
    #expect(stream.totalFrames == 120_000)
    let samples = try stream.decodeAll()
    #expect(samples.count == 240_000)
    let expected = 0.5 * sin(2 * Double.pi * 440 * 1234 / 48000)
    #expect(abs(Double(samples[2 * 1234]) - expected) < 1e-6)
    try stream.seek(to: 77777)
    #expect(try stream.decode(100).elementsEqual(samples[(2 * 77777)..<(2 * 77877)]))
  }

  @Test(arguments: ["", "SWTONE", "SWTONE x", "SWTONE 440", "SWTONE 440 2.5", "SWTONE 99999 1s"])
  func refusesInWords(_ content: String) {
    let error = #expect(throws: PluginError.self) { try Self.plugin.open(Array(content.utf8)) }
    #expect(error?.sentence.hasSuffix(".") == true)
  }

  @Test func noOtherPluginClaimsIt() {
    for plugin in Plugin.all { #expect(plugin.probe(Array("SWTONE 440 2.5s".utf8)) == 0) }
  }
}
