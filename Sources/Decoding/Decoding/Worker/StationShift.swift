// A station's past, as far as its window holds it: goes back and forth in it. Worker process, one thread.

import AudioRing
import Platform
import Streaming

/// Knows which byte of a station became which frame, and has decoding go on elsewhere.
final class StationShift {
  private let spool: SpoolReader
  private let source: SourceDecoder
  private let pipeline: SectionPipeline
  private let place: StationPlace
  /// Makes what follows on what the source decodes at present.
  private let renew: () throws(WorkerFailure) -> TrackPipeline
  private var timeline: StationTimeline
  /// The frame of the track that the first byte's sound begins with.
  private var origin: Int64 = 0
  /// One past the last byte that was read.
  private var end: Int64 = 0
  /// Milliseconds of sound that it begins with.
  private let mark: Int

  init(
    _ spool: SpoolReader, _ source: SourceDecoder, _ pipeline: SectionPipeline, place: StationPlace,
    mark: Int,
    renew: @escaping () throws(WorkerFailure) -> TrackPipeline
  ) {
    self.spool = spool
    self.source = source
    self.pipeline = pipeline
    self.place = place
    self.mark = mark
    self.renew = renew
    timeline = StationTimeline(window: Int64(spool.capacity))
  }

  /// The frame that is made next before bytes were read for it.
  func note(position: Int64) {
    let latest = Int64(clamping: spool.latest.upperBound)
    guard latest != end else { return }
    if latest > end, end > 0 || position == origin {
      timeline.note(offset: end, position: position)
      timeline.forget(before: spool.window.lowerBound)
      if let point = timeline.point { place.note(point) }
    }
    end = latest
  }

  /// Goes to a frame, or to the edge of the window where it lies beyond: the oldest that is kept, or the present.
  func go(to position: Int64) throws(WorkerFailure) {
    // The successor of a dead worker begins with the present, which is heard at the position where the dead one's sound ended.
    if timeline.isEmpty { origin = max(0, position) }
    let window = spool.window
    timeline.forget(before: window.lowerBound)
    // What is about to be let go of may be gone by the time it is read.
    let oldest = window.lowerBound > 0 ? min(window.lowerBound + spool.margin, window.upperBound) : 0
    let pace = timeline.pace ?? 0
    let ahead = Int64(Double(pipeline.engineRate * mark / 800) * Double(pace) / 1e6)
    let newest = max(oldest, window.upperBound - max(ahead, 8192))
    let wanted = timeline.offset(of: position) ?? oldest
    let byte = try source.go(
      toByte: wanted > newest && isLate(window, pace) ? nil : min(max(wanted, oldest), newest))
    end = byte
    pipeline.restart(try renew(), at: timeline.position(of: byte) ?? origin)
  }

  /// Seconds by which what comes may be late before the station is joined anew for its present.
  private static let latest = 3.0

  /// Whether the present is not what comes.
  private func isLate(_ window: Range<Int64>, _ pace: Int64) -> Bool {
    guard let lag = spool.lag, pace > 0 else { return false }
    let now = MonotonicClock.now()
    guard now > lag.since else { return false }
    let came = Double(window.upperBound - lag.end) * 1e6 / Double(pace) / Double(pipeline.engineRate)
    return Double(now - lag.since) / 1e9 - came > Self.latest
  }
}
