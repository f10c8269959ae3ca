// How live sources come to their ear, and music without them to the tracker. One thread.

extension Oracle {
  /// Takes the sound of sources out of what is heard.
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
      // Then it is for the tracker to say what it is.
      guard isOfSource else {
        ear.cover(at: time)
        continue
      }
      // On the right alone it is the last of a sound of the box's own.
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
