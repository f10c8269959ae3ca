// The PCM codec plugin: WAV, RF64 and AIFF, with Swiftlet's own parsers. Worker process only, one thread.

import CodecPlugin
import CodecSupport
import MediaFormats

private nonisolated(unsafe) let table = makeCodecTable(
  name: "PCM",
  version: cString("1"),
  extensions: ["wav", "wave", "rf64", "bwf", "aif", "aiff", "aifc"],
  mimeTypes: ["audio/wav", "audio/x-wav", "audio/vnd.wave", "audio/aiff", "audio/x-aiff"],
  probe: { bytes, size in PCMDecoder.probe(borrowed(bytes, size)) },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) {
      (input, description) throws(CodecFailure) in
      try PCMDecoder(input, description)
    }
  })

/// Entry point of the plugin; see SwiftletCodec.h.
@c(swiftlet_codec_entry) package func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decodes uncompressed samples.
final class PCMDecoder: StreamDecoder {
  private let input: MediaInput
  private let layout: PCMLayout
  private let totalFrames: Int64?
  private var nextFrame: Int64 = 0
  /// Buffer for bytes before conversion; as large as a typical request at 16 bits.
  private let scratch: UnsafeMutableRawPointer
  private static let scratchBytes = 32768

  static func probe(_ bytes: Bytes) -> Int32 {
    if hasMagic(bytes, "WAVE", at: 8) {
      // MPEG audio in a WAV container belongs to the MPEG plugin.
      if hasMagic(bytes, "fmt ", at: 12), bytes.count >= 22, bytes[20] == 0x50 || bytes[20] == 0x55,
        bytes[21] == 0
      {
        return 5
      }
      if hasMagic(bytes, "RIFF") || hasMagic(bytes, "RF64") || hasMagic(bytes, "BW64") { return 100 }
    }
    if hasMagic(bytes, "FORM"), hasMagic(bytes, "AIFF", at: 8) || hasMagic(bytes, "AIFC", at: 8) {
      return 100
    }
    return 0
  }

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    let reader = ChunkReader(input: input)
    guard let header = try reader.bytes(at: 0, count: 12) else {
      throw CodecFailure(.unsupported, "The file is too short for WAV or AIFF.")
    }
    let isKnown = header.withUnsafeBufferPointer { Self.probe($0) > 0 }
    guard isKnown else {
      throw CodecFailure(.unsupported, "The file begins as neither WAV nor AIFF.")
    }
    let isAIFF = header.big32(0) == UInt32(characters: "FORM")
    if isAIFF {
      var parser = AIFFParser(input, description)
      layout = try parser.parse(header: header)
    } else {
      var parser = WAVParser(input, description)
      layout = try parser.parse(header: header)
    }
    self.input = input
    totalFrames = layout.dataBytes.map { [layout] in $0 / Int64(layout.bytesPerFrame) }
    scratch = .allocate(byteCount: Self.scratchBytes + 8, alignment: 64)
    super.init()
    try description.setFormat(
      "\(isAIFF ? "AIFF" : "WAV") \(layout.encoding.name)", rate: layout.rate, channels: layout.channels,
      bits: layout.bits, isFloat: layout.encoding.isFloat, totalFrames: totalFrames, canSeek: true)
    guard input.seek(to: layout.dataStart) else { throw .read(at: layout.dataStart) }
  }

  deinit { scratch.deallocate() }

  override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    var wanted = frames
    if let totalFrames { wanted = Int(min(Int64(frames), max(0, totalFrames - nextFrame))) }
    let channels = Int(layout.channels)
    let bytesPerFrame = layout.bytesPerFrame
    if layout.encoding.isNative {
      let done = try read(wanted, into: UnsafeMutableRawPointer(samples))
      nextFrame += Int64(done)
      return done
    }
    let most = Self.scratchBytes / bytesPerFrame
    var done = 0
    while done < wanted {
      let asked = min(most, wanted - done)
      let got = try read(asked, into: scratch)
      layout.encoding.convert(scratch, to: samples + done * channels, count: got * channels)
      done += got
      nextFrame += Int64(got)
      if got < asked { break }
    }
    return done
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    let target = min(frame, totalFrames ?? frame)
    let (bytes, overflow) = target.multipliedReportingOverflow(by: Int64(layout.bytesPerFrame))
    let (offset, beyond) = bytes.addingReportingOverflow(layout.dataStart)
    guard !overflow, !beyond, input.seek(to: offset) else {
      throw CodecFailure(.notSeekable, "There is no frame \(frame) to seek to.")
    }
    nextFrame = target
  }

  /// Reads whole frames. A partial frame at the end of the file is ignored.
  private func read(_ frames: Int, into buffer: UnsafeMutableRawPointer) throws(CodecFailure) -> Int {
    let bytesPerFrame = layout.bytesPerFrame
    let got = input.readFully(into: buffer, count: frames * bytesPerFrame)
    guard got >= 0 else { throw .read(at: layout.dataStart + nextFrame * Int64(bytesPerFrame)) }
    return got / bytesPerFrame
  }
}
