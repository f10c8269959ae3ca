// `swiftlet-converse`: runs conversations with hostile workers, generated from seeds or read from a file, and reports
// violations. Main program; one thread.

import CLinux
import Conversations
import Platform

@main
struct Main {
  /// Allowed growth of the process's memory over all conversations, in KiB. Heap fragmentation needs some, but a
  /// leaked ring of 260 KiB per conversation exceeds it at once.
  private static let usualGrowth = 1024
  private static let usage = """
    usage: swiftlet-converse [--seed N] [--count N]   holds conversations, of a seed and those that follow
               [--growth KIB]                         by which memory may grow over all of them
           swiftlet-converse --show N                 holds that of a seed, and says what happens in it
           swiftlet-converse FILE                     the same with the one in a file

    """

  static func main() {
    var (seed, count, growth) = (1 as UInt64, 1000 as UInt64, usualGrowth)
    var words = Arguments.all().dropFirst()
    while let word = words.popFirst() {
      if !word.hasPrefix("-"), let bytes = contents(word) { exit(show(bytes) ? 0 : 1) }
      guard let value = words.popFirst().flatMap({ UInt64($0) }) else { fail() }
      switch word {
      case "--seed": seed = value
      case "--count": count = value
      case "--growth": growth = Int(clamping: value)
      case "--show": exit(show(ConversationGenerator.bytes(seed: value)) ? 0 : 1)
      default: fail()
      }
    }
    exit(hold(seed, count, growth) ? 0 : 1)
  }

  private static func fail() -> Never {
    TextOutput.standardError.write(usage)
    exit(64)
  }

  /// Reads a fuzzer's input file, of at most 64 KiB.
  private static func contents(_ path: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = bytes.withUnsafeMutableBytes { buffer in (try? file.read(into: buffer)) ?? 0 }
    return Array(bytes[..<count])
  }

  private static func show(_ bytes: [UInt8]) -> Bool {
    let finding = ConversationTrial.finding(in: bytes, isAlone: true) {
      TextOutput.standardOutput.line($0)
    }
    TextOutput.standardOutput.line(finding ?? "nothing found")
    return finding == nil
  }

  private static func hold(_ first: UInt64, _ count: UInt64, _ mostGrowth: Int) -> Bool {
    let begin = MonotonicClock.now()
    var settled = 0
    for seed in first..<first + count {
      // By then, everything allocated only once has been allocated.
      if seed == first + 200 { settled = ResidentMemory.kibibytes }
      if let finding = ConversationTrial.finding(in: ConversationGenerator.bytes(seed: seed), isAlone: true) {
        TextOutput.standardError.line("swiftlet-converse: seed \(seed): \(finding)")
        return false
      }
    }
    let growth = settled > 0 ? ResidentMemory.kibibytes - settled : 0
    guard growth < mostGrowth else {
      TextOutput.standardError.line(
        "swiftlet-converse: memory has grown by \(growth) KiB over \(count) conversations")
      return false
    }
    let milliseconds = max(1, (MonotonicClock.now() - begin) / 1_000_000)
    TextOutput.standardOutput.line(
      "\(count) conversations from seed \(first): nothing found, \(count * 1000 / milliseconds) a second, \(growth) KiB more memory"
    )
    return true
  }
}
