// Decodes bare Opus packets (no container) with libopus. Receiver's process, single thread.

import CSnapcast

/// Decodes one packet per chunk.
final class OpusChunks: ChunkDecoder {
  /// Maximum frames in a packet: 120 ms at 48 kHz.
  private static let maxCount = 5760

  let rate: Int
  private let library: csnapcast_opus
  private let channels: Int
  private let decoder: OpaquePointer
  private var output: [Float]

  init(_ library: csnapcast_opus, rate: Int, channels: Int) throws(SnapcastFailure) {
    var code: Int32 = 0
    guard let decoder = library.opus_decoder_create(Int32(rate), Int32(channels), &code) else {
      throw SnapcastFailure(
        "its server sends Opus at \(rate) Hz with \(channels) channels, which libopus does not decode")
    }
    (self.library, self.rate, self.channels, self.decoder) = (library, rate, channels, decoder)
    output = [Float](repeating: 0, count: Self.maxCount * channels)
  }

  deinit { library.opus_decoder_destroy(decoder) }

  func decode(_ bytes: ArraySlice<UInt8>, into frames: inout [Float]) throws(SnapcastFailure) {
    guard !bytes.isEmpty else { return }
    let count = bytes.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer {
        library.opus_decode_float(
          decoder, input.baseAddress, Int32(input.count), $0.baseAddress, Int32(Self.maxCount), 0)
      }
    }
    guard count > 0 else { return }
    for frame in 0..<Int(count) {
      frames.append(output[frame * channels])
      frames.append(output[frame * channels + channels - 1])
    }
  }
}
