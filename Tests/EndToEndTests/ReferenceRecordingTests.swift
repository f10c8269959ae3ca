// Recordings are the same, bit by bit, as those of an earlier version: scripts with each fade curve in each sample
// format. Tests/EndToEndTests/References/recordings.txt has their hashes. Test threads.

import Foundation
import Platform
import Testing

@Suite struct ReferenceRecordingTests {
  /// A script of `swiftlet play` with its options.
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    let script: String
  }

  static let scenes = [
    Scene(
      testDescription: "joined", options: ["--volume", "60"],
      script: "at 40003f volume 35\nat 70001f volume 100"),
    Scene(testDescription: "crossfaded", options: ["--crossfade", "1"], script: ""),
    Scene(
      testDescription: "paused-in-a-fade", options: ["--crossfade", "1", "--volume", "60"],
      script: "at 60001f pause\nat 70003f play\nat 120007f pause\nat 130001f next\nat 131007f play"),
    Scene(
      testDescription: "skipped-and-sought", options: ["--crossfade", "1"],
      script: "at 20001f next\nat 60007f seek 0.5\nat 90001f finish-fade\nat 95003f previous\nat 150001f stop"
    ),
  ]
  static let curves = ["linear", "equal-power", "s-curve", "logarithmic", "exponential"]
  static let formats = ["S16", "S24", "S32", "FLOAT"]

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "References/recordings.txt")

  /// Noise of whole numbers: no library function that may differ between machines.
  private static func music(_ seed: UInt32) -> Sound {
    var state = seed
    return Sound(
      (0..<2 * 66_150).map { n in
        state = state &* 1_664_525 &+ 1_013_904_223
        // A triangle with a little noise, below full scale.
        let triangle = abs(Int32(n / 2 % 400) - 200) * 100 - 10_000
        return Int16(triangle + Int32(state >> 20) - 2048)
      })
  }

  private static func hash(_ data: Data) -> String {
    var hash = StableHash()
    data.withUnsafeBytes { bytes in
      var place = 0
      while place + 8 <= bytes.count {
        hash.add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      for byte in bytes[place...] { hash.add(UInt64(byte)) }
    }
    return String(hash.value, radix: 16)
  }

  @Test(arguments: scenes) func recordingsAreUnchanged(scene: Scene) throws {
    let bench = try Workbench()
    let files = try (1...3).map { try bench.write(Self.music(UInt32($0)), as: "\($0).wav") }
    var lines: [String] = []
    for curve in Self.curves {
      for format in Self.formats {
        let name = "\(curve)-\(format).wav"
        let outcome = try bench.play(
          ["--output", name, "--format", format, "--curve", curve] + scene.options, files,
          script: scene.script)
        try #require(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
        let data = try Data(contentsOf: bench.directory.appendingPathComponent(name))
        lines.append("\(scene.testDescription) \(curve) \(format) \(data.count) \(Self.hash(data))")
      }
    }
    var stored = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      stored = stored.filter { !$0.hasPrefix(scene.testDescription + " ") } + lines
      try Data((stored.sorted().joined(separator: "\n") + "\n").utf8).write(to: Self.file)
    }
    #expect(
      Set(lines) == Set(stored.filter { $0.hasPrefix(scene.testDescription + " ") }),
      "SWIFTLET_WRITE_REFERENCE=1 writes the list again, after an intended change of the sound")
  }
}
