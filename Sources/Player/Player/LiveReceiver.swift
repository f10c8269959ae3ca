// The player's interface to a live source (an ALSA capture device, a FIFO, another program's output, a Snapcast
// server): a ring filled in real time, and its events. Implemented by a sandboxed worker, by tests and by the
// simulator. Control thread only.

import AudioRing
import PlaybackModel

/// An event of a live source.
package enum LiveEvent: Sendable {
  /// Sound has begun, and enough is in the ring to play from this index.
  case ready(index: UInt64)
  /// The sound has stopped, at least temporarily.
  case silent
  /// The source has ended, with the reason; no events follow.
  case failed(String)
}

/// A running live source. Class-bound for Embedded Swift.
package protocol LiveReceiver: AnyObject {
  /// Called when `takeEvents` has new events; never from within a call.
  var onEvents: () -> Void { get set }
  /// The ring with its frames, mapped for the lifetime of this object.
  var ring: RingReader { get }
  /// The statistics that the source reports about itself.
  var figures: LiveFigures.Values { get }
  /// Removes and returns the events since the last call, oldest first. Never blocks.
  func takeEvents() -> [LiveEvent]
  /// Discards the current sound until it stops and begins again, or until `listen` is called.
  func dismiss()
  /// Restarts the current sound in the ring; a `ready` event follows.
  func listen()
  /// Ends the source at once. The ring stays mapped; no events follow.
  func terminate()
}

/// A live source's sound that is to be played.
package struct LiveSound {
  /// The source's name.
  package let name: String
  /// The source.
  package let receiver: any LiveReceiver
  /// Ring index of the first frame that belongs to the sound.
  package let first: UInt64
  /// Delay from a frame's arrival to its playback.
  package let delay: Frames

  /// The sound of a receiver that is ready.
  package init(_ name: String, _ receiver: any LiveReceiver, from first: UInt64, delay: Frames) {
    self.name = name
    self.receiver = receiver
    self.first = first
    self.delay = delay
  }
}

/// What happened to a live source's sound.
package enum LiveInputOutcome: UInt8, Hashable, Sendable, CaseIterable {
  /// It is audible.
  case began
  /// The source has stopped it.
  case ended
  /// The user chose music or silence instead.
  case dismissed
  /// Another source has replaced it.
  case displaced
  /// The output was lost.
  case lost
  /// Its ring contained impossible indexes.
  case broken
}
