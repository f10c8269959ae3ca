// Concatenated files, whose rate or channel count may change between parts. Each part sounds like its own
// file; lengths and seeks are in playing time. Real workers; test threads.

import AudioRing
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

/// An encoder whose files can be concatenated.
struct PartFormat: Sendable, CustomStringConvertible {
  let ending: String
  /// The command that encodes `IN` as `OUT`.
  let command: String
  var name = ""
  /// Whether its decoder always delivers the same rate.
  var hasOneRate = false
  /// Maximum difference between samples after a seek and those decoded from the start, including resampling.
  var tolerance: Float = 1e-4

  var description: String { name.isEmpty ? ending : name }

  static let all = [
    PartFormat(ending: "mp3", command: "lame --quiet -b 128 IN OUT", name: "MP3"),
    PartFormat(ending: "mp3", command: "lame --quiet -t -b 96 IN OUT", name: "MP3 without Xing tag"),
    PartFormat(ending: "mp3", command: "lame --quiet -V 4 --tt Title IN OUT", name: "MP3 with ID3"),
    PartFormat(ending: "mp2", command: "ffmpeg -v error -i IN -c:a mp2 -b:a 128k OUT"),
    PartFormat(ending: "aac", command: "ffmpeg -v error -i IN -c:a aac -aac_pns 0 -b:a 96k -f adts OUT"),
    PartFormat(ending: "flac", command: "flac -s IN -o OUT"),
    PartFormat(
      ending: "flac",
      command:
        "sox IN -t raw - | flac -s -c --endian=little --sign=signed --channels=CHANNELS --bps=16 --sample-rate=RATE - > OUT",
      name: "FLAC of unknown length"),
    PartFormat(ending: "oga", command: "flac -s --ogg --serial-number=NUMBER IN -o OUT"),
    PartFormat(ending: "ogg", command: "oggenc -Q --serial NUMBER IN -o OUT"),
    PartFormat(
      ending: "opus", command: "opusenc --quiet --serial NUMBER IN OUT", hasOneRate: true, tolerance: 2e-3),
    PartFormat(ending: "wv", command: "wavpack -q IN -o OUT"),
  ]
}

/// What changes between the parts.
enum PartChange: String, CaseIterable, Sendable {
  case rateUp, rateDown, toStereo, toMono

  /// Rate in Hz and channel count of each part.
  var shapes: [(rate: Int, channels: Int)] {
    switch self {
    case .rateUp: [(32_000, 2), (44_100, 2), (48_000, 2)]
    case .rateDown: [(48_000, 2), (44_100, 2), (24_000, 2)]
    case .toStereo: [(44_100, 1), (44_100, 2)]
    case .toMono: [(44_100, 2), (44_100, 1), (44_100, 2)]
    }
  }
}

/// Encodes parts and decodes files made of them.
struct PartsBench {
  let bench: Workbench

  init() throws {
    bench = try Workbench(
      plugins: Dictionary(uniqueKeysWithValues: ShippedCodecs.names.map { ($0, ShippedCodecs.file($0)) }))
  }

  /// An encoded tone.
  func part(
    _ format: PartFormat, _ number: Int, rate: Int, channels: Int, seconds: Double = 1.3
  ) throws -> Data {
    let (source, made) = ("part\(number).wav", "part\(number).\(format.ending)")
    let command = format.command.replacingOccurrences(of: "IN", with: source)
      .replacingOccurrences(of: "OUT", with: made).replacingOccurrences(of: "CHANNELS", with: "\(channels)")
      .replacingOccurrences(of: "NUMBER", with: "\(number + 7)").replacingOccurrences(
        of: "RATE", with: "\(rate)")
    let tone = "sine=frequency=\(300 + 200 * number):duration=\(seconds):sample_rate=\(rate)"
    let child = try Child(
      URL(filePath: "/bin/sh"),
      [
        "-c",
        "rm -f \(source) \(made); ffmpeg -v error -f lavfi -i \(tone) -ac \(channels) \(source) && \(command)",
      ], in: bench.directory)
    let outcome = child.wait(seconds: 60)
    try #require(outcome.status == 0, "\(format): \(outcome)")
    return try Data(contentsOf: bench.directory.appendingPathComponent(made))
  }

  /// - Parameter name: File name without extension. A file that is still being played must not be
  ///   overwritten.
  func listener(_ data: Data, _ format: PartFormat, rate: Int = 44_100, name: String = "joined") throws
    -> Listener
  {
    Listener(try bench.worker(data, name: "\(name).\(format.ending)", rate: rate))
  }

  /// The samples of a file decoded by itself.
  func sound(_ data: Data, _ format: PartFormat, rate: Int = 44_100) throws -> [Float] {
    var listener = try listener(data, format, rate: rate, name: "alone")
    try listener.readToEnd()
    let failure = listener.failure
    try #require(failure == nil)
    return listener.samples
  }

  /// Seeks, and reads some samples from there.
  func seek(_ listener: inout Listener, to frame: Int) throws -> [Float] {
    let index = listener.worker.ring.writeIndex + 1_000_000
    listener.retain(index)
    (listener.index, listener.samples, listener.events) = (index, [], [])
    _ = listener.worker.seek(to: Frames(Int64(frame)), index: index, now: MonotonicClock.now())
    let landed = try listener.wait { if case .seeked(_, let position, _) = $0 { position } else { nil } }
    try #require(landed == Frames(Int64(frame)))
    try listener.readToEnd()
    return listener.samples
  }
}

