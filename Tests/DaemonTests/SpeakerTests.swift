// The equalizer and other speaker settings: in the sound, on the console and in the configuration. Test
// threads.

import Daemon
import Platform
import PlaybackModel
import Testing

@testable import Simulator

@Suite struct SpeakerTests {
  /// The present output level of a track that consists of 0.25.
  private func level(_ bench: Bench) throws -> Float { try #require(bench.machine.card).last }

  @Test func aBandIsHeardAtOnceAndShown() throws {
    let bench = try Bench()
    _ = bench.ask("volume 100")
    #expect(bench.ask("eq").contains("the sound is not corrected for the speaker"))
    #expect(bench.status("speaker") == nil)
    _ = bench.ask("play short")
    bench.clock.run(seconds: 1)
    #expect(bench.ask("eq 1 low-shelf 1kHz -6dB").contains("set eq.1 low-shelf 1000Hz -6dB"))
    #expect(try abs(level(bench) - 0.1253) < 0.0005)
    #expect(bench.status("speaker") == "1 band")
    let answer = bench.ask("eq 2 high-shelf 5kHz +4dB") + bench.ask("eq")
    #expect(
      answer.contains("eq.2: ") && answer.contains("headroom-db: ") && answer.contains("4.00"), "\(answer)")
    #expect(bench.status("speaker") == "2 bands; 4.0 dB quieter for headroom")
    // The gain is reduced to make headroom for the treble boost.
    #expect(try abs(level(bench) - 0.1253 * 0.631) < 0.0005)
    #expect(bench.ask("eq 1").contains("low-shelf 1000Hz"))
    #expect(bench.ask("eq clear").contains("off"))
    #expect(try level(bench) == 0.25)
    _ = bench.ask("set speaker.high-pass 80")
    #expect(try abs(level(bench)) < 1e-6)
    #expect(bench.status("speaker") == "high-pass at 80 Hz")
  }

  @Test func loudnessFollowsTheVolume() throws {
    let bench = try Bench()
    _ = bench.ask("loudness on")
    _ = bench.ask("play short")
    for (percent, decibels) in [(100, 0.0), (50, 0.3 * 18.06), (100, 0), (20, 12)] as [(Int, Double)] {
      _ = bench.ask("volume \(percent)")
      var factor = Double(Volume(Float(percent)).gain(.cubic).factor)
      for _ in 0..<Int((decibels * 100).rounded()) { factor *= 1.00115195 }
      #expect(try abs(Double(level(bench)) - 0.25 * factor) < 0.002 * factor, "\(percent) %")
    }
  }

  @Test func theFileKeepsItAndThePlugPulledLosesNothing() throws {
    let storage = Bench.storage("eq 3 notch 50Hz Q4\nset loudness.enabled on\n")
    let bench = try Bench(storage)
    #expect(bench.machine.logged.contains("skipped") == false, "\(bench.machine.logged)")
    #expect(bench.status("speaker") == "1 band, loudness")
    _ = bench.ask("eq 10 peak 100Hz +2.5dB Q1.2")
    #expect(bench.ask("diff").contains("set eq.10 peak 100Hz +2.5dB Q1.2"))
    #expect(bench.ask("save").contains("written"))
    bench.pullThePlug()
    let next = try Bench(storage)
    #expect(next.status("speaker") == "2 bands, loudness; 2.4 dB quieter for headroom")
    #expect(next.ask("show eq").contains("set eq.3 notch 50Hz Q4"))
  }
}
