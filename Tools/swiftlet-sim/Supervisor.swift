// Runs worlds in a child process, because a trap ends the process. One thread; waits for the child.

import Foundation
import Simulator

/// Starts child processes, and continues after the world in which one crashed.
enum Supervisor {
  /// Runs seeds.
  /// - Returns: Whether there was no violation and no crash.
  static func run(_ seeds: ClosedRange<UInt64>, _ hours: Double?, _ options: Options) -> Bool {
    var first = seeds.lowerBound
    var isFine = true
    while true {
      var arguments = ["run", "--child"]
      if let hours {
        arguments += ["--seed", "\(first)", "--hours", "\(hours)"]
      } else {
        arguments += ["--seeds", "\(first)..\(seeds.upperBound)"]
      }
      arguments += others(options)
      let (status, output) = start(arguments, echoes: true)
      guard status == CrashNote.status, let crashed = seed(in: output) else { return isFine && status == 0 }
      isFine = false
      if !options.isSummary {
        explain(crashed, options)
        return false
      }
      guard crashed < seeds.upperBound else { return false }
      first = crashed + 1
    }
  }

  /// Runs the worlds of `Exhaustive`.
  /// - Returns: Whether there was no violation and no crash.
  static func exhaust(_ depth: Int, _ sample: Exhaustive.Sample, _ options: Options) -> Bool {
    var first = sample.first
    while true {
      var arguments = [
        "exhaustive", "--child", "--depth", "\(depth)", "--every", "\(sample.step)", "--from", "\(first)",
      ]
      if let action = sample.action { arguments += ["--with", action.text] }
      let (status, output) = start(arguments + others(options), echoes: true)
      guard status == CrashNote.status, let crashed = seed(in: output) else {
        return first == sample.first && status == 0
      }
      let world = Exhaustive.world(Int(crashed), with: sample.action)
      print("the code under trial trapped in: \(Exhaustive.name(world))")
      if !options.isSummary {
        print("the script, for 'swiftlet-sim replay':\n" + world.text)
        return false
      }
      first = Int(crashed) + sample.step
    }
  }

  private static func others(_ options: Options) -> [String] {
    var words: [String] = []
    if options.isSummary { words.append("--summary") }
    if options.listsAll { words.append("--each") }
    if options.showsCoverage { words.append("--coverage") }
    if let wantsBoxes = options.wantsBoxes { words.append(wantsBoxes ? "--box" : "--player") }
    if !options.minimizes { words.append("--whole") }
    if !options.leftOut.isEmpty {
      words += ["--but", options.leftOut.sorted().map { "\($0)" }.joined(separator: ",")]
    }
    if !options.ignored.isEmpty {
      words += ["--without", options.ignored.map { $0.rawValue }.sorted().joined(separator: ",")]
    }
    return words
  }

  private static func seed(in output: String) -> UInt64? {
    output.split(separator: "\n").last { $0.hasPrefix("crash ") }.flatMap { UInt64($0.dropFirst(6)) }
  }

  private static func explain(_ seed: UInt64, _ options: Options) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("swiftlet-sim-\(getpid()).sim")
    defer { try? FileManager.default.removeItem(at: file) }
    let world = World(seed: seed)
    let small =
      options.minimizes
      ? Minimizer.minimize(world, budget: 400) { candidate in
        guard (try? candidate.text.write(to: file, atomically: true, encoding: .utf8)) != nil else {
          return false
        }
        return start(["replay", file.path] + others(options), echoes: false).status == CrashNote.status
      } : world
    print("seed \(seed): the code under trial trapped\nthe script, for 'swiftlet-sim replay':\n" + small.text)
  }

  private static func start(_ arguments: [String], echoes: Bool) -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let pipe = Pipe()
    process.standardOutput = pipe
    if !echoes { process.standardError = FileHandle.nullDevice }
    guard (try? process.run()) != nil else { return (2, "") }
    var output = Data()
    while true {
      let part = pipe.fileHandleForReading.availableData
      if part.isEmpty { break }
      if echoes { FileHandle.standardOutput.write(part) }
      output += part
    }
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
