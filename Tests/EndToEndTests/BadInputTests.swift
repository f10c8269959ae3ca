// Damaged files: no crash, no hang; an error, or the playable part. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct BadInputTests {
  static let formats = ["wav", "aiff", "flac", "ogg", "opus", "mp3", "m4a", "wv"]

  /// A file of the format, half a second long.
  static func original(_ format: String, _ bench: Workbench) throws -> Data {
    let wav = try bench.write(
      Sound.piece(seconds: 0.5, rate: format == "opus" ? 48000 : 44100), as: "original.wav")
    let out = "original.\(format)"
    switch format {
    case "aiff": try bench.tool("sox", "-D", wav, out)
    case "flac": try bench.tool("flac", "-s", wav, "-o", out)
    case "ogg": try bench.tool("oggenc", "-Q", "--serial", "7", wav, "-o", out)
    case "opus": try bench.tool("opusenc", "--quiet", "--serial", "7", wav, out)
    case "mp3": try bench.tool("lame", "-S", "--noreplaygain", wav, out)
    case "wv": try bench.tool("wavpack", "-q", wav, "-o", out)
    case "m4a": try bench.tool("ffmpeg", "-v", "error", "-i", wav, "-c:a", "aac", out)
    default: break
    }
    return try Data(contentsOf: bench.directory.appendingPathComponent(out))
  }

  /// Forty deterministic ways to damage a file.
  static func spoiled(_ data: Data, seed: UInt64) -> [(name: String, data: Data)] {
    var random = Noise(seed: seed)
    func below(_ bound: Int) -> Int {
      let bits: UInt64 = random.next()
      return Int(bits % UInt64(max(1, bound)))
    }
    var files: [(String, Data)] = [("empty", Data()), ("one-byte", data.prefix(1))]
    for share in [0.01, 0.1, 0.3, 0.6, 0.9, 0.99] {
      files.append(("truncated-\(share)", data.prefix(Int(Double(data.count) * share))))
    }
    for cut in [4, 12, 30, 60, 100] { files.append(("head-\(cut)", data.prefix(cut))) }
    for n in 0..<10 {
      // Flipped bits in the headers, which the parsers depend on most.
      var copy = data
      for _ in 0...n { copy[below(min(200, copy.count))] ^= UInt8(1 << below(8)) }
      files.append(("header-bits-\(n)", copy))
    }
    for n in 0..<8 {
      var copy = data
      for _ in 0..<(1 << n) { copy[below(copy.count)] ^= UInt8(1 << below(8)) }
      files.append(("bits-\(n)", copy))
    }
    for n in 0..<3 {
      var copy = data
      let start = below(copy.count)
      for i in start..<min(copy.count, start + 500) { copy[i] = UInt8(below(256)) }
      files.append(("burst-\(n)", copy))
    }
    for value in [UInt8(0), 0xFF] {
      var copy = data
      for i in copy.count / 4..<copy.count / 2 { copy[i] = value }
      files.append(("filled-\(value)", copy))
    }
    files.append(("reversed", Data(data.reversed())))
    files.append(("twice", data + data))
    files.append(("shifted", data.dropFirst(13)))
    files.append(("noise", Data((0..<5000).map { _ in UInt8(below(256)) })))
    return files
  }

  @Test(arguments: Array(formats.enumerated()).map(\.offset))
  func spoiledFilesCostOnlyThemselves(index: Int) throws {
    let bench = try Workbench()
    let format = Self.formats[index]
    let original = try Self.original(format, bench)
    let files = try Self.spoiled(original, seed: UInt64(index + 1)).map { name, data in
      try bench.write(Data(data), as: "\(name).\(format)")
    }
    #expect(files.count == 40)
    // The time limit is for the whole batch, so that a busy machine does not exceed a single file's; a hang
    // would take 5 s of its own.
    let outcome = try bench.play(
      ["--output", "out.wav", "--rate", "44100"], files, seconds: 5 * Double(files.count))
    #expect(!outcome.isCrash && (0...2).contains(outcome.status), "\(outcome.status) \(outcome.errors)")
    #expect(outcome.seconds < 30, "took \(outcome.seconds) s")
    for file in files {
      let name = URL(fileURLWithPath: file).lastPathComponent
      #expect(
        outcome.errors.contains(name) || outcome.output.contains("playing  \(name)"),
        "nothing is said of \(name)")
    }
    for name in ["empty", "one-byte", "noise"] {
      #expect(outcome.reports("\(name).\(format)"), "\(name) is not reported")
    }
  }

  @Test func mislabelledFilesPlayAllTheSame() throws {
    let bench = try Workbench()
    var files: [String] = []
    for (n, format) in Self.formats.enumerated() {
      let wrong = Self.formats[(n + 1) % Self.formats.count]
      files.append(try bench.write(try Self.original(format, bench), as: "\(format)-as.\(wrong)"))
    }
    let heard = try bench.record(["--rate", "44100"], files)
    #expect(heard.frames == Self.formats.count * 22050)
  }

  @Test func otherFilesAreReported() throws {
    let bench = try Workbench()
    let files = [
      try bench.write(Data("#!/bin/sh\necho no music\n".utf8), as: "script.mp3"),
      try bench.write(Data(repeating: 0x41, count: 100_000), as: "text.flac"),
      try bench.write(Data(repeating: 0, count: 100_000), as: "zeros.ogg"),
      try bench.write(try Data(contentsOf: Workbench.executable).prefix(200_000), as: "program.wav"),
    ]
    let outcome = try bench.play(["--output", "out.wav"], files)
    #expect(outcome.status == 2 && !outcome.isCrash, "\(outcome)")
    for file in files { #expect(outcome.reports(URL(fileURLWithPath: file).lastPathComponent)) }
  }
}
