// What turns a server's pieces of sound into stereo frames. One thread of the receiver's process.

/// Decodes pieces one after another. Class-bound, for Embedded Swift.
protocol ChunkDecoder: AnyObject {
  /// Frames a second.
  var rate: Int { get }
  /// Appends a piece's frames, as stereo. What is damaged is left out.
  func decode(_ bytes: ArraySlice<UInt8>, into frames: inout [Float]) throws(SnapcastFailure)
}

/// Frames that lie in a piece as they are.
final class PCMChunks: ChunkDecoder {
  let rate: Int
  private let channels: Int
  private let bits: Int
  /// Bytes of a sample: 24 bits come in four.
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
    // The lowest bits are the sample's.
    return Float(Int32(bitPattern: value << UInt32(32 - bits))) / 2_147_483_648
  }
}
