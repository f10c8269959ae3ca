// `swiftlet-sim`: runs simulated players and boxes and reports violations. Main program; one thread.

import Foundation
import Simulator

@main
struct Main {
  static func main() {
    do throws(Options.Fault) {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      exit(try perform(options) ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("swiftlet-sim: \(error.sentence)\n".utf8))
      exit(2)
    }
  }

  /// Performs the task of the command line.
  /// - Returns: Whether there was no violation.
  private static func perform(_ options: Options) throws(Options.Fault) -> Bool {
    switch options.task {
    case .help:
      print(Options.help)
      return true
    case .show(let seed):
      print(World(seed: seed).text, terminator: "")
      return true
    case .run(let seeds, let hours):
      if options.isChild { return run(seeds, hours, options) }
      return Supervisor.run(seeds, hours, options)
    case .replay(let file, let script):
      let world: World
      do {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        if RecordedFlight.isReport(text) { return ReportReplay.run(text, script: script, options) }
        world = try World(text: text)
      } catch let fault as ScriptFault {
        throw Options.Fault("\(file): \(fault.description)")
      } catch {
        throw Options.Fault("\(file) cannot be read")
      }
      CrashNote.install()
      CrashNote.set("crash \(file)\n")
      let outcome = Simulation(world, ignoring: options.ignored).run()
      print(Report(world, outcome, origin: file).text)
      return outcome.violation == nil
    case .exhaustive(let depth, let sample):
      return options.isChild ? exhaust(depth, sample, options) : Supervisor.exhaust(depth, sample, options)
    }
  }

  private static func run(_ seeds: ClosedRange<UInt64>, _ hours: Double?, _ options: Options) -> Bool {
    CrashNote.install()
    var total: UInt64 = 0
    var lines = 0
    var powerCuts = 0
    var digest: UInt64 = 0
    var tally: [(rule: Violation.Rule, count: Int, first: UInt64)] = []
    var coverage = Coverage()
    for seed in seeds {
      if options.leftOut.contains(seed) {
        print("left out: seed \(seed)")
        continue
      }
      if let wantsBoxes = options.wantsBoxes, (seed % World.boxesOneIn == 0) != wantsBoxes { continue }
      let world = World(seed: seed)
      CrashNote.set("crash \(seed)\n")
      let outcome = Simulation(world, ignoring: options.ignored, isTraced: options.showsCoverage).run()
      total += outcome.duration
      lines += outcome.lines
      powerCuts += outcome.powerCuts
      digest = digest &* 31 &+ outcome.digest
      coverage.add(outcome.coverage)
      if let violation = outcome.violation {
        guard options.isSummary else {
          explain(world, seed, options)
          return false
        }
        let place = tally.firstIndex { $0.rule == violation.rule }
        if let place { tally[place].count += 1 } else { tally.append((violation.rule, 1, seed)) }
        if place == nil || options.listsAll {
          print(
            "\(violation.rule.rawValue): seed \(seed): expected \(violation.expected), found \(violation.found)"
          )
          fflush(nil)
        }
      }
      if let hours, Double(total) >= hours * 3.6e12 { break }
    }
    for entry in tally.sorted(by: { $0.count > $1.count }) {
      print("\(entry.rule.rawValue): \(entry.count) times, first with seed \(entry.first)")
    }
    let time = Double(total) / 3.6e12
    print(
      "\((time * 1000).rounded() / 1000) hours of box time, \(lines) actions, \(powerCuts) power cuts, digest \(String(digest, radix: 16))"
    )
    if options.showsCoverage { print(coverage.text, terminator: "") }
    return tally.isEmpty
  }

  /// Runs the worlds up to a depth that the sample selects.
  private static func exhaust(_ depth: Int, _ sample: Exhaustive.Sample, _ options: Options) -> Bool {
    CrashNote.install()
    var tally: [(rule: Violation.Rule, count: Int)] = []
    var runs = 0
    var coverage = Coverage()
    let count = Exhaustive.count(depth: depth, with: sample.action)
    var index = sample.first
    while index < count {
      let world = Exhaustive.world(index, with: sample.action)
      CrashNote.set("crash \(index)\n")
      let outcome = Simulation(world, ignoring: options.ignored, isTraced: options.showsCoverage).run()
      runs += 1
      coverage.add(outcome.coverage)
      if let violation = outcome.violation {
        guard options.isSummary else {
          explain(world, UInt64(index), options)
          return false
        }
        if let place = tally.firstIndex(where: { $0.rule == violation.rule }) {
          tally[place].count += 1
        } else {
          tally.append((violation.rule, 1))
        }
        if tally.first(where: { $0.rule == violation.rule }).map({ $0.count <= 3 }) == true {
          print(
            "\(violation.rule.rawValue): \(Exhaustive.name(world)): expected \(violation.expected), found \(violation.found)"
          )
          fflush(nil)
        }
      }
      index += sample.step
    }
    for entry in tally.sorted(by: { $0.count > $1.count }) {
      print("\(entry.rule.rawValue): \(entry.count) of \(runs)")
    }
    print("\(runs) worlds of \(count)")
    if options.showsCoverage { print(coverage.text, terminator: "") }
    return tally.isEmpty
  }

  /// Runs a failing world again with traces, and minimizes it.
  private static func explain(_ world: World, _ seed: UInt64, _ options: Options) {
    let outcome = Simulation(world, ignoring: options.ignored).run()
    print(Report(world, outcome, origin: "seed \(seed)").text)
    guard options.minimizes, let rule = outcome.violation?.rule else {
      print("the script, for 'swiftlet-sim replay':\n" + world.text)
      return
    }
    let small = Minimizer.minimize(world, rule: rule, ignoring: options.ignored)
    print(Report(small, Simulation(small, ignoring: options.ignored).run(), origin: "made small").text)
    print("the script, for 'swiftlet-sim replay':\n" + small.text)
  }
}
