// The codecs shipped with Swiftlet in the sandbox, with whole tracks and seeks: this finds libraries that
// make system calls missing from the filter. Test threads.

import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

@Suite(.realTime) struct RealCodecTests {
  /// Encoders of the Debian packages that scripts/bootstrap installs; they read IN and write OUT.
  static let encoders = [
    "wav": "cp IN OUT", "flac": "flac -s IN -o OUT", "ogg": "oggenc -Q IN -o OUT",
    "opus": "opusenc --quiet IN OUT", "mp3": "lame --quiet IN OUT",
    "wv": "wavpack -q IN -o OUT", "m4a": "ffmpeg -v error -i IN -c:a aac OUT",
  ]

  @Test(arguments: encoders.keys.sorted(), [44_100, 48_000])
  func everyCodecWorksInTheSandbox(format: String, engineRate: Int) throws {
    let names = ShippedCodecs.names
    let bench = try Workbench(
      plugins: Dictionary(uniqueKeysWithValues: names.map { ($0, ShippedCodecs.file($0)) }))
    let data = try Self.encoded(Self.wave(frames: 176_400), format, bench)
    var listener = Listener(try bench.worker(data, name: "copy.\(format)", rate: engineRate))
    #expect(try listener.waitForReady() == .zero)
    try listener.readToEnd()
    #expect(listener.failure == nil)
    #expect(listener.opened?.isSandboxed == true)
    #expect(listener.samples.count == 2 * 4 * engineRate)
    let peak = listener.samples.map { abs($0) }.max() ?? 0
    #expect(peak > 0.4 && peak < 0.6, "peak \(peak)")
    let samples = listener.opened?.ringSamples
    #expect(
      samples == (["wav", "flac", "wv"].contains(format) && engineRate == 44_100 ? .integers : .floats))
    let areIntegers = listener.samples.allSatisfy {
      ($0 * 32768).rounded() == $0 * 32768 && $0 < 1 && $0 >= -1
    }
    #expect(areIntegers == (samples == .integers), "what is said of the samples is so")

    let index = listener.index + 1_000_000
    listener.retain(index)
    (listener.index, listener.samples, listener.events) = (index, [], [])
    let target = Frames(Int64(engineRate * 5 / 2 + 1))
    _ = listener.worker.seek(to: target, index: index, now: MonotonicClock.now())
    let landed = try listener.wait { if case .seeked(_, let position, _) = $0 { position } else { nil } }
    #expect(landed == target)
    try listener.readToEnd()
    #expect(listener.samples.count == 2 * (4 * engineRate - Int(target.count)))
  }

  /// Encodes a WAV file with the encoder from Debian.
  static func encoded(_ wave: Data, _ format: String, _ bench: Workbench) throws -> Data {
    let source = try bench.write(wave, as: "source.wav")
    let path = bench.directory.appendingPathComponent("track.\(format)").path
    let command = encoders[format]!
      .replacingOccurrences(of: "IN", with: source).replacingOccurrences(of: "OUT", with: path)
    let encoder = try Child(URL(fileURLWithPath: "/bin/sh"), ["-c", command], in: bench.directory)
    let outcome = encoder.wait(seconds: 60)
    try #require(outcome.status == 0, "the encoder for \(format) failed: \(outcome)")
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// A 16-bit stereo WAV file of a sine at 44.1 kHz.
  private static func wave(frames: Int) -> Data {
    wave(
      samples: (0..<frames).flatMap { frame in
        let value = Int16(16_000 * sin(Double(frame) * 2 * .pi * 500 / 44_100))
        return [value, value]
      })
  }

  /// A 16-bit stereo WAV file at 44.1 kHz of interleaved samples.
  static func wave(samples: [Int16]) -> Data {
    let bytes = UInt32(samples.count * 2)
    var data = Data("RIFF".utf8)
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    put(36 + bytes)
    data += Data("WAVEfmt ".utf8)
    put(UInt32(16))
    put(UInt16(1))
    put(UInt16(2))
    put(UInt32(44_100))
    put(UInt32(176_400))
    put(UInt16(4))
    put(UInt16(16))
    data += Data("data".utf8)
    put(bytes)
    for sample in samples { put(sample) }
    return data
  }
}
