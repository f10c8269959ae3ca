// Files that end before their stated length play, and this is reported. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct TruncatedTests {
  @Test func aTruncatedFileIsSaid() throws {
    let bench = try Workbench()
    // Noise, so that half of the bytes correspond to half of the time.
    var seed: UInt32 = 1
    let noise = (0..<2 * 10 * 44_100).map { _ in
      seed = seed &* 1_664_525 &+ 1_013_904_223
      return Int16(truncatingIfNeeded: seed >> 16)
    }
    let wav = try bench.write(Sound(noise), as: "a.wav")
    try bench.tool("flac", "-s", wav, "-o", "a.flac")
    let whole = try Data(contentsOf: bench.directory.appendingPathComponent("a.flac"))
    try bench.write(whole.prefix(whole.count / 2), as: "half.flac")
    let outcome = try bench.play(["--output", "out.wav"], ["half.flac"])
    #expect(outcome.errors.contains("half.flac ends 0:05 before the length that it states"), "\(outcome)")
    let fine = try bench.play(["--output", "fine.wav"], ["a.flac"])
    #expect(!fine.errors.contains("before the length"), "\(fine)")
  }

  @Test func aStreamIsNotToBeConverted() throws {
    let bench = try Workbench()
    let outcome = try bench.play(["--output", "out.wav"], ["rtsp://example.org/a.mp3"])
    #expect(
      outcome.errors.contains("by http:// and https:// only") && !outcome.errors.contains("Convert"),
      "\(outcome)")
  }
}
