// No clicks: sines through every transport command, whose steps do not exceed those of ramped sines. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct ClickTests {
  static let amplitude = 0.5
  static let frequencies = [100.0, 150, 125]
  static let frames = 5 * 44100

  struct Edge: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    var options: [String] = []

    init(_ name: String, _ script: String, _ options: String...) {
      testDescription = name
      self.script = script
      self.options = options
    }
  }

  static let fade = ["--crossfade", "2"]

  static let edges = [
    Edge("pause and resume", "at 10007f pause\nat 40001f play"),
    Edge("pause on its resume", "at 10007f pause\nat 25001f play\nat 27003f pause\nat 40001f play"),
    Edge("pause turned round", "at 10007f pause\nat 12001f play\nat 13003f pause\nat 15005f play"),
    Edge("stop", "at 10007f stop"),
    Edge("stop turned round", "at 10007f stop\nat 20001f play"),
    Edge("stop paused", "at 10007f stop\nat 20001f pause\nat 50001f play"),
    Edge("next", "at 10007f next"),
    Edge("next twice at once", "at 10007f next\nat 10007f next"),
    Edge("next twice within a ramp", "at 10007f next\nat 10107f next"),
    Edge("previous restarts", "at 180007f previous"),
    Edge("previous goes back", "at 10007f next\nat 40001f previous"),
    Edge("seek forward", "at 10007f seek 3.1"),
    Edge("seek back", "at 150007f seek 0.3"),
    Edge("seek twice within a ramp", "at 10007f seek 3.1\nat 10107f seek 1.7"),
    Edge("seek while paused", "at 10007f pause\nat 40001f seek 3.1\nat 60001f play"),
    Edge("seek on the pause's ramp", "at 10007f pause\nat 12001f seek 3.1\nat 60001f play"),
    Edge("pause on the seek's ramp", "at 10007f seek 3.1\nat 10107f pause\nat 60001f play"),
    Edge("next while paused", "at 10007f pause\nat 40001f next"),
    Edge("next on the pause's ramp", "at 10007f pause\nat 12001f next"),
    Edge(
      "volume steps", "at 10007f volume 20\nat 20001f volume 100\nat 20101f volume 0\nat 21001f volume 60"),
    Edge("volume while paused", "at 10007f pause\nat 40001f volume 30\nat 60001f play"),
    Edge("faded skip", "at 30007f next", "--crossfade", "2"),
    Edge("skip in a faded skip", "at 30007f next\nat 70001f next", "--crossfade", "2"),
    Edge("skip to the end in a fade", "at 30007f next\nat 70001f next\nat 90003f next", "--crossfade", "2"),
    Edge("seek in mid-fade", "at 170007f seek 3", "--crossfade", "2"),
    Edge("next in mid-fade", "at 170007f next", "--crossfade", "2"),
    Edge("previous in mid-fade", "at 170007f previous", "--crossfade", "2"),
    Edge("stop in mid-fade", "at 170007f stop", "--crossfade", "2"),
    Edge("stop in mid-fade turned round", "at 170007f stop\nat 175001f play", "--crossfade", "2"),
    Edge("pause in mid-fade", "at 170007f pause\nat 190001f play", "--crossfade", "2"),
    Edge("pause late in a fade", "at 200007f pause\nat 220001f play", "--crossfade", "2"),
    Edge("finish in mid-fade", "at 150007f finish-fade", "--crossfade", "2"),
    Edge(
      "finish, then pause", "at 150007f finish-fade\nat 160001f pause\nat 180001f play", "--crossfade", "2"),
    Edge("seek in a paused fade", "at 170007f pause\nat 190001f seek 2\nat 200001f play", "--crossfade", "2"),
    Edge("next in a paused fade", "at 170007f pause\nat 190001f next", "--crossfade", "2"),
    Edge(
      "seek on the ramp of a pause in mid-fade", "at 170007f pause\nat 171001f seek 2\nat 200001f play",
      "--crossfade", "2"),
    Edge("next on the ramp of a pause in mid-fade", "at 170007f pause\nat 171001f next", "--crossfade", "2"),
    Edge("stop on the ramp of a pause", "at 170007f pause\nat 171001f stop", "--crossfade", "2"),
    Edge("stop in a paused fade", "at 170007f pause\nat 190001f stop", "--crossfade", "2"),
    Edge("pause on a collapse", "at 170007f seek 2\nat 170507f pause\nat 200001f play", "--crossfade", "2"),
    Edge(
      "fade length and curve in mid-fade", "at 170007f curve linear\nat 171007f crossfade 5",
      "--crossfade", "2"),
    Edge("fade taken back", "at 100007f crossfade 0", "--crossfade", "2"),
    Edge("quit", "at 10007f pause\nat 40001f quit"),
  ]

  /// The shortest ramps and fades that can be set.
  static let minLength = ["pause.ramp", "stop.fade", "fade.manual-length"].map { "at 1f set \($0) 0\n" }
    .joined()

  /// How ramps are set, and the phase at which each track starts and ends.
  enum Case: CaseIterable, Sendable { case plain, shortest, fromPeak, shortestFromPeak }

  @Test(arguments: edges, Case.allCases) func noEdgeSteps(edge: Edge, variant: Case) throws {
    let isShortest = variant == .shortest || variant == .shortestFromPeak
    let phase = variant == .fromPeak || variant == .shortestFromPeak ? Double.pi / 2 : 0
    let bench = try Workbench()
    var files: [String] = []
    for (n, frequency) in Self.frequencies.enumerated() {
      // Whole periods: the joins themselves have no step.
      files.append(
        try bench.write(
          Sound.sine(hertz: frequency, frames: Self.frames, amplitude: Self.amplitude, phase: phase),
          as: "\(n).wav"))
    }
    let heard = try bench.record(
      edge.options, files, script: (isShortest ? Self.minLength : "") + edge.script)
    try #require(heard.frames > 10_007)
    // At most two decks at a time, each with a ramp of at least 8 ms.
    let steepest = Self.frequencies.max()! * 2 * .pi * Self.amplitude / 44100
    let bound = Float(2 * (steepest + Self.amplitude / (0.008 * 44100)) + 1e-4)
    var worst: Float = 0
    var place = 0
    // The first track starts without a ramp.
    var last = (heard.float[0], heard.float[1])
    for n in 0..<heard.frames {
      let now = (heard.float[2 * n], heard.float[2 * n + 1])
      let step = max(abs(now.0 - last.0), abs(now.1 - last.1))
      if step > worst {
        worst = step
        place = n
      }
      last = now
    }
    #expect(worst <= bound, "a step of \(worst) at frame \(place)")
  }
}
