// Converts the bytes of a live source to stereo frames. Pure; worker process only.

import PlaybackModel

/// Decodes bytes that arrive in pieces of any length.
struct LiveSamples {
  private let format: LiveFormat
  /// The bytes of an incomplete frame.
  private var rest: [UInt8] = []

  init(_ format: LiveFormat) {
    self.format = format
    rest.reserveCapacity(format.frameBytes)
  }

  /// Discards an incomplete frame.
  mutating func restart() { rest.removeAll(keepingCapacity: true) }

  /// Decodes bytes.
  ///
  /// - Parameters:
  ///   - bytes: The next piece.
  ///   - frames: The complete frames are appended, as interleaved stereo.
  mutating func take(_ bytes: UnsafeRawBufferPointer, into frames: inout [Float]) {
    var bytes = bytes
    let size = format.frameBytes
    if !rest.isEmpty {
      let missing = min(size - rest.count, bytes.count)
      rest += bytes.prefix(missing)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == size else { return }
      rest.withUnsafeBytes { append($0, to: &frames) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / size * size
    append(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), to: &frames)
    rest += bytes[whole...]
  }

  private func append(_ bytes: UnsafeRawBufferPointer, to frames: inout [Float]) {
    var offset = 0
    while offset < bytes.count {
      let left = sample(bytes, offset)
      offset += format.encoding.bytes
      guard format.channels == 2 else {
        frames.append(left)
        frames.append(left)
        continue
      }
      frames.append(left)
      frames.append(sample(bytes, offset))
      offset += format.encoding.bytes
    }
  }

  private func sample(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Float {
    switch format.encoding {
    case .s16:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)
      return Float(Int16(littleEndian: value)) / 32_768
    case .s24:
      let value =
        UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 24
      return Float(Int32(bitPattern: value) >> 8) / 8_388_608
    case .s32:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      return Float(Int32(littleEndian: value)) / 2_147_483_648
    case .float:
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let sample = Float(bitPattern: UInt32(littleEndian: value))
      return sample.isFinite ? min(max(sample, -4), 4) : 0
    }
  }
}
