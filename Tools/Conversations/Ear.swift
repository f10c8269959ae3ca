// Checks the output of a conversation trial: only valid samples, and each frame of the healthy tracks once and in
// order. One thread.

/// Follows the healthy track in the output.
///
/// While a hostile track sounds at the same time, frames cannot be identified. They are only counted, and the count
/// must match what follows.
final class Ear {
  /// First violation found.
  private(set) var finding: String?
  /// Length of each healthy track in frames.
  var lengths: [Int] = []
  /// Consecutive frames of one healthy track heard up to now.
  private(set) var run = 0
  /// Frames heard so far.
  private(set) var heard = 0
  /// Whether a user's command may leave the heard track.
  private(set) var isExcused = false

  private var track = -1
  /// Next frame to be heard.
  private var next = 0
  /// Since the last identified frame: number of unidentified frames with sound, and of silent frames.
  private var dark = 0
  private var silent = 0
  private var hasPaused = false
  private var candidate = -1
  private var candidateRun = 0

  /// Consecutive frames needed to recognize a track.
  private static let certain = 24
  /// Frames with zero gain at the start or end of a ramp.
  private static let slack = 4
  /// Frames at either end of a fade that are too quiet to disturb the other track.
  private static let tail = 64

  /// The present position, for reports.
  var description: String {
    "\(heard) frames heard, the last told of track \(track) at \(next), then \(dark) mixed and \(silent) silent"
  }

  /// Allows the heard track to be left, because a user requested something else.
  func excuse() { isExcused = true }

  /// Requires the heard track to play to its end again.
  func expect() { isExcused = false }

  /// Restarts the count of consecutive frames.
  func beginAnew() { run = 0 }

  /// Notes that the card has stopped.
  func pauseHearing() { hasPaused = true }

  /// Whether at least this many consecutive frames of a healthy track were heard.
  func isHearing(frames: Int) -> Bool { run >= frames }

  private func fail(_ text: String) {
    if finding == nil { finding = "\(text), at frame \(heard) of the sound" }
  }

  /// Processes frames of the output: interleaved stereo.
  func hear(_ samples: UnsafePointer<Float>, frames: Int) {
    guard finding == nil else { return }
    for i in 0..<frames {
      let (left, right) = (samples[2 * i], samples[2 * i + 1])
      heard += 1
      // NaN fails every comparison.
      guard abs(left) <= 1, abs(right) <= 1 else { return fail("a sample of \(left) or \(right) is heard") }
      // After unidentified frames, a single frame may match by chance.
      if dark == 0, track >= 0, next < lengths[track],
        HealthySignal.sounds(left, right, like: track << 15 | next)
      {
        next += 1
        run += 1
        (dark, silent, hasPaused, candidateRun) = (0, 0, false, 0)
        continue
      }
      run = 0
      if left == 0, right == 0 { silent += 1 } else { dark += 1 }
      follow(HealthySignal.place(left, right) ?? -1)
    }
  }

  /// Checks whether unexpected frames are consecutive frames of a track.
  private func follow(_ place: Int) {
    if place >= 0, candidateRun > 0, place == candidate {
      candidateRun += 1
    } else {
      candidateRun = place >= 0 ? 1 : 0
    }
    candidate = place + 1
    guard candidateRun >= Self.certain else { return }
    let first = place + 1 - candidateRun
    judge(newTrack: first >> 15, from: first & (HealthySignal.frames - 1))
    (track, next, run) = (place >> 15, (place & (HealthySignal.frames - 1)) + 1, candidateRun)
    (dark, silent, hasPaused, candidateRun) = (0, 0, false, 0)
  }

  private func judge(newTrack: Int, from frame: Int) {
    let dark = dark - candidateRun
    let gap = dark + min(silent, Self.slack) + (hasPaused ? Self.slack : 0)
    guard track >= 0, !isExcused else { return }
    if newTrack == track, frame >= next + dark, frame <= next + gap { return }
    let end = lengths[track]
    // A fade may be silent at both ends.
    let mayBeAt = next + dark + silent + (hasPaused ? Self.slack : 0)
    let faint = dark > 0 ? Self.tail : silent > 0 || hasPaused ? Self.slack : 0
    guard mayBeAt + faint >= end else {
      return fail(
        "track \(track) of \(end) frames is left at \(next) (+\(dark) mixed, \(silent) silent) for \(newTrack) at \(frame)"
      )
    }
    guard frame <= dark + silent + faint else {
      return fail(
        "track \(newTrack) begins at frame \(frame), after \(dark) mixed and \(silent) silent frames")
    }
  }
}
