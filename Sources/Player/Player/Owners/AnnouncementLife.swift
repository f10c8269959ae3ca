// Tracks deaths and restarts of the playing announcement's decoder. A value; control thread.

import AudioRing
import PlaybackModel

/// The state of an announcement's decoder.
struct AnnouncementLife {
  /// Called with the track of an announcement whose decoder was restarted, and the error.
  var onRestart: (Track, PlaybackError) -> Void = { _, _ in }
  /// The ring index of the announcement's first frame.
  var origin: UInt64 = 0
  /// Whether a successor has not answered yet.
  var isRestarting = false
  /// The error of the last death.
  private(set) var error: PlaybackError?
  private var deaths = 0

  /// Resets the state for another announcement.
  mutating func reset() { (origin, isRestarting, error, deaths) = (0, false, nil, 0) }

  /// Records a death.
  ///
  /// - Returns: The ring index at which a successor continues; nil if the decoder must not be restarted.
  mutating func restart(after error: PlaybackError, _ ring: RingReader) -> UInt64? {
    deaths += 1
    self.error = error
    let end = ring.writtenIndex
    // More than 2^40 frames (months of audio) can only be a corrupt index.
    let isSensible = end &- origin < 1 << 40
    let death = DecoderDeath(error, count: deaths, isInTime: isSensible)
    isRestarting = death.isRestarted
    return isRestarting ? end : nil
  }
}
