// Hostile workers in conversations with a real player: no traps, and the other deck loses no frame. Test
// threads.

import Conversations
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct ConversationTests {
  /// Conversations that once revealed bugs, kept as regression tests.
  @Test func theSeedsOfTheFuzzerFindNothing() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fuzz/Corpus/conversations")
    let seeds = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(seeds.count > 20)
    for seed in seeds {
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: seed)))
      #expect(ConversationTrial.finding(in: bytes, isAlone: false) == nil, "\(seed)")
    }
  }

  @Test(arguments: 0..<4)
  func conversationsMadeUpFindNothing(part: UInt64) {
    for seed in part * 50..<part * 50 + 50 {
      #expect(
        ConversationTrial.finding(in: ConversationGenerator.bytes(seed: seed), isAlone: false) == nil,
        "seed \(seed)")
    }
  }
}
