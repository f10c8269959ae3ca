// Which of the frames that decoding gives are the track's: encoders put silence before the music and behind it. Pure
// functions; worker process only.

/// The part of a decoded stream that is heard.
struct AACTimeline: Equatable {
  /// Frames decoded before the first that is heard.
  let start: Int64
  /// Frames that are heard, nil if unknown.
  let length: Int64?

  /// Frames by which spectral band replication is late, at the rate that is heard: the delay of its filter banks.
  private static let replicationDelay: Int64 = 962

  /// An ADTS stream: it says nothing about silence.
  init(packets: Int64?, packetFrames: Int) {
    start = 0
    length = packets.map { $0 * Int64(packetFrames) }
  }

  /// An MP4 track. iTunSMPB goes first, because edit lists count in the movie's time, which may be coarse; but not if it
  /// cannot be this stream's.
  ///
  /// - Parameters:
  ///   - rate: In Hz, as heard.
  ///   - packetFrames: Frames of a packet, as heard.
  ///   - isReplicated: Whether spectral band replication is at work.
  init(_ file: MP4Source, rate: Int, packetFrames: Int, isReplicated: Bool) {
    let (packets, timeScale, gapless) = (file.packetCount, file.track.timeScale, file.gapless)
    let (duration, edit) = (file.track.tables.duration, file.track.edit)
    // Frames in a unit of time; a scale that does not count frames is no measure of them.
    let rate = Int64(rate)
    let isExact = rate % timeScale == 0
    let decoded = packets.map { $0 * Int64(packetFrames) }
    func frames(_ time: Int64) -> Int64 {
      let (product, isOver) = time.multipliedReportingOverflow(by: rate)
      return isOver ? .max / 2 : isExact ? time * (rate / timeScale) : (product + timeScale / 2) / timeScale
    }
    // Durations may leave padding out.
    let whole = duration < .max && isExact ? min(frames(duration), decoded ?? .max) : decoded ?? .max
    var begin = min(edit.map { frames($0.start) } ?? 0, whole)
    var end = max(begin, min(edit.map { frames($0.end) } ?? whole, whole))
    var isTrimmed = edit != nil
    if let gapless, let decoded, isExact {
      let unit = rate / timeScale
      let sum = (gapless.delay + gapless.length + gapless.padding) * unit
      if abs(decoded - sum) <= Int64(packetFrames), (gapless.delay + gapless.length) * unit <= decoded {
        (begin, isTrimmed) = (gapless.delay * unit, true)
        end = begin + gapless.length * unit
      }
    }
    // Neither counts what the decoder adds; where there is no padding to take it from, the length is what counts.
    let late = isReplicated && isTrimmed ? min(Self.replicationDelay, max(0, (decoded ?? .max) - end)) : 0
    start = begin + late
    length = packets == nil ? nil : end - begin
  }
}
