// Recognizes live inputs in the recorded output where no music covers them: receiver, frame and gain. A value; one
// thread.

/// Follows the live input that is heard, and finds its position again after music has covered it.
struct LiveInputListener {
  /// Position in the signal of a receiver.
  private struct Place {
    let receiver: Int
    let source: Signal.Source
    /// Next frame to be heard.
    var frame: Int
    /// Gain of the last frame heard.
    var gain: Double
    /// Number of silent frames since.
    var silentFrames = 0

    mutating func hear(at gain: Double) {
      frame += 1
      self.gain = gain
      silentFrames = 0
    }
  }

  private let rate: Int
  private var place: Place?
  /// Positions that match the frames heard so far, until only one is left.
  private var candidates: [Place] = []
  /// When a live input's frame was last heard, and since when there were only such frames.
  private(set) var heardAt: UInt64 = 0
  private(set) var clearSince: UInt64 = .max
  /// When music or a cue last covered it.
  private(set) var coveredAt: UInt64 = 0
  /// First violation found, if any.
  private(set) var fault: (rule: Violation.Rule, expected: String, found: String)?

  init(rate: Int) { self.rate = rate }

  /// The gain of the live input that is heard now.
  var gain: Double? { place.map { $0.gain } }

  /// Forgets the position: after a card failure or a reboot it is unknown.
  mutating func forget() {
    place = nil
    candidates = []
    clearSince = .max
  }

  /// Notes that something louder is heard.
  mutating func cover(at time: UInt64) {
    forget()
    coveredAt = time
  }

  /// Processes a frame that is quiet enough for a live input.
  /// - Parameters:
  ///   - left: Left sample.
  ///   - right: Right sample; nil if a cue sounds on that channel.
  ///   - time: When the frame was heard, in nanoseconds.
  ///   - written: Returns the index up to which each receiver has written.
  ///   - limit: Largest allowed change of the gain per frame.
  ///   - isBlurred: Whether the card has just stopped, so that errors are expected.
  /// - Returns: Whether the frame may be a live input's; the end of a music ramp is equally quiet.
  mutating func hear(
    _ left: Float, _ right: Float?, at time: UInt64, written: () -> [(id: Int, end: UInt64)],
    limit: @autoclosure () -> Double,
    isBlurred: Bool
  ) -> Bool {
    let gain = Double(left) / Double(LiveInputSignal.level)
    guard left != 0 else {
      hearNothing(limit, isBlurred)
      return true
    }
    let limit = limit()
    heardAt = time
    if clearSince == .max { clearSince = time }
    guard let right else {
      // At this level a different live input may replace it.
      if gain <= limit { place = nil }
      place?.hear(at: gain)
      for place in candidates.indices { candidates[place].hear(at: gain) }
      return true
    }
    guard var known = place else { return recognise(left, right, gain, written) || isBlurred }
    guard fits(known, left, right) else {
      place = nil
      _ = recognise(left, right, gain, written)
      guard !isBlurred, known.gain > limit else { return true }
      let found = candidates.first
      let isBack = found.map { $0.receiver == known.receiver && $0.frame <= known.frame } ?? false
      fault = (
        isBack ? .repeatedFrames : .lostFrames, "frame \(known.frame) of receiver \(known.receiver)",
        found.map { "frame \($0.frame - 1) of receiver \($0.receiver)" } ?? "none of any"
      )
      return true
    }
    if abs(gain - known.gain) > limit, !isBlurred {
      fault = (.click, "a gain near \(known.gain) of a source", "\(gain)")
    }
    known.hear(at: gain)
    place = known
    return true
  }

  private mutating func hearNothing(_ limit: () -> Double, _ isBlurred: Bool) {
    clearSince = .max
    candidates = []
    guard var known = place else { return }
    if known.silentFrames == 0, known.gain > limit(), !isBlurred {
      fault = (.cut, "a ramp to silence", "receiver \(known.receiver) cut at a gain of \(known.gain)")
    }
    known.silentFrames += 1
    known.gain = 0
    known.frame += 1
    place = known.silentFrames > rate / 20 ? nil : known
  }

  private func fits(_ place: Place, _ left: Float, _ right: Float) -> Bool {
    abs(right - left * Signal.mark(place.source, place.frame)) <= 1e-6 * left
  }

  /// Determines the position from at least two frames.
  /// - Returns: Whether any position matches.
  private mutating func recognise(
    _ left: Float, _ right: Float, _ gain: Double, _ written: () -> [(id: Int, end: UInt64)]
  ) -> Bool {
    let isFirst = candidates.isEmpty
    if isFirst { candidates = places(written()) }
    candidates = candidates.filter { fits($0, left, right) }
    for place in candidates.indices { candidates[place].hear(at: gain) }
    guard candidates.count == 1, !isFirst else { return !candidates.isEmpty }
    place = candidates[0]
    candidates = []
    return true
  }

  /// All positions within the last four seconds written.
  private func places(_ written: [(id: Int, end: UInt64)]) -> [Place] {
    written.flatMap { id, end in
      (max(0, Int(end) - 4 * rate)..<Int(end)).reversed().map {
        Place(receiver: id, source: LiveInputSignal.source(id), frame: $0, gain: 0)
      }
    }
  }
}
