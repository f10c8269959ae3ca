// What is kept of a station, and what has become of its connection. Control thread; looks at shared memory, and wakes nobody.

import AudioRing
import PlaybackModel
import Platform
import Streaming

extension CodecWorker {
  /// What of a station can be gone to; nil for what is none, and before any of it has sounded.
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

  /// What a second of its station takes on average, in kbit/s, by what was decoded; nil for what is no station, and before that is known.
  package var stationKilobitsPerSecond: Int? {
    guard !isOver, fetcher?.holding != nil, let place = ring.reader.stationPlace.point else { return nil }
    // A point that can be has a pace of 32 bits at most.
    return Int(exactly: (Double(place.pace) * 8 * Double(request.rate.hertz) / 1e9).rounded())
  }

  /// How many bytes of its stream have come; nil where it reads none.
  package var receivedBytes: Int64? { isOver ? nil : fetcher?.received }

  /// Makes its stream's connection again now, where it waits for the next try.
  package func retryNow() {
    if !isOver { fetcher?.retryNow() }
  }

  /// Why its stream's connection is being made again at present; nil while bytes come, or where there is none.
  package var interruption: String? { isOver ? nil : fetcher?.interruption }
}
