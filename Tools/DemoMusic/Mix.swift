// Mixes the demo's notes to stereo, adds reverberation and converts to 16 bits. Pure computation.

import Foundation

/// Stereo mix at a sample rate in Hz.
struct Mix {
  let rate: Int
  private var left: [Float]
  private var right: [Float]
  private var wetLeft: [Float]
  private var wetRight: [Float]
  private var seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates a silent mix.
  init(seconds: Double, rate: Int) {
    self.rate = rate
    let silence = [Float](repeating: 0, count: Int(seconds * Double(rate)))
    (left, right, wetLeft, wetRight) = (silence, silence, silence, silence)
  }

  /// Adds a note.
  /// - Parameters:
  ///   - voice: Instrument.
  ///   - start: Start in seconds.
  ///   - length: Duration in seconds, without release.
  ///   - pitch: MIDI note number (69 is 440 Hz).
  ///   - level: Linear gain.
  ///   - pan: -1 (left) to 1 (right).
  mutating func add(
    _ voice: Voice, at start: Double, for length: Double, pitch: Double, level: Float, pan: Float = 0
  ) {
    let first = Int(start * Double(rate))
    let count = min(Int((length + voice.release) * Double(rate)), left.count - first)
    guard first >= 0, count > 0 else { return }
    let hertz = 440 * pow(2, (pitch - 69) / 12)
    let angle = (Double(pan) + 1) * Double.pi / 4
    let (toLeft, toRight) = (Float(cos(angle)) * level, Float(sin(angle)) * level)
    var (slow, before) = (0.0, 0.0)
    for i in 0..<count {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let white = Double(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648
      // Noise without its low frequencies, for breath and brush sounds.
      slow += 0.25 * (white - slow)
      let noise = (white - slow) * 0.6 + before * 0.4
      before = noise
      let t = Double(i) / Double(rate)
      let sample = Float(voice.sample(t, length: length, hertz: hertz, noise: noise))
      left[first + i] += sample * toLeft
      right[first + i] += sample * toRight
      wetLeft[first + i] += sample * toLeft * voice.wetness
      wetRight[first + i] += sample * toRight * voice.wetness
    }
  }

  /// Renders the mix with reverberation, normalized to `peak`, with short fades at both ends.
  /// - Returns: Interleaved stereo.
  func mastered(peak: Float) -> [Int16] {
    var room = Room(rate: rate)
    var samples = [Float](repeating: 0, count: left.count * 2)
    var loudest: Float = 1e-9
    for i in left.indices {
      let wet = room.answer(wetLeft[i], wetRight[i])
      // Soft clipping, as on tape.
      samples[2 * i] = tanh(left[i] + wet.left)
      samples[2 * i + 1] = tanh(right[i] + wet.right)
      loudest = max(loudest, abs(samples[2 * i]), abs(samples[2 * i + 1]))
    }
    let edge = rate / 100
    let tail = rate / 2
    return samples.indices.map { i in
      let frame = i / 2
      let fade = min(1, Float(frame) / Float(edge), Float(left.count - 1 - frame) / Float(tail))
      return Int16((samples[i] / loudest * peak * fade * 32767).rounded())
    }
  }
}
