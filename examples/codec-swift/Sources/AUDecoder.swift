// Codec plugin for Sun's AU files with 16-bit samples. Runs in the worker process only, on one thread, inside the
// sandbox.
import CodecPlugin
import CodecSupport

private nonisolated(unsafe) let table = makeCodecTable(
  name: "AU",
  version: cString("1"),
  extensions: ["au", "snd"],
  mimeTypes: ["audio/basic"],
  probe: { bytes, size in hasMagic(borrowed(bytes, size), ".snd") ? 100 : 0 },
  open: { io, decoder, info, reason, reasonSize in
    openStream(io, decoder, info, reason, reasonSize) { (input, description) throws(CodecFailure) in
      try AUDecoder(input, description)
    }
  })

/// Entry point that Swiftlet looks up in the shared object.
@c(swiftlet_codec_entry) public func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }

/// Decoder for one file.
final class AUDecoder: StreamDecoder {
  private let input: MediaInput
  private let channels: Int
  private let start: Int64
  private let total: Int64
  private var next: Int64 = 0
  private var scratch: [UInt8] = []

  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    // Six 32-bit numbers: magic, offset of the samples, their size in bytes, encoding, rate, channels.
    var header = [UInt8](repeating: 0, count: 24)
    guard input.readFully(into: &header, count: 24) == 24 else {
      throw CodecFailure(.corrupt, "The file ends within its header.")
    }
    func word(_ index: Int) -> UInt32 {
      header[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard word(3) == 3 else {
      throw CodecFailure(.unsupported, "Encoding \(word(3)) is not played; 3, 16-bit samples, is.")
    }
    // Validate the untrusted header first: the number of channels is used as a divisor.
    guard (1...8).contains(word(5)) else {
      throw CodecFailure(.unsupported, "\(word(5)) channels are not played; 1 to 8 are.")
    }
    channels = Int(word(5))
    start = Int64(word(1))
    let rest = max(0, (input.length ?? 0) - start)
    total = min(word(2) == .max ? rest : Int64(word(2)), rest) / Int64(2 * channels)
    self.input = input
    super.init()
    try description.setFormat(
      "AU", rate: word(4), channels: word(5), bits: 16, totalFrames: total, canSeek: true)
    try seek(to: 0)
  }

  override func decode(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(CodecFailure) -> Int {
    let wanted = Int(min(Int64(frames), total - next)) * channels * 2
    if scratch.count < wanted { scratch = [UInt8](repeating: 0, count: wanted) }
    let got = input.readFully(into: &scratch, count: wanted)
    guard got >= 0 else { throw .read(at: input.position) }
    let done = got / (2 * channels)
    for index in 0..<(done * channels) {
      let value = Int16(bitPattern: UInt16(scratch[2 * index]) << 8 | UInt16(scratch[2 * index + 1]))
      samples[index] = Float(value) / 32768
    }
    next += Int64(done)
    return done
  }

  override func seek(to frame: Int64) throws(CodecFailure) {
    next = min(frame, total)
    guard input.seek(to: start + next * Int64(2 * channels)) else {
      throw CodecFailure(.notSeekable, "There is no frame \(frame).")
    }
  }
}
