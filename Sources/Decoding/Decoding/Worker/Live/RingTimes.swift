// Maps ring indexes to presentation times and actual playing times. Pure; worker process only. Times are
// seconds of the monotonic clock.

/// Records when the frames in a ring are due, and computes when they are heard from the output's reports.
struct RingTimes {
  /// Maximum number of marks: a ring holds at most three seconds, and blocks are rarely shorter than 10 ms.
  private static let maxCount = 512
  /// Seconds after which the output's report of its position is ignored.
  private static let age = 0.5
  /// Number of reports over which the lag is averaged.
  private static let smoothing = 50.0
  /// Maximum prediction error in seconds that clock drift can cause. Larger errors are not averaged.
  private static let tolerance = 0.005

  private struct Mark {
    let index: UInt64
    /// Presentation time; nil for silence.
    let due: Double?
    /// The predicted playing time when the mark was made; nil without a report of the output.
    let foreseen: Double?
  }

  private let rate: Double
  private var marks: [Mark] = []
  private var place: (index: UInt64, time: Double)?
  /// Average difference in seconds of actual and predicted playing times, caused by the sound card's clock.
  private var lag = 0.0

  init(rate: Int) {
    self.rate = Double(rate)
    marks.reserveCapacity(Self.maxCount)
  }

  /// Discards all marks, for new audio.
  mutating func restart() {
    marks.removeAll(keepingCapacity: true)
    place = nil
  }

  private func seconds(from start: UInt64, to index: UInt64) -> Double {
    Double(Int64(bitPattern: index &- start)) / rate
  }

  /// Adds a mark at a ring index.
  ///
  /// - Parameters:
  ///   - index: The index of the next frame to be written.
  ///   - due: Its presentation time; nil for silence.
  mutating func mark(_ index: UInt64, due: Double?) {
    if due == nil, let last = marks.last, last.due == nil { return }
    if marks.count >= Self.maxCount { marks.removeFirst(Self.maxCount / 4) }
    marks.append(
      Mark(index: index, due: due, foreseen: place.map { $0.time + seconds(from: $0.index, to: index) }))
  }

  /// When the frame at an index will be heard; nil if there is no recent report of the output.
  func heard(_ index: UInt64, at now: Double) -> Double? {
    guard let place, abs(now - place.time) < Self.age else { return nil }
    return place.time + seconds(from: place.index, to: index) + lag
  }

  /// Records the output's report of its position.
  ///
  /// - Parameters:
  ///   - index: The ring index of a frame.
  ///   - time: When it is heard.
  /// - Returns: False if the report is not new.
  mutating func note(_ index: UInt64, heardAt time: Double) -> Bool {
    guard place?.time != time else { return false }
    place = (index, time)
    guard let mark = mark(of: index), let foreseen = mark.foreseen else { return true }
    let late = time - foreseen - seconds(from: mark.index, to: index)
    if abs(late) < Self.tolerance { lag += (late - lag) / Self.smoothing }
    return true
  }

  /// By how many seconds the frame that is heard now is late; nil during silence and without a report.
  var error: Double? {
    guard let place, let mark = mark(of: place.index), let due = mark.due else { return nil }
    return place.time - due - seconds(from: mark.index, to: place.index)
  }

  private func mark(of index: UInt64) -> Mark? {
    marks.last { Int64(bitPattern: index &- $0.index) >= 0 }
  }
}
