// A station's bytes in each stream format, the positions of its frames, and decoding them with the worker's
// components. Test threads.

import CLinux
import ChildSupport
import Foundation
import Platform
import Synchronization
import Testing

@testable import Decoding
@testable import Streaming

/// A stream format.
struct StationFormat: Sendable, CustomStringConvertible {
  let name: String
  let codec: String
  let ending: String
  /// The ffmpeg options that encode a tone with noise.
  let encoding: String
  /// Frames after which a decoder that started in the middle outputs the same as one started at the
  /// beginning.
  let settling: Int
  /// Maximum difference of the samples after that.
  var tolerance: Float = 0
  var isSlow = false

  var description: String { name }

  static let all: [StationFormat] = [
    StationFormat(
      name: "MP3", codec: "MPEG", ending: "mp3",
      encoding: "-c:a libmp3lame -b:a 32k -write_xing 0 -id3v2_version 0",
      settling: 14 * 576, tolerance: 1e-6),
    StationFormat(
      name: "MP3 with ID3", codec: "MPEG", ending: "mp3",
      encoding: "-c:a libmp3lame -b:a 32k -write_xing 0 -id3v2_version 3 -metadata title=Long",
      settling: 14 * 576,
      tolerance: 1e-6),
    StationFormat(
      name: "MP3 of variable rate", codec: "MPEG", ending: "mp3",
      encoding: "-c:a libmp3lame -q:a 7 -write_xing 0 -id3v2_version 0", settling: 14 * 576, tolerance: 1e-6),
    StationFormat(
      name: "MP2", codec: "MPEG", ending: "mp2", encoding: "-ar 24000 -c:a mp2 -b:a 32k -f mp2",
      settling: 3 * 1152,
      tolerance: 1e-6),
    StationFormat(
      name: "MP1", codec: "MPEG", ending: "mp1", encoding: "", settling: 3 * 384, tolerance: 1e-6),
    StationFormat(
      name: "AAC", codec: "AAC", ending: "aac", encoding: "-c:a aac -aac_pns 0 -b:a 32k -f adts",
      settling: 3 * 1024,
      tolerance: 1e-6),
    StationFormat(
      name: "Vorbis", codec: "Vorbis", ending: "ogg",
      encoding: "-c:a libvorbis -q:a 0 -page_duration 40000 -f ogg",
      settling: 3 * 1024, tolerance: 1e-6),
    StationFormat(
      name: "Opus", codec: "Opus", ending: "opus",
      encoding: "-ar 48000 -c:a libopus -b:a 32k -page_duration 40000 -f ogg", settling: 24_000,
      tolerance: 0.01,
      isSlow: true),
    StationFormat(
      name: "Ogg FLAC", codec: "FLAC", ending: "oga",
      encoding: "-c:a flac -frame_size 576 -page_duration 20000 -f ogg", settling: 1800),
    StationFormat(
      name: "FLAC", codec: "FLAC", ending: "flac", encoding: "-c:a flac -frame_size 576 -f flac",
      settling: 1800),
    // libwavpack skips two blocks behind a damaged one.
    StationFormat(
      name: "WavPack", codec: "WavPack", ending: "wv", encoding: "-c:a wavpack -frame_size 576 -f wv",
      settling: 3 * 576),
    StationFormat(name: "WAV", codec: "PCM", ending: "wav", encoding: "-c:a pcm_s16le -f wav", settling: 0),
  ]
}

/// A station's bytes, and the samples that they decode to without a discontinuity.
struct Station {
  /// The position of a frame, or of a page of frames, in the bytes and in the sound.
  struct Unit {
    let offset: Int
    let frame: Int
  }

  let format: StationFormat
  let bytes: [UInt8]
  private var units: [Unit] = []
  private var sound: [Float] = []

  private static let cache = Mutex<[String: Station]>([:])

  static func of(_ format: StationFormat, seconds: Double = 2.4) throws -> Station {
    let name = "\(format.name) \(seconds)"
    if let made = cache.withLock({ $0[name] }) { return made }
    let station = try Station(format, seconds)
    cache.withLock { $0[name] = station }
    return station
  }

