// HE-AAC: spectral band replication and parametric stereo are found although headers do not state them, and
// their delay is trimmed. The files are in Samples. Test threads.

import Foundation
import Testing

@Suite struct HighEfficiencyTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let channels: Int
    let format: String
    /// Number of frames, and the frame at which the tone starts.
    let frames: Int
    let start: Int
    var testDescription: String { name }
  }

  static let samples = [
    Sample(name: "he.m4a", channels: 2, format: "HE-AAC in MP4", frames: 66_150, start: 0),
    Sample(name: "he-elst.m4a", channels: 2, format: "HE-AAC in MP4", frames: 66_150, start: 0),
    Sample(name: "hev2.m4a", channels: 2, format: "HE-AAC v2 in MP4", frames: 66_150, start: 0),
    Sample(name: "hev2.aac", channels: 2, format: "HE-AAC v2 (ADTS)", frames: 36 * 2048, start: 7106),
    Sample(name: "he-mono.aac", channels: 1, format: "HE-AAC (ADTS)", frames: 35 * 2048, start: 5058),
  ]

  /// The encoded tone: a sweep from 200 Hz to 4 kHz in a second and a half.
  static let tone: [Float] = (0..<66_150).map { frame in
    let time = Double(frame) / 44100
    return Float(0.5 * sin(2 * .pi * (200 * time + 3800 / (2 * 1.5) * time * time)))
  }

  private func open(_ sample: Sample) throws -> Stream {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Samples")
    return try AACTests.plugin.open([UInt8](Data(contentsOf: folder.appendingPathComponent(sample.name))))
  }

  /// The correlation of the left channel, delayed by `shift` frames, with `tone`; 1 is identical.
  private func likeness(_ samples: [Float], channels: Int, shift: Int) -> Float {
    var (sum, power): (Float, Float) = (0, 0)
    for frame in 20_000..<50_000 {
      sum += samples[(frame + shift) * channels] * Self.tone[frame]
      power += Self.tone[frame] * Self.tone[frame]
    }
    return sum / power
  }

  @Test(arguments: samples) func playsAtFullRateInItsPlace(_ sample: Sample) throws {
    let stream = try open(sample)
    #expect(stream.info.rate == 44100 && stream.channels == sample.channels)
    #expect(stream.format == sample.format)
    #expect(stream.totalFrames == Int64(sample.frames))
    let samples = try stream.decodeAll()
    #expect(samples.count == sample.frames * sample.channels)
    let found = (-20...20).map {
      ($0, likeness(samples, channels: sample.channels, shift: sample.start + $0))
    }.max { $0.1 < $1.1 }
    let (shift, best) = try #require(found)
    #expect(abs(shift) <= 1 && best > 0.95, "\(shift) frames late, \(best) of it")
  }

  /// A seek is frame-exact; the noise in the replicated bands is random.
  @Test(arguments: samples) func seeksToTheFrame(_ sample: Sample) throws {
    let stream = try open(sample)
    let linear = try stream.decodeAll()
    for target in [0, 1, 12_345, 40_000, sample.frames - 3000] {
      try stream.seek(to: Int64(target))
      let portion = try stream.decodeAll()
      let expected = linear[(target * sample.channels)...]
      #expect(portion.count == expected.count)
      let (error, power) = zip(portion, expected).reduce((Float(0), Float(1e-9))) {
        ($0.0 + ($1.0 - $1.1) * ($1.0 - $1.1), $0.1 + $1.1 * $1.1)
      }
      #expect((error / power).squareRoot() < 0.02, "seek to \(target)")
    }
  }
}
