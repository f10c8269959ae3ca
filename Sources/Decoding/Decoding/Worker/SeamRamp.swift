// Where a station was joined anew, its sound jumps: a ramp on both sides, so that it does not click. Pure; worker process.

/// Fades out what came last, and in what comes next.
struct SeamRamp {
  /// Milliseconds of each ramp.
  static let milliseconds = 10

  private var last: (left: Float, right: Float) = (0, 0)
  /// Frames of the ramp that lets the new sound in, and how many of them are over.
  private var length = 0
  private var done = 0

  /// Stereo frames were made: their beginning is let in where there was a seam, and their last one is remembered.
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

  /// There is a seam: writes how the last frame fades to silence, as many frames as there is room for. What follows is let in.
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

  /// From 0 to nearly 1, with level ends.
  private static func gain(_ index: Int, of length: Int) -> Float {
    let part = Float(index) / Float(length)
    return part * part * (3 - 2 * part)
  }
}
