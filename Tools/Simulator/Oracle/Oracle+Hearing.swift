// Passes the card's output to the tracker, through the inverse equalizer and the live input listener if needed. One
// thread.

extension Oracle {
  func heard(_ samples: UnsafePointer<Float>, frames: Int, at time: UInt64) {
    if let spoiler {
      var spoilt: [Float] = []
      for i in 0..<frames {
        for (left, right) in spoiler(heardFrames + i, samples[2 * i], samples[2 * i + 1]) {
          spoilt += [left, right]
        }
      }
      heardFrames += frames
      spoilt.withUnsafeBufferPointer { buffer in
        if let base = buffer.baseAddress { hear(base, buffer.count / 2, at: time) }
      }
    } else {
      hear(samples, frames, at: time)
    }
    lastFrame = time + UInt64(frames) * 1_000_000_000 / UInt64(world.rate)
    if violation == nil { violation = tracker.violation }
  }

  private func hear(_ samples: UnsafePointer<Float>, _ frames: Int, at time: UInt64) {
    if liveInputs != nil {
      var copy = Array(UnsafeBufferPointer(start: samples, count: 2 * frames))
      return copy.withUnsafeMutableBufferPointer { buffer in
        hearLiveInputs(buffer, at: time)
        if let base = buffer.baseAddress { tracker.hear(base, count: frames, at: time) }
      }
    }
    guard equalizer != nil else { return tracker.hear(samples, count: frames, at: time) }
    equalizer?.hear(samples, frames: frames)
    guard let equalizer else { return }
    tracker.blur = equalizer.error
    equalizer.samples.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { tracker.hear(base, count: frames, at: time) }
    }
  }
}
