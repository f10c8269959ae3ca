// The commands that an integration's process may give, even if it is compromised. Test threads.

import Testing

@testable import Console

@Suite struct IntegrationRightsTests {
  /// Lines that no integration may give.
  static let foreign = [
    "shutdown", "save", "set volume.maximum 100", "set media.root /", "unset all", "show mqtt.password",
    "show",
    "diff", "log", "report", "board raspberry-pi-4", "standby", "pin 1234", "watch",
    "test tone", "interruption begin", "help",
  ]

  private func mayGive(_ line: String, _ kind: IntegrationKind) -> Bool? {
    (try? Interpreter.parse(Array(line.utf8)) ?? nil).map { kind.mayGive($0) }
  }

  @Test(arguments: foreign) func whatSetsUpTheBoxIsForNone(line: String) throws {
    for kind in IntegrationKind.allCases { #expect(mayGive(line, kind) == false, "\(line), \(kind)") }
  }

  @Test(arguments: [
    ("play", true, true), ("play Albums", true, true), ("volume 40", true, true), ("idle", true, true),
    ("format lines", true, true), ("queue remove 1", true, true), ("set gain.mode album", true, false),
    ("crossfade 4", true, false), ("show media.root", true, false), ("playlist delete Jazz", true, false),
    ("playlist", true, true), ("sticker list a.flac", true, false), ("alarm", false, true),
    ("announce a.flac", false, true), ("history", false, true), ("sleep 20", false, true),
    ("sleep track", true, true), ("sleep off", true, true),
  ]) func eachGivesWhatItIsFor(line: String, mpd: Bool, mqtt: Bool) {
    #expect(mayGive(line, .mpd) == mpd && mayGive(line, .mqtt) == mqtt)
    #expect(mayGive(line, .discovery) == false)
  }
}
