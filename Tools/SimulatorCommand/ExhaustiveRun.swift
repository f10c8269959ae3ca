// Tries all short sequences of events at all moments of a fade. One thread.

import Foundation
import Simulator

/// Runs a space of worlds from end to end; it goes on after violations, and says of each rule which sequence is the
/// first to break it.
enum ExhaustiveRun {
  /// Answers whether all went well.
  static func run(_ space: Exhaustive, from first: Int, _ options: Options) -> Bool {
    CrashNote.install()
    var tally: [(rule: Violation.Rule, count: Int, first: Int)] = []
    var total: UInt64 = 0
    for index in first..<max(first, space.count) {
      CrashNote.set("crash \(index)\n")
      let world = space.world(index)
      let outcome = Simulation(world, ignoring: options.ignored).run()
      total += outcome.duration
      guard let violation = outcome.violation else { continue }
      if let place = tally.firstIndex(where: { $0.rule == violation.rule }) {
        tally[place].count += 1
        continue
      }
      tally.append((violation.rule, 1, index))
      print("\(violation.rule.rawValue): \(space.name(index))")
      print("  expected \(violation.expected), found \(violation.found)")
      if !options.isSummary { print("the script, for 'swiftlet-sim replay':\n" + world.text) }
      fflush(nil)
    }
    for entry in tally.sorted(by: { $0.count > $1.count }) {
      print("\(entry.rule.rawValue): \(entry.count) times, first with \(space.name(entry.first))")
    }
    let hours = (Double(total) / 3.6e9).rounded() / 1000
    print("\(space.count - first) sequences, \(hours) hours of box time")
    return tally.isEmpty
  }

  /// As `run`, in another process, and again behind each sequence that makes the code under trial trap.
  static func supervise(_ space: Exhaustive, _ options: Options) -> Bool {
    var (first, isFine) = (0, true)
    while true {
      let words = ["exhaustive", "--child", "--depth", "\(space.depth)", "--sample", "\(space.sample)"]
      let (status, output) = Supervisor.start(
        words + ["--from", "\(first)"] + Supervisor.others(options), echoes: true)
      guard status == CrashNote.status, let crashed = Supervisor.seed(in: output) else {
        return isFine && status == 0
      }
      isFine = false
      print("trap: \(space.name(Int(crashed)))")
      if !options.isSummary { print(space.world(Int(crashed)).text) }
      first = Int(crashed) + 1
    }
  }
}
