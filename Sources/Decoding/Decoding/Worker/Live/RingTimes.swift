// When a ring's frames are due, and when they are heard. Pure; worker only. Seconds of the monotonic clock.

/// Knows of the last frames that were written when they are due, and by the output's word when they are heard.
struct RingTimes {
  /// Marks that are kept: a ring is no longer than three seconds, and blocks are seldom shorter than 10 ms.
  private static let maxCount = 512
  /// Seconds after which what was said of the output is too old.
  private static let age = 0.5
  /// Over how many places of the output it is learnt by how much it is heard later than was foreseen.
  private static let smoothing = 50.0
  /// Seconds by which clocks alone may have it wrong.
  private static let tolerance = 0.005

  private struct Mark {
    let index: UInt64
    /// Nil: silence, which has no time.
    let due: Double?
    /// When the output was to play it, at its nominal rate from where it was when this was written.
    let foreseen: Double?
  }

  private let rate: Double
  private var marks: [Mark] = []
  private var place: (index: UInt64, time: Double)?
  /// By how much later than foreseen frames are heard, because the card's clock is not ours.
  private var lag = 0.0

  init(rate: Int) {
    self.rate = Double(rate)
    marks.reserveCapacity(Self.maxCount)
  }

  /// Another sound begins.
  mutating func restart() {
    marks.removeAll(keepingCapacity: true)
    place = nil
  }

  private func seconds(from start: UInt64, to index: UInt64) -> Double {
    Double(Int64(bitPattern: index &- start)) / rate
  }

  /// What is written from an index on is due at a time, or is silence.
  mutating func mark(_ index: UInt64, due: Double?) {
    if due == nil, let last = marks.last, last.due == nil { return }
    if marks.count >= Self.maxCount { marks.removeFirst(Self.maxCount / 4) }
    marks.append(
      Mark(index: index, due: due, foreseen: place.map { $0.time + seconds(from: $0.index, to: index) }))
  }

  /// When the frame at an index will be heard; nil where the output says nothing, or nothing new.
  func heard(_ index: UInt64, at now: Double) -> Double? {
    guard let place, abs(now - place.time) < Self.age else { return nil }
    return place.time + seconds(from: place.index, to: index) + lag
  }

  /// What the output has said last: a frame, and when it is heard. False where that is known.
  mutating func note(_ index: UInt64, heardAt time: Double) -> Bool {
    guard place?.time != time else { return false }
    place = (index, time)
    guard let mark = mark(of: index), let foreseen = mark.foreseen else { return true }
    let late = time - foreseen - seconds(from: mark.index, to: index)
    if abs(late) < Self.tolerance { lag += (late - lag) / Self.smoothing }
    return true
  }

  /// By how much later than it is due a frame is heard; nil where no frame with a time is.
  var error: Double? {
    guard let place, let mark = mark(of: place.index), let due = mark.due else { return nil }
    return place.time - due - seconds(from: mark.index, to: place.index)
  }

  private func mark(of index: UInt64) -> Mark? {
    marks.last { Int64(bitPattern: index &- $0.index) >= 0 }
  }
}
