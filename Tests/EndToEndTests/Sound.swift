// PCM sounds for tests: generated, written and read as WAV, and compared by frame. Test threads.

import Foundation

/// Interleaved samples; 16-bit ones are kept as such for exact comparisons.
struct Sound {
  enum Samples {
    case int16([Int16])
    case float([Float])
  }

  struct NotWAV: Error {}

  var rate: Int
  var channels: Int
  var samples: Samples

  init(rate: Int = 44100, channels: Int = 2, _ samples: [Int16]) {
    self.rate = rate
    self.channels = channels
    self.samples = .int16(samples)
  }

  init(rate: Int = 44100, channels: Int = 2, _ samples: [Float]) {
    self.rate = rate
    self.channels = channels
    self.samples = .float(samples)
  }

  /// Reads a WAV file with a plain header, with 16-bit or float samples.
  init(wav: Data) throws {
    let bytes = [UInt8](wav)
    guard bytes.count >= 44 else { throw NotWAV() }
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    var offset = 12
    while number(offset, 4) != 0x6174_6164 {  // "data"
      offset += 8 + number(offset + 4, 4)
      guard offset + 8 <= bytes.count else { throw NotWAV() }
    }
    rate = number(24, 4)
    channels = number(22, 2)
    let start = offset + 8
    let count = min(number(offset + 4, 4), bytes.count - start)
    switch (number(20, 2), number(34, 2)) {
    case (3, 32): samples = .float(Self.load(bytes, start, count))
    case (1, 16): samples = .int16(Self.load(bytes, start, count))
    default: throw NotWAV()
    }
  }

  private static func load<T: BitwiseCopyable & Numeric>(_ bytes: [UInt8], _ start: Int, _ count: Int) -> [T]
  {
    var out = [T](repeating: 0, count: count / MemoryLayout<T>.size)
    out.withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + target.count]))
      }
    }
    return out
  }

  var count: Int {
    switch samples {
    case .int16(let samples): samples.count
    case .float(let samples): samples.count
    }
  }

  var frames: Int { count / channels }

  var int16: [Int16] { if case .int16(let samples) = samples { samples } else { [] } }
  var float: [Float] { if case .float(let samples) = samples { samples } else { [] } }

  /// A RIFF WAVE file: format tag 1 or 3.
  var wav: Data {
    let isFloat = if case .float = samples { true } else { false }
    let bytes = isFloat ? 4 : 2
    var data = Data()
    func word(_ value: Int, _ size: Int) {
      for i in 0..<size { data.append(UInt8(truncatingIfNeeded: value >> (8 * i))) }
    }
    data += Data("RIFF".utf8)
    word(36 + count * bytes, 4)
    data += Data("WAVEfmt ".utf8)
    word(16, 4)
    word(isFloat ? 3 : 1, 2)
    word(channels, 2)
    word(rate, 4)
    word(rate * channels * bytes, 4)
    word(channels * bytes, 2)
    word(8 * bytes, 2)
    data += Data("data".utf8)
    word(count * bytes, 4)
    switch samples {
    case .int16(let samples): samples.withUnsafeBytes { data.append(contentsOf: $0) }
    case .float(let samples): samples.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    return data
  }

  /// A range of frames.
  subscript(range: Range<Int>) -> Sound {
    var part = self
    let range = range.lowerBound * channels..<range.upperBound * channels
    switch samples {
    case .int16(let samples): part.samples = .int16(Array(samples[range]))
    case .float(let samples): part.samples = .float(Array(samples[range]))
    }
    return part
  }

  /// Splits the sound before each of the given frames.
  func cut(at frames: [Int]) -> [Sound] {
    zip([0] + frames, frames + [self.frames]).map { self[$0..<$1] }
  }

  // MARK: Generators

  /// Two tones over noise, which are nontrivial for each codec. Deterministic.
  static func piece(seconds: Double, rate: Int = 44100, channels: Int = 2, seed: UInt64 = 1) -> Sound {
    var random = Noise(seed: seed)
    let count = Int(seconds * Double(rate))
    var samples = [Int16](repeating: 0, count: count * channels)
    for n in 0..<count {
      let t = Double(n) / Double(rate)
      let tone = 0.25 * sin(2 * .pi * 220 * t) + 0.15 * sin(2 * .pi * 987.77 * t)
      for c in 0..<channels {
        samples[n * channels + c] = Int16(32768 * (tone * (c % 2 == 0 ? 1 : 0.8) + 0.1 * random.next()))
      }
    }
    return Sound(rate: rate, channels: channels, samples)
  }

  /// White noise, independent for each seed and channel.
  static func noise(frames: Int, rate: Int = 44100, amplitude: Double = 0.5, seed: UInt64) -> Sound {
    var random = Noise(seed: seed)
    return Sound(rate: rate, (0..<2 * frames).map { _ in Float(amplitude * random.next()) })
  }

  /// A constant value per channel.
  static func constant(frames: Int, left: Float, right: Float) -> Sound {
    Sound((0..<2 * frames).map { $0 % 2 == 0 ? left : right })
  }

  /// A sine on both channels.
  /// - Parameter phase: In radians, at the first frame.
  static func sine(
    hertz: Double, frames: Int, amplitude: Double = 0.5, phase: Double = 0, rate: Int = 44100
  ) -> Sound {
    Sound(
      rate: rate,
      (0..<2 * frames).map { Float(amplitude * sin(phase + 2 * .pi * hertz * Double($0 / 2) / Double(rate))) }
    )
  }
}

/// Uniform noise between -1 and 1 (xorshift64*).
struct Noise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func next() -> Double {
    let bits: UInt64 = next()
    return Double(Int64(bitPattern: bits) >> 11) / Double(1 << 52)
  }
}

/// Describes the first position at which two sequences differ by more than `tolerance`; nil if there is none.
func difference(
  _ left: some RandomAccessCollection<Float>, _ right: some RandomAccessCollection<Float>,
  tolerance: Float = 0
) -> String? {
  guard left.count == right.count else { return "\(left.count) samples against \(right.count)" }
  var n = 0
  for (a, b) in zip(left, right) {
    if !(abs(a - b) <= tolerance) { return "at sample \(n): \(a) against \(b)" }
    n += 1
  }
  return nil
}

/// Describes the first position at which two sequences differ; nil if there is none.
func difference(
  _ left: some RandomAccessCollection<Int16>, _ right: some RandomAccessCollection<Int16>
) -> String? {
  guard left.count == right.count else { return "\(left.count) samples against \(right.count)" }
  var n = 0
  for (a, b) in zip(left, right) {
    if a != b { return "at sample \(n): \(a) against \(b)" }
    n += 1
  }
  return nil
}
