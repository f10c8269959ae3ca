// State of a station's buffered window and connection, read from shared memory. Control thread; does not wake
// the worker.

import AudioRing
import PlaybackModel
import Platform
import Streaming

extension CodecWorker {
  /// The range of a station that can be seeked to, and how far playback lags behind live. Nil for a file, and
  /// before the first audio.
  package func stationWindow(now: UInt64) -> StationWindow? {
    guard !isOver, let holding = fetcher?.holding, let place = ring.reader.stationPlace.point else {
      return nil
    }
    let newest = place.position(of: holding.bytes.upperBound)
    var lag = 0.0
    if let begun = holding.lag, now > begun.since {
      let came = newest - place.position(of: begun.end)
      lag = Double(now - begun.since) / 1e9 * Double(request.rate.hertz) - Double(came)
    }
    return StationWindow(
      oldest: Frames(place.position(of: holding.bytes.lowerBound)), newest: Frames(newest),
      lag: Frames(Int64(max(0, min(lag, Double(Limits.maxTrack))))))
  }

  /// Average bit rate of the station in kbit/s, from what has been decoded; nil for a file, and while it is
  /// unknown.
  package var stationKilobitsPerSecond: Int? {
    guard !isOver, fetcher?.holding != nil, let place = ring.reader.stationPlace.point else { return nil }
    // The pace of a valid point has at most 32 bits.
    return Int(exactly: (Double(place.pace) * 8 * Double(request.rate.hertz) / 1e9).rounded())
  }

  /// Bytes received of the stream; nil for a file.
  package var receivedBytes: Int64? { isOver ? nil : fetcher?.received }

  /// Reconnects the stream now instead of waiting for the backoff.
  package func retryNow() {
    if !isOver { fetcher?.retryNow() }
  }

  /// Why the stream is being reconnected; nil while it is connected, and for a file.
  package var interruption: String? { isOver ? nil : fetcher?.interruption }
}
