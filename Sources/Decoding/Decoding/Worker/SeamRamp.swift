// Short fades at the discontinuity where a station was joined again, to avoid a click. Pure; worker process
// only.

/// Fades out the audio before a discontinuity, and fades in the audio after it.
struct SeamRamp {
  /// Length of each fade in milliseconds.
  static let milliseconds = 10

  private var last: (left: Float, right: Float) = (0, 0)
  /// Length of the fade-in in frames, and its frames already done.
  private var length = 0
  private var done = 0

  /// Processes new stereo frames: applies a pending fade-in, and stores the last frame for a later fade-out.
  mutating func note(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    guard frames > 0 else { return }
    var index = 0
    while done < length, index < frames {
      let gain = Self.gain(done, of: length)
      samples[2 * index] *= gain
      samples[2 * index + 1] *= gain
      done += 1
      index += 1
    }
    last = (samples[2 * frames - 2], samples[2 * frames - 1])
  }

  /// Writes a fade-out of the last frame, and starts a fade-in for the frames after it.
  ///
  /// - Parameters:
  ///   - samples: Receives stereo frames.
  ///   - frames: Maximum number of frames.
  ///   - rate: Sample rate in Hz.
  /// - Returns: Number of frames written.
  mutating func fade(into samples: UnsafeMutablePointer<Float>, frames: Int, rate: Int) -> Int {
    length = max(1, rate * Self.milliseconds / 1000)
    done = 0
    let count = min(frames, length)
    for index in 0..<count {
      let gain = Self.gain(count - 1 - index, of: count)
      samples[2 * index] = last.left * gain
      samples[2 * index + 1] = last.right * gain
    }
    return count
  }

  /// Smoothstep gain, from 0 to just below 1.
  private static func gain(_ index: Int, of length: Int) -> Float {
    let part = Float(index) / Float(length)
    return part * part * (3 - 2 * part)
  }
}
