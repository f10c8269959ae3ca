// Time shift for stations: seeks within the buffered window. Worker process, one thread.

import AudioRing
import Platform
import Streaming

/// Maps a station's bytes to frames, and moves the decoder within the window.
final class StationShift {
  private let spool: SpoolReader
  private let source: SourceDecoder
  private let pipeline: SectionPipeline
  private let place: StationPlace
  /// Creates a pipeline for the decoder's present format.
  private let renew: () throws(WorkerFailure) -> TrackPipeline
  private var timeline: StationTimeline
  /// The track's frame at the first byte.
  private var origin: Int64 = 0
  /// Offset after the last byte that was read.
  private var end: Int64 = 0
  /// Audio in milliseconds to buffer before playback starts.
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

  /// Records the mapping of newly read bytes.
  ///
  /// - Parameter position: The next frame before they were read.
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

  /// Moves to a frame, clamped to the window: to its oldest frame, or to the live position.
  func go(to position: Int64) throws(WorkerFailure) {
    // A replacement for a dead worker starts live; its first frame continues the dead worker's positions.
    if timeline.isEmpty { origin = max(0, position) }
    let window = spool.window
    timeline.forget(before: window.lowerBound)
    // Keeps a margin, because the oldest bytes are evicted while they are read.
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

  /// Lag in seconds above which the station is reconnected to get its live position.
  private static let latest = 3.0

  /// Whether the newest bytes lag so far behind live that a reconnect is needed.
  private func isLate(_ window: Range<Int64>, _ pace: Int64) -> Bool {
    guard let lag = spool.lag, pace > 0 else { return false }
    let now = MonotonicClock.now()
    guard now > lag.since else { return false }
    let came = Double(window.upperBound - lag.end) * 1e6 / Double(pace) / Double(pipeline.engineRate)
    return Double(now - lag.since) / 1e9 - came > Self.latest
  }
}