@Suite(.realTime) struct PartsTests {
  @Test(arguments: PartFormat.all, PartChange.allCases)
  func aFileContinuesAtAnotherShape(_ format: PartFormat, _ change: PartChange) throws {
    if format.hasOneRate, change == .rateUp || change == .rateDown { return }
    let bench = try PartsBench()
    let rate = 44_100
    let parts = try change.shapes.enumerated().map {
      try bench.part(format, $0, rate: $1.rate, channels: $1.channels, seconds: 1.3 + 0.1 * Double($0))
    }
    let alone = try parts.map { try bench.sound($0, format, rate: rate) }
    let whole = alone.flatMap { $0 }
    var listener = try bench.listener(parts.reduce(Data(), +), format, rate: rate)
    try listener.readToEnd()
    let (failure, heard) = (listener.failure, listener.samples)
    try #require(failure == nil)
    #expect(
      abs(heard.count - whole.count) <= 2 * parts.count,
      "\(heard.count / 2) of \(whole.count / 2) frames: \(alone.map { $0.count / 2 }), \(listener.length?.count ?? 0)"
    )
    // A short file may end before its parts have been counted.
    let length = listener.length ?? Frames(Int64(heard.count / 2))
    #expect(length == Frames(Int64(heard.count / 2)), "the length that is stated")
    let off = zip(heard, whole).map { abs($0 - $1) }.max() ?? 9
    // Without a Xing tag, a part's resampler may start at a different fraction of a frame.
    let tolerance: Float = format.ending == "mp3" && !format.hasOneRate ? 3e-3 : 1e-6
    #expect(
      off < tolerance,
      "\(format), \(change): \(off), \(heard.count / 2) of \(whole.count / 2) frames: \(alone.map { $0.count / 2 })"
    )

    // Seeks forward and backward into each part, to its first and its last frame.
    var starts = [0]
    for sound in alone { starts.append(starts[starts.count - 1] + sound.count / 2) }
    var targets: [Int] = []
    for index in alone.indices.reversed() {
      targets += [starts[index] + alone[index].count / 4, starts[index], starts[index + 1] - 1]
    }
    for target in targets + targets.reversed() {
      let rest = try bench.seek(&listener, to: target)
      #expect(rest.count == heard.count - 2 * target, "seek to \(target)")
      let off = zip(rest, heard.dropFirst(2 * target)).map { abs($0 - $1) }.max() ?? 9
      #expect(off < format.tolerance, "seek to \(target): \(off)")
    }
  }

  /// The ring uses 16-bit samples only if no part has more bits.
  @Test(arguments: [
    PartFormat(ending: "flac", command: "sox -D -v 0.0131 IN -b 24 wide.wav && flac -s wide.wav -o OUT"),
    PartFormat(ending: "wv", command: "sox -D -v 0.0131 IN -b 24 wide.wav && wavpack -q wide.wav -o OUT"),
  ]) func aPartOfTheSameLengthMayBeDeeper(_ wide: PartFormat) throws {
    let bench = try PartsBench()
    let narrow = try #require(PartFormat.all.first { $0.ending == wide.ending })
    let parts = [
      try bench.part(narrow, 0, rate: 44_100, channels: 2),
      try bench.part(wide, 1, rate: 44_100, channels: 2),
    ]
    let alone = try parts.map { try bench.sound($0, wide) }
    try #require(alone[0].count == alone[1].count)
    let isDeep = alone[1].contains { ($0 * 32768).rounded() != $0 * 32768 }
    try #require(isDeep)
    let heard = try bench.sound(parts[0] + parts[1], wide)
    let isSame = heard == alone[0] + alone[1]
    #expect(isSame, "\(heard.count) of \(alone[0].count + alone[1].count) samples")
  }

  /// Bytes that no decoder opens are not a part, and a seek beyond the parts before them goes to the end.
  @Test func aSeekIntoAPartThatDoesNotOpenEnds() throws {
    let bench = try PartsBench()
    let noise = PartFormat(
      ending: "flac",
      command: "sox -R -n -r 44100 -c 2 -b 16 noise.wav synth 15 whitenoise && flac -s noise.wav -o OUT")
    let stream = try bench.part(noise, 0, rate: 44_100, channels: 2)
    // A stream header with a rate of 0 Hz.
    let other = Data("fLaC".utf8) + Data([0x80, 0, 0, 34]) + Data(repeating: 0, count: 34)
    var listener = try bench.listener(stream + other + Data(repeating: 0, count: 5000), noise)
    _ = try listener.waitForReady()
    let index = listener.worker.ring.writeIndex + 1_000_000
    listener.retain(index)
    (listener.index, listener.samples, listener.events) = (index, [], [])
    _ = listener.worker.seek(to: Frames(44_100 * 60), index: index, now: MonotonicClock.now())
    let landed = try listener.wait { if case .seeked(_, let position, _) = $0 { position } else { nil } }
    #expect(landed == Frames(44_100 * 15))
    let total = try listener.waitForEnd()
    #expect(total == Frames(44_100 * 15))
  }
}

extension Listener {
  /// The track's length as reported last.
  var length: Frames? {
    var length: Frames?
    for event in events {
      if case .opened(let info) = event { length = info.totalFrames }
      if case .measured(let total) = event { length = total }
    }
    return length
  }
}
