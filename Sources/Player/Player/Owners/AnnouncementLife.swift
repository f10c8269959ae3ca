// Whether the decoder of the announcement that sounds lives. A value; control thread.

import AudioRing
import PlaybackModel

/// The life of an announcement's decoder.
struct AnnouncementLife {
  /// Called with the track of an announcement whose decoder was restarted, and why.
  var onRestart: (Track, PlaybackError) -> Void = { _, _ in }
  /// The ring index of the announcement's first frame.
  var origin: UInt64 = 0
  /// Whether a successor has not answered yet.
  var isRestarting = false
  /// Why the decoder died last.
  private(set) var error: PlaybackError?
  private var deaths = 0

  /// Another announcement is first in line.
  mutating func reset() { (origin, isRestarting, error, deaths) = (0, false, nil, 0) }

  /// Notes a death. Returns the ring index at which a successor goes on; nil where there is to be none.
  mutating func restart(after error: PlaybackError, _ ring: RingReader) -> UInt64? {
    deaths += 1
    self.error = error
    let end = ring.writtenIndex
    // Hours in frames; no decoder in its right mind has written what lies beyond.
    let isSensible = end &- origin < 1 << 40
    let death = DecoderDeath(error, count: deaths, isInTime: isSensible)
    isRestarting = death.isRestarted
    return isRestarting ? end : nil
  }
}
