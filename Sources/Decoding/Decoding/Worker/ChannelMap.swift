// Downmixing of 1 to 8 channels to stereo. Pure; worker process only.

/// Mixing coefficients from channels in WAVE order to left and right.
///
/// Mono goes to both sides unchanged. More than two channels are mixed with the coefficients of ITU-R BS.775:
/// front channels 1, centre and surrounds 0.7071, a rear centre 0.5 to each side, no LFE. The coefficients
/// are divided by their sum, so that the result cannot clip; that is 7.7 dB for 5.1.
struct ChannelMap: Hashable {
  let channels: Int
  /// Coefficients of each channel for the left and the right side.
  let left: [Float]
  let right: [Float]

  /// Creates the coefficients for 1 to 8 channels.
  init(channels: Int) {
    let half: Float = 0.707_106_77
    let (left, right): ([Float], [Float])
    switch channels {
    case 1: (left, right) = ([1], [1])
    case 2: (left, right) = ([1, 0], [0, 1])
    case 3: (left, right) = ([1, 0, half], [0, 1, half])
    case 4: (left, right) = ([1, 0, half, 0], [0, 1, 0, half])
    case 5: (left, right) = ([1, 0, half, half, 0], [0, 1, half, 0, half])
    case 6: (left, right) = ([1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half])
    case 7: (left, right) = ([1, 0, half, 0, 0.5, half, 0], [0, 1, half, 0, 0.5, 0, half])
    default: (left, right) = ([1, 0, half, 0, half, 0, half, 0], [0, 1, half, 0, 0, half, 0, half])
    }
    let scale = 1 / left.reduce(0, +)
    self.channels = channels
    self.left = left.map { $0 * scale }
    self.right = right.map { $0 * scale }
  }

  /// Mixes interleaved frames to interleaved stereo.
  ///
  /// - Parameters:
  ///   - input: `frames * channels` samples.
  ///   - output: Receives `frames * 2` samples; must not overlap `input`.
  ///   - frames: Number of frames.
  func apply(_ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, frames: Int) {
    if channels == 1 {
      for frame in 0..<frames {
        output[2 * frame] = input[frame]
        output[2 * frame + 1] = input[frame]
      }
      return
    }
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        for frame in 0..<frames {
          var (l, r): (Float, Float) = (0, 0)
          for channel in 0..<channels {
            let sample = input[frame * channels + channel]
            l += sample * left[channel]
            r += sample * right[channel]
          }
          output[2 * frame] = l
          output[2 * frame + 1] = r
        }
      }
    }
  }
}
