// `swiftlet-converse`: holds conversations with hostile workers, by the thousand, and says what came of it. One thread.

import CLinux
import Conversations
import Platform

@main
struct Main {
  /// KiB of memory by which the process may grow over all conversations: less than a ring.
  private static let mostGrowth = 200
  private static let usage = """
    usage: swiftlet-converse [--seed N] [--count N]   holds conversations, of a seed and those that follow
           swiftlet-converse --show N                 holds that of a seed, and says what happens in it

    """

  static func main() {
    var (seed, count) = (1 as UInt64, 1000 as UInt64)
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      guard let value = words.popFirst().flatMap({ UInt64($0) }) else { fail() }
      switch word {
      case "--seed": seed = value
      case "--count": count = value
      case "--show": exit(show(value) ? 0 : 1)
      default: fail()
      }
    }
    exit(hold(seed, count) ? 0 : 1)
  }

  private static func fail() -> Never {
    TextOutput.standardError.write(usage)
    exit(64)
  }

  private static func show(_ seed: UInt64) -> Bool {
    let finding = ConversationTrial.finding(in: ConversationGenerator.bytes(seed: seed), isAlone: true) {
      TextOutput.standardOutput.line($0)
    }
    TextOutput.standardOutput.line(finding ?? "nothing found")
    return finding == nil
  }

  private static func hold(_ first: UInt64, _ count: UInt64) -> Bool {
    let begin = MonotonicClock.now()
    var settled = 0
    for seed in first..<first + count {
      // By then everything that is made once has been made.
      if seed == first + 200 { settled = ResidentMemory.kibibytes }
      if let finding = ConversationTrial.finding(in: ConversationGenerator.bytes(seed: seed), isAlone: true) {
        TextOutput.standardError.line("swiftlet-converse: seed \(seed): \(finding)")
        return false
      }
    }
    let growth = settled > 0 ? ResidentMemory.kibibytes - settled : 0
    guard growth < mostGrowth else {
      TextOutput.standardError.line("swiftlet-converse: memory has grown by \(growth) KiB over \(count) conversations")
      return false
    }
    let milliseconds = max(1, (MonotonicClock.now() - begin) / 1_000_000)
    TextOutput.standardOutput.line(
      "\(count) conversations from seed \(first): nothing found, \(count * 1000 / milliseconds) a second, \(growth) KiB more memory")
    return true
  }
}
