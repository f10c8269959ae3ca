// Listens to what leaves the card: no sample that is none, and of the healthy tracks every frame once and in order. One thread.

/// Follows the healthy track in the sound.
///
/// While a hostile track sounds at the same time, frames cannot be told; their number can, and must fit to what comes after.
final class Ear {
  /// The first thing that was wrong.
  private(set) var finding: String?
  /// How long each healthy track is.
  var lengths: [Int] = []
  /// Frames of one healthy track heard in a row, up to now.
  private(set) var run = 0
  /// Frames heard so far.
  private(set) var heard = 0
  /// A person has asked for what leads away from the track that is heard.
  private(set) var isExcused = false

  private var track = -1
  /// The frame that is heard next.
  private var next = 0
  /// Since the last frame that was told: frames in which something sounded, and silent ones.
  private var dark = 0
  private var silent = 0
  private var hasPaused = false
  private var candidate = -1
  private var candidateRun = 0

  /// Frames in a row by which a track is known again.
  private static let certain = 24
  /// Frames at no gain, of ramps that begin or end.
  private static let slack = 4
  /// Frames at either end of a fade that are too faint to disturb those of the other track.
  private static let tail = 64

  /// What was heard last, for people.
  var description: String {
    "\(heard) frames heard, the last told of track \(track) at \(next), then \(dark) mixed and \(silent) silent"
  }

  /// A person asks for something else than what is heard.
  func excuse() { isExcused = true }

  /// That is over: from now on the track that is heard has to be heard to its end.
  func expect() { isExcused = false }

  /// Counts what is heard in a row from here on.
  func beginAnew() { run = 0 }

  /// The card stands still.
  func pauseHearing() { hasPaused = true }

  /// Whether a healthy track is heard, and has been for so many frames at least.
  func isHearing(frames: Int) -> Bool { run >= frames }

  private func fail(_ text: String) {
    if finding == nil { finding = "\(text), at frame \(heard) of the sound" }
  }

  /// Frames are heard: interleaved stereo.
  func hear(_ samples: UnsafePointer<Float>, frames: Int) {
    guard finding == nil else { return }
    for i in 0..<frames {
      let (left, right) = (samples[2 * i], samples[2 * i + 1])
      heard += 1
      // What is no number fails every comparison.
      guard abs(left) <= 1, abs(right) <= 1 else { return fail("a sample of \(left) or \(right) is heard") }
      // Among noise, one frame may sound like that by chance.
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

  /// Looks whether frames that were not expected go together.
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
    // A fade may be silent on both of its ends.
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
