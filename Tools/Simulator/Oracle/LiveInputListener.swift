// Hears live sources where music leaves room for them: which receiver, which frame, how loud. A value; one thread.

/// Follows the live source that is heard, and finds out where it is again after music has covered it.
struct LiveInputListener {
  /// What is followed.
  private struct Place {
    let receiver: Int
    let source: Signal.Source
    /// The frame that is heard next.
    var frame: Int
    /// The gain of the frame that was heard last.
    var gain: Double
    /// For how many frames it has been without a sound.
    var silentFrames = 0

    mutating func hear(at gain: Double) {
      frame += 1
      self.gain = gain
      silentFrames = 0
    }
  }

  private let rate: Int
  private var place: Place?
  /// Where it may be, until another frame tells.
  private var candidates: [Place] = []
  /// When a frame of one was heard last, and since when there was nothing but such frames.
  private(set) var heardAt: UInt64 = 0
  private(set) var clearSince: UInt64 = .max
  /// When music, or a sound of the box's own, covered it last.
  private(set) var coveredAt: UInt64 = 0
  /// What is wrong with a frame; nil for nothing.
  private(set) var fault: (rule: Violation.Rule, expected: String, found: String)?

  init(rate: Int) { self.rate = rate }

  /// The gain at which something is heard now.
  var gain: Double? { place.map { $0.gain } }

  /// Nobody knows where it is: the card has stopped, or another box is on.
  mutating func forget() {
    place = nil
    candidates = []
    clearSince = .max
  }

  /// Something louder is heard.
  mutating func cover(at time: UInt64) {
    forget()
    coveredAt = time
  }

  /// A frame as quiet as one of a source. `right` is nil where a sound of the box's own is on it. `written` is what receivers have
  /// written, `limit` how far gains may step, `isBlurred` whether the card has just stopped. Answers whether it is one of a source: the
  /// last of a ramp of music is as quiet.
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
      // So faint it may make room for another one.
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

  /// Finds out where it is, from two frames at least. Whether it may be anywhere.
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

  /// All places within the last four seconds that were written.
  private func places(_ written: [(id: Int, end: UInt64)]) -> [Place] {
    written.flatMap { id, end in
      (max(0, Int(end) - 4 * rate)..<Int(end)).reversed().map {
        Place(receiver: id, source: LiveInputSignal.source(id), frame: $0, gain: 0)
      }
    }
  }
}
