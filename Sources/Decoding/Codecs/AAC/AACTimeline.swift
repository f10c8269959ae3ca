// The part of the decoded frames that belongs to the track, without the encoder's delay and padding. Pure
// functions; worker process only.

/// The range of decoded frames to play.
struct AACTimeline: Equatable {
  /// Decoded frames before the first one to play.
  let start: Int64
  /// Number of frames to play; nil if unknown.
  let length: Int64?
  /// Output frames per time unit of the track; nil if that is no whole number, or there are no time units.
  private let unit: Int64?

  /// Delay of spectral band replication in output frames, from its filter banks.
  private static let replicationDelay: Int64 = 962

  /// Creates the range of an ADTS stream, which has no information about delay and padding.
  init(packets: Int64?, packetFrames: Int) {
    start = 0
    unit = nil
    length = packets.map { $0 * Int64(packetFrames) }
  }

  /// Creates the range of an MP4 track. iTunSMPB is preferred if it is consistent with the stream, because
  /// edit lists have the movie's time scale, which may be coarse.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - packets: Number of its packets; nil if unknown.
  ///   - duration: Sum of their durations in time units; `Int64.max` if unknown.
  ///   - rate: Output rate in Hz.
  ///   - packetFrames: Output frames per packet.
  ///   - isReplicated: Whether spectral band replication is used.
  init(
    _ file: MP4File, packets: Int64?, duration: Int64, rate: Int, packetFrames: Int, isReplicated: Bool
  ) {
    let (timeScale, gapless, edit) = (file.track.timeScale, file.gapless, file.track.edit)
    // Frames per time unit. A time scale that does not divide the rate gives only approximate frame counts.
    let rate = Int64(rate)
    let isExact = rate % timeScale == 0
    unit = isExact ? rate / timeScale : nil
    let decoded = packets.map { $0 * Int64(packetFrames) }
    func frames(_ time: Int64) -> Int64 {
      let (product, isOver) = time.multipliedReportingOverflow(by: rate)
      return isOver || product > .max - timeScale
        ? .max / 2 : isExact ? time * (rate / timeScale) : (product + timeScale / 2) / timeScale
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

  /// The number of frames to play of counted packets, which may have more frames than their durations state.
  ///
  /// - Parameters:
  ///   - frames: Decoded frames of the packets.
  ///   - duration: Sum of the durations in time units; nil if unknown.
  func length(counted frames: Int64, duration: Int64?) -> Int64 {
    guard let duration, let unit, duration < .max / unit else { return max(0, frames - start) }
    return max(0, min(frames, duration * unit) - start)
  }
}
