// Reads a recording: a 16-bit stereo WAV file written by `swiftlet play --output`.

import Foundation

/// Error for the user of the tool.
struct Complaint: Error {
  let sentence: String
}

/// Samples of both channels.
struct Recording {
  let rate: Int
  let samples: [Int16]
  var frames: Int { samples.count / 2 }

  /// Reads a WAV file.
  /// - Throws: `Complaint` that names the file.
  init(_ path: String) throws {
    guard let file = FileManager.default.contents(atPath: path) else {
      throw Complaint(sentence: "\(path) cannot be read")
    }
    let bytes = [UInt8](file)
    func little(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    var (rate, data) = (0, 0..<0)
    var at = 12
    while at + 8 <= bytes.count {
      let end = min(at + 8 + little(at + 4, 4), bytes.count)
      switch String(decoding: bytes[at..<(at + 4)], as: UTF8.self) {
      case "fmt " where end - at >= 24:
        guard little(at + 10, 2) == 2, little(at + 22, 2) == 16 else {
          throw Complaint(sentence: "\(path) is not 16-bit stereo; record with --format S16")
        }
        rate = little(at + 12, 4)
      case "data": data = (at + 8)..<end
      default: break
      }
      at = end + (end & 1)
    }
    guard rate > 0, data.count >= 4 else { throw Complaint(sentence: "\(path) is no WAV file with samples") }
    self.rate = rate
    samples = (0..<(data.count / 4 * 2)).map {
      Int16(truncatingIfNeeded: little(data.lowerBound + 2 * $0, 2))
    }
  }

  /// Lowest and highest sample and RMS level of a range of frames, over both channels, -1 to 1.
  func envelope(_ range: Range<Int>) -> (low: Double, high: Double, mean: Double) {
    let range = range.clamped(to: 0..<frames)
    guard !range.isEmpty else { return (0, 0, 0) }
    var (low, high, power) = (Int16.max, Int16.min, 0.0)
    for sample in samples[(range.lowerBound * 2)..<(range.upperBound * 2)] {
      low = min(low, sample)
      high = max(high, sample)
      power += Double(sample) * Double(sample)
    }
    return (
      Double(low) / 32768, Double(high) / 32768, (power / Double(range.count * 2)).squareRoot() / 32768
    )
  }

  /// The average of both channels of a frame, -1 to 1.
  func value(_ frame: Int) -> Double {
    guard frame >= 0, frame < frames else { return 0 }
    return (Double(samples[2 * frame]) + Double(samples[2 * frame + 1])) / 65536
  }
}
