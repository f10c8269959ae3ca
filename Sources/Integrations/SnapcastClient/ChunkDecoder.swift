// The decoder interface for chunks of a Snapcast stream, and the decoder for PCM. Receiver's process, single thread.

/// Decodes consecutive chunks. Class-bound for Embedded Swift.
protocol ChunkDecoder: AnyObject {
  /// Sample rate in Hz.
  var rate: Int { get }
  /// Appends the decoded frames of a chunk as interleaved stereo. Damaged data is skipped.
  func decode(_ bytes: ArraySlice<UInt8>, into frames: inout [Float]) throws(SnapcastFailure)
}

/// Decodes uncompressed little-endian samples.
final class PCMChunks: ChunkDecoder {
  let rate: Int
  private let channels: Int
  private let bits: Int
  /// Bytes per sample; 24-bit samples are padded to four.
  private var width: Int { bits == 16 ? 2 : 4 }

  init(rate: Int, bits: Int, channels: Int) {
    self.rate = rate
    self.bits = bits
    self.channels = channels
  }

  func decode(_ bytes: ArraySlice<UInt8>, into frames: inout [Float]) throws(SnapcastFailure) {
    let size = width * channels
    var place = bytes.startIndex
    while place + size <= bytes.endIndex {
      frames.append(sample(bytes, place))
      frames.append(sample(bytes, channels > 1 ? place + width : place))
      place += size
    }
  }

  private func sample(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Float {
    var value: UInt32 = 0
    for byte in 0..<width { value |= UInt32(bytes[place + byte]) << UInt32(8 * byte) }
    // Shifts the sample's bits, which are the lowest ones, to the top.
    return Float(Int32(bitPattern: value << UInt32(32 - bits))) / 2_147_483_648
  }
}