  private init(_ format: StationFormat, _ seconds: Double) throws {
    self.format = format
    bytes = format.ending == "mp1" ? Self.layerOne() : try Self.encoded(format, seconds)
    let spans = Self.spans(of: bytes, format)
    sound = try play([bytes[...]])
    // Positions counted from the end are the same behind every discontinuity.
    let excess = sound.count - (spans.last?.frame ?? 0)
    units = spans.map { Unit(offset: $0.offset, frame: $0.frame + excess) }
    try #require(
      units.count > 20 && sound.count > 30_000, "\(format): \(units.count) units, \(sound.count) frames")
  }

  /// The bytes of some frames or pages, starting at a fraction of the whole.
  func frames(_ count: Int, at part: Double) -> Range<Int> {
    let first = Int(Double(units.count) * part)
    return (part == 0 ? 0 : units[first].offset)..<units[first + count].offset
  }

  /// Decodes pieces of a station, each from another connection, and checks the sound before the first cut and
  /// after the last one.
  func check(_ pieces: [ArraySlice<UInt8>], before cut: Int, from entrance: Int, _ what: String) throws {
    let heard: [Float]
    do {
      heard = try play(pieces)
    } catch {
      Issue.record("\(format), \(what): \(error)")
      return
    }
    // All whole frames before the cut, except for a frame that the decoder may hold back and for an overlap.
    let whole = units.lastIndex { $0.offset <= cut } ?? 0
    let before = max(0, units[max(0, whole - 3)].frame)
    #expect(
      heard.count >= before && heard.prefix(before).elementsEqual(sound.prefix(before)),
      "\(format), \(what): the sound before the break")
    let next = units.first { $0.offset >= entrance }?.frame ?? 0
    // The new sound starts with a ramp of 10 ms.
    let after = sound.count - max(0, next) - max(format.settling, 480)
    try #require(after > 1000, "\(format), \(what): too little sound")
    let off = zip(heard.suffix(after), sound.suffix(after)).map { abs($0 - $1) }.max() ?? 9
    let wrong = zip(heard.suffix(after), sound.suffix(after)).enumerated().filter {
      abs($0.1.0 - $0.1.1) > format.tolerance
    }
    #expect(
      heard.count >= after && off <= format.tolerance,
      "\(format), \(what): \(off) off in \(after) frames behind the break, of \(heard.count): \(wrong.count) from \(wrong.first?.0 ?? 0) to \(wrong.last?.0 ?? 0)"
    )
  }

  /// The left channel decoded from pieces of a station, each from another connection.
  func play(_ pieces: [ArraySlice<UInt8>]) throws -> [Float] {
    let layout = SpoolLayout(capacity: 1 << 20)
    let file = try SharedMemory.createFile(name: "spool", size: layout.totalBytes)
    var spool = SpoolWriter(try SharedMemory(mapping: file, size: layout.totalBytes), layout)
    for piece in pieces {
      spool.noteSeam()
      piece.withUnsafeBytes { spool.append($0) }
    }
    spool.header.kind = .live
    spool.header.phase = .complete
    let pair = try MessageSocket.Pair()
    let descriptor = file.release()
    defer { close(descriptor) }
    let reader = MediaReader(
      .stream(try SpoolReader(spool: descriptor, capacity: layout.capacity, socket: pair.mine)))
    let plugin = try Decoding.Plugin.load(
      Workbench.products.appendingPathComponent(ShippedCodecs.file(format.codec)).path)
    let source = try #require(try Sniffer(plugins: [plugin], isPartial: false).open(reader))
    let pipeline = SectionPipeline(
      TrackPipeline(source, nil), nil,
      renew: { () throws(WorkerFailure) in source.adoptShape() ? TrackPipeline(source, nil) : nil },
      takeDiscontinuity: { source.takeDiscontinuity() })
    var heard: [Float] = []
    var block = [Float](repeating: 0, count: 8192)
    while true {
      let count = try block.withUnsafeMutableBufferPointer {
        try pipeline.produce(into: $0.baseAddress!, frames: 4096)
      }
      if count == 0 { return heard }
      for frame in 0..<count { heard.append(block[2 * frame]) }
    }
  }

  /// Inserts an ICY title after every `interval` bytes: a length byte and 32 bytes of text.
  static func titled(_ bytes: ArraySlice<UInt8>, interval: Int) -> [UInt8] {
    var result: [UInt8] = []
    for (number, begin) in stride(from: bytes.startIndex, to: bytes.endIndex, by: interval).enumerated() {
      let piece = bytes[begin..<min(begin + interval, bytes.endIndex)]
      result += piece
      guard piece.count == interval else { break }
      let text = Array("StreamTitle='Number \(number)';".utf8)
      result += [2] + text + Array(repeating: 0, count: 32 - text.count)
    }
    return result
  }

  /// Removes the ICY titles with the fetcher's filter.
  static func untitled(_ bytes: ArraySlice<UInt8>, interval: Int) -> [UInt8] {
    var sound: [UInt8] = []
    var filter = TitleFilter(interval: Int64(interval))
    bytes.withUnsafeBytes { filter?.take($0, sound: { sound += $0 }, title: { _ in }) }
    return sound
  }

  // MARK: Encoding

  private static func encoded(_ format: StationFormat, _ seconds: Double) throws -> [UInt8] {
    let bench = try Workbench()
    let child = try Child(
      URL(filePath: "/bin/sh"),
      [
        "-c",
        "ffmpeg -v error -f lavfi -i \"aevalsrc='0.4*sin(2*PI*(300+200*mod(t,3))*t)+0.002*random(0)':d=\(seconds):s=24000\" -ac 1 "
          + "-fflags +bitexact -flags:a +bitexact -map_metadata -1 \(format.encoding) made.\(format.ending)",
      ], in: bench.directory)
    let outcome = child.wait(seconds: 60)
    try #require(outcome.status == 0, "\(format): \(outcome)")
    return [UInt8](try Data(contentsOf: bench.directory.appendingPathComponent("made.\(format.ending)")))
  }

  /// MPEG Layer I, for which Debian has no encoder: mono frames of 128 kbit/s at 32 kHz, with four subbands
  /// of noise.
  private static func layerOne() -> [UInt8] {
    var state: UInt32 = 1
    func random(_ limit: UInt32) -> UInt32 {
      state = state &* 1_664_525 &+ 1_013_904_223
      return (state >> 8) % limit
    }
    var bytes: [UInt8] = []
    for _ in 0..<180 {
      // At 32 kbit/s a frame would have 12 * 32000 / 32000 = 12 slots of 4 bytes, which is too few. Index 4
      // is 128 kbit/s, 48 slots.
      var bits: [UInt8] = []
      func put(_ value: UInt32, _ width: Int) {
        for bit in (0..<width).reversed() { bits.append(UInt8(value >> UInt32(bit) & 1)) }
      }
      put(0xFFFF_48C0, 32)
      for band in 0..<32 { put(band < 4 ? 3 : 0, 4) }
      for _ in 0..<4 { put(10 + random(20), 6) }
      for _ in 0..<12 { for _ in 0..<4 { put(random(15), 4) } }
      bits += Array(repeating: 0, count: 192 * 8 - bits.count)
      for byte in stride(from: 0, to: bits.count, by: 8) {
        bytes.append(bits[byte..<(byte + 8)].reduce(0) { $0 << 1 | $1 })
      }
    }
    return bytes
  }
}
