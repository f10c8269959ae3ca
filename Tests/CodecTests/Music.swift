// Deterministic test data: music-like signals, seeded random numbers, and uncompressed files of them. Test
// threads.

import Foundation

/// SplitMix64: small, seeded, platform-independent.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A chord with a slow tremolo and some noise, different on each channel.
struct Music {
  let rate: Int
  let channels: Int
  let frames: Int

  /// Interleaved samples within ±0.8.
  var samples: [Double] {
    var random = Random(0x5EED + UInt64(channels))
    var samples: [Double] = []
    samples.reserveCapacity(frames * channels)
    for frame in 0..<frames {
      let time = Double(frame) / Double(rate)
      let swell = 0.7 + 0.3 * sin(2 * .pi * 1.5 * time)
      for channel in 0..<channels {
        let base = 220.0 * (1 + 0.25 * Double(channel))
        let chord =
          sin(2 * .pi * base * time) + 0.5 * sin(2 * .pi * base * 1.5 * time)
          + 0.25 * sin(2 * .pi * base * 4 * time)
        samples.append(swell * 0.4 * chord + Double.random(in: -0.02...0.02, using: &random))
      }
    }
    return samples
  }

  /// The samples as signed integers of `bits` bits.
  func integers(bits: Int) -> [Int32] {
    let scale = Double(1 << (bits - 1))
    return samples.map { Int32(clamping: Int64(($0 * scale).rounded())) }
  }
}

/// The sample format of a test file.
enum Storage: CaseIterable, CustomStringConvertible {
  case int8, int16, int24, int32, float32, float64

  var bits: Int {
    switch self {
    case .int8: 8
    case .int16: 16
    case .int24: 24
    case .int32, .float32: 32
    case .float64: 64
    }
  }

  var isFloat: Bool { self == .float32 || self == .float64 }

  var description: String { isFloat ? "float\(bits)" : "int\(bits)" }

  /// The stored bytes, and the samples that a decoder must return.
  func encode(_ music: Music, bigEndian: Bool, unsigned8: Bool) -> (bytes: [UInt8], expected: [Float]) {
    var bytes: [UInt8] = []
    var expected: [Float] = []
    func append(_ bits: UInt64, _ count: Int) {
      for index in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * (bigEndian ? count - 1 - index : index))))
      }
    }
    switch self {
    case .float32:
      for sample in music.samples {
        append(UInt64(Float(sample).bitPattern), 4)
        expected.append(Float(sample))
      }
    case .float64:
      for sample in music.samples {
        append(sample.bitPattern, 8)
        expected.append(Float(sample))
      }
    default:
      for value in music.integers(bits: bits) {
        let stored = self == .int8 && unsigned8 ? value + 128 : value
        append(UInt64(bitPattern: Int64(stored)), bits / 8)
        expected.append(Float(Double(value) / Double(1 << (bits - 1))))
      }
    }
    return (bytes, expected)
  }
}

extension [UInt8] {
  static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    Swift.withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    Swift.withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// A RIFF chunk, padded to an even length.
  static func riffChunk(_ id: String, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
    Array(id.utf8) + little(size ?? UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }

  /// An IFF chunk, padded to an even length.
  static func iffChunk(_ id: String, _ body: [UInt8]) -> [UInt8] {
    Array(id.utf8) + big(UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }
}

/// A WAV file whose parts can be changed.
struct WAVFile {
  var format: [UInt8]
  var data: [UInt8]
  var id = "RIFF"
  var riffSize: UInt32?
  var dataSize: UInt32?
  var before: [UInt8] = []
  var after: [UInt8] = []

  init(_ music: Music, _ storage: Storage, data: [UInt8], extensible: Bool = false) {
    let align = UInt16(music.channels * storage.bits / 8)
    let tag: UInt16 = storage.isFloat ? 3 : 1
    format =
      .little(extensible ? 0xFFFE : tag) + .little(UInt16(music.channels)) + .little(UInt32(music.rate))
      + .little(UInt32(music.rate) * UInt32(align)) + .little(align) + .little(UInt16(storage.bits))
    if extensible {
      format += .little(UInt16(22)) + .little(UInt16(storage.bits)) + .little(UInt32(0x3F)) + .little(tag)
      format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    self.data = data
  }

  var bytes: [UInt8] {
    let body =
      Array("WAVE".utf8) + before + .riffChunk("fmt ", format)
      + .riffChunk("data", data, size: dataSize) + after
    return Array(id.utf8) + .little(riffSize ?? UInt32(body.count)) + body
  }
}

/// An AIFF or AIFF-C file.
func aiffFile(
  _ music: Music, _ storage: Storage, data: [UInt8], compression: String?,
  texts: [UInt8] = .iffChunk("NAME", Array("A tune".utf8))
) -> [UInt8] {
  // The rate as an 80-bit extended number.
  let shift = UInt16(UInt64(music.rate).leadingZeroBitCount)
  let rate: [UInt8] = .big(16383 + 63 - shift) + .big(UInt64(music.rate) << UInt64(shift))
  var common: [UInt8] = .big(UInt16(music.channels)) + .big(UInt32(music.frames))
  common += .big(UInt16(storage.bits)) + rate
  if let compression { common += Array(compression.utf8) + [0, 0] }
  let body =
    Array((compression == nil ? "AIFF" : "AIFC").utf8) + .iffChunk("COMM", common)
    + texts + .iffChunk("SSND", [0, 0, 0, 0, 0, 0, 0, 0] + data)
  return .iffChunk("FORM", body)
}
