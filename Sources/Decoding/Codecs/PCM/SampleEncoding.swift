// Sample formats of WAV and AIFF, and their conversion to Float32. Worker process only. Plain loops without
// allocation, so that the compiler vectorises them.

import CodecSupport

/// The format of one sample. Integers are scaled to a full scale of 1.0, exactly up to 24 bits.
enum SampleEncoding {
  case unsigned8
  case signed8
  case int16(ByteOrder)
  case int24(ByteOrder)
  case int32(ByteOrder)
  case float32(ByteOrder)
  case float64(ByteOrder)
  case aLaw
  case muLaw

  /// The byte order of a sample.
  enum ByteOrder {
    case little
    case big
  }

  /// The integer format of a width in bytes; nil if not supported.
  static func integer(bytes: Int, _ order: ByteOrder) -> SampleEncoding? {
    switch bytes {
    case 2: .int16(order)
    case 3: .int24(order)
    case 4: .int32(order)
    default: nil
    }
  }

  /// The IEEE 754 format of a width in bytes; nil if not supported.
  static func floatingPoint(bytes: Int, _ order: ByteOrder) -> SampleEncoding? {
    switch bytes {
    case 4: .float32(order)
    case 8: .float64(order)
    default: nil
    }
  }

  var bytesPerSample: Int {
    switch self {
    case .unsigned8, .signed8, .aLaw, .muLaw: 1
    case .int16: 2
    case .int24: 3
    case .int32, .float32: 4
    case .float64: 8
    }
  }

  var isFloat: Bool {
    switch self {
    case .float32, .float64: true
    default: false
    }
  }

  /// Whether samples can be copied without conversion.
  var isNative: Bool {
    if case .float32(.little) = self { true } else { false }
  }

  /// Name for display, such as `16-bit`.
  var name: Phrase {
    switch self {
    case .unsigned8, .signed8: "8-bit"
    case .int16: "16-bit"
    case .int24: "24-bit"
    case .int32: "32-bit"
    case .float32: "32-bit float"
    case .float64: "64-bit float"
    case .aLaw: "A-law"
    case .muLaw: "µ-law"
    }
  }

  /// Converts samples to Float32.
  ///
  /// - Parameters:
  ///   - raw: The samples. Three bytes after the last one must be readable, for 24 bits.
  ///   - samples: Receives the result.
  ///   - count: Number of samples.
  func convert(_ raw: UnsafeRawPointer, to samples: UnsafeMutablePointer<Float>, count: Int) {
    switch self {
    case .unsigned8:
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      for index in 0..<count { samples[index] = Float(Int32(bytes[index]) &- 128) * 0x1p-7 }
    case .signed8:
      let bytes = raw.assumingMemoryBound(to: Int8.self)
      for index in 0..<count { samples[index] = Float(bytes[index]) * 0x1p-7 }
    case .int16(.little):
      let target = UnsafeMutableRawPointer(samples)
      var index = 0
      let whole = count & ~15
      while index < whole {
        let words = raw + 2 &* index
        target.storeBytes(of: Self.floats(words), toByteOffset: 4 &* index, as: SIMD8<Float>.self)
        target.storeBytes(of: Self.floats(words + 16), toByteOffset: 4 &* index &+ 32, as: SIMD8<Float>.self)
        index = index &+ 16
      }
      while index < count {
        samples[index] = Float(raw.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)) * 0x1p-15
        index += 1
      }
    case .int16(.big):
      let words = raw.assumingMemoryBound(to: Int16.self)
      for index in 0..<count { samples[index] = Float(words[index].byteSwapped) * 0x1p-15 }
    case .int24(.little):
      for index in 0..<count {
        let word = raw.loadUnaligned(fromByteOffset: index &* 3, as: Int32.self)
        samples[index] = Float(word &<< 8) * 0x1p-31
      }
    case .int24(.big):
      for index in 0..<count {
        let word = raw.loadUnaligned(fromByteOffset: index &* 3, as: Int32.self).byteSwapped
        samples[index] = Float(word & ~0xFF) * 0x1p-31
      }
    case .int32(.little):
      let words = raw.assumingMemoryBound(to: Int32.self)
      for index in 0..<count { samples[index] = Float(words[index]) * 0x1p-31 }
    case .int32(.big):
      let words = raw.assumingMemoryBound(to: Int32.self)
      for index in 0..<count { samples[index] = Float(words[index].byteSwapped) * 0x1p-31 }
    case .float32(let order):
      let words = raw.assumingMemoryBound(to: UInt32.self)
      for index in 0..<count {
        let word = words[index]
        samples[index] = Float(bitPattern: order == .big ? word.byteSwapped : word)
      }
    case .float64(let order):
      let words = raw.assumingMemoryBound(to: UInt64.self)
      for index in 0..<count {
        let word = words[index]
        samples[index] = Float(Double(bitPattern: order == .big ? word.byteSwapped : word))
      }
    case .aLaw:
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      for index in 0..<count { samples[index] = Float(Self.fromALaw(bytes[index])) * 0x1p-15 }
    case .muLaw:
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      for index in 0..<count { samples[index] = Float(Self.fromMuLaw(bytes[index])) * 0x1p-15 }
    }
  }

  /// Converts eight 16-bit integers.
  @inline(__always)
  private static func floats(_ words: UnsafeRawPointer) -> SIMD8<Float> {
    // Inserts each integer as the low half of a float from 256 on, where one unit in the last place is
    // 1/32768.
    var halves = SIMD16<UInt16>(repeating: 0x4380)
    halves.evenHalf = words.loadUnaligned(as: SIMD8<UInt16>.self) ^ 0x8000
    return unsafeBitCast(halves, to: SIMD8<Float>.self) - 257
  }

  /// Expands ITU-T G.711 A-law to 16-bit linear.
  private static func fromALaw(_ code: UInt8) -> Int32 {
    let bits = Int32(code ^ 0x55)
    let exponent = bits >> 4 & 7
    let mantissa = (bits & 15) << 4 + 8
    let magnitude = exponent == 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
    return bits & 0x80 != 0 ? magnitude : -magnitude
  }

  /// Expands ITU-T G.711 µ-law to 16-bit linear.
  private static func fromMuLaw(_ code: UInt8) -> Int32 {
    let bits = Int32(~code)
    let magnitude = ((bits & 15) << 3 + 0x84) << (bits >> 4 & 7) - 0x84
    return bits & 0x80 != 0 ? -magnitude : magnitude
  }
}
