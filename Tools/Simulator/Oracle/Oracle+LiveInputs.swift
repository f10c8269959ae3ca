// Separates live inputs from music in the recorded output. One thread.

extension Oracle {
  /// Passes frames of live inputs to their listener and removes them from the samples.
  func hearLiveInputs(_ samples: UnsafeMutableBufferPointer<Float>, at start: UInt64) {
    guard var ear = liveInputs else { return }
    let perFrame = 1e9 / Double(world.rate)
    for i in 0..<(samples.count / 2) {
      let time = start + UInt64(Double(i) * perFrame)
      let (left, right) = (samples[2 * i], samples[2 * i + 1])
      guard left >= 0, left < LiveInputSignal.ceiling else {
        ear.cover(at: time)
        continue
      }
      let isAlone = abs(right) < LiveInputSignal.ceiling
      let isOfSource = ear.hear(
        left, isAlone ? right : nil, at: time, written: receivers,
        limit: tracker.circumstances.stepLimit(at: time),
        isBlurred: isCardLost || time < faultAt + 500_000_000 || tracker.circumstances.mayBeStrange(at: time))
      // Not a live input's frame, so leave it to the tracker.
      guard isOfSource else {
        ear.cover(at: time)
        continue
      }
      // Anything left on the right channel alone is the end of a cue.
      if isAlone, left != 0 { samples[2 * i + 1] = 0 }
      samples[2 * i] = 0
      if let fault = ear.fault, violation == nil {
        fail(Violation(fault.rule, at: time, expected: fault.expected, found: fault.found))
        break
      }
    }
    liveInputs = ear
  }
}
