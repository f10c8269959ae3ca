// The part of the decoded frames that belongs to the track, without the encoder's delay and padding. Pure
// functions; worker process only.

/// The range of decoded frames to play.
struct AACTimeline: Equatable {
  /// Decoded frames before the first one to play.
  let start: Int64
  /// Number of frames to play; nil if unknown.
  let length: Int64?

  /// Delay of spectral band replication in output frames, from its filter banks.
  private static let replicationDelay: Int64 = 962

  /// Creates the range of an ADTS stream, which has no information about delay and padding.
  init(packets: Int64?, packetFrames: Int) {
    start = 0
    length = packets.map { $0 * Int64(packetFrames) }
  }

  /// Creates the range of an MP4 track. iTunSMPB is preferred if it is consistent with the stream, because
  /// edit lists have the movie's time scale, which may be coarse.
  ///
  /// - Parameters:
  ///   - rate: Output rate in Hz.
  ///   - packetFrames: Output frames per packet.
  ///   - isReplicated: Whether spectral band replication is used.
  init(_ file: MP4Source, rate: Int, packetFrames: Int, isReplicated: Bool) {
    let (packets, timeScale, gapless) = (file.packetCount, file.track.timeScale, file.gapless)
    let (duration, edit) = (file.track.tables.duration, file.track.edit)
    // Frames per time unit. A time scale that does not divide the rate gives only approximate frame counts.
    let rate = Int64(rate)
    let isExact = rate % timeScale == 0
    let decoded = packets.map { $0 * Int64(packetFrames) }
    func frames(_ time: Int64) -> Int64 {
      let (product, isOver) = time.multipliedReportingOverflow(by: rate)
      return isOver ? .max / 2 : isExact ? time * (rate / timeScale) : (product + timeScale / 2) / timeScale
    }
    // Durations may exclude padding.
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
    // Neither source includes the decoder's delay. Without padding to absorb it, the length takes precedence.
    let late = isReplicated && isTrimmed ? min(Self.replicationDelay, max(0, (decoded ?? .max) - end)) : 0
    start = begin + late
    length = packets == nil ? nil : end - begin
  }
}
