// What the player needs of a live source: a ring that its sender fills, whether anybody listens or not. A sandboxed worker behind a
// receiver is one; tests and the simulator have others. Control thread only.

import AudioRing
import PlaybackModel

/// What a live source reports.
package enum LiveEvent: Sendable {
  /// Its sound has begun, and enough is in the ring to be heard from an index on.
  case ready(index: UInt64)
  /// Its sound has stopped, for a while at least.
  case silent
  /// It is over, for a reason; nothing follows.
  case failed(String)
}

/// A live source at work. Class-bound, for Embedded Swift.
package protocol LiveReceiver: AnyObject {
  /// Called when `takeEvents` has something new; never from within a call.
  var onEvents: () -> Void { get set }
  /// Where its frames are. Stays mapped as long as this object lives.
  var ring: RingReader { get }
  /// How it is doing, by its own word.
  var figures: LiveFigures.Values { get }
  /// Takes what happened since the last call, oldest first; never waits.
  func takeEvents() -> [LiveEvent]
  /// Lets its sound pass unheard, until it stops and begins anew, or `listen` is called.
  func dismiss()
  /// Has what sounds now begin anew in the ring: `ready` follows.
  func listen()
  /// Ends it at once; the ring stays mapped. No events follow.
  func terminate()
}

/// What is to be heard of a live source.
package struct LiveSound {
  /// What the source is called.
  package let name: String
  /// The source.
  package let receiver: any LiveReceiver
  /// The first frame that belongs to its sound.
  package let first: UInt64
  /// How long a frame takes from its arrival to the ear.
  package let delay: Frames

  /// The sound of a receiver that is ready.
  package init(_ name: String, _ receiver: any LiveReceiver, from first: UInt64, delay: Frames) {
    self.name = name
    self.receiver = receiver
    self.first = first
    self.delay = delay
  }
}

/// What has become of a live source's sound.
package enum LiveInputOutcome: UInt8, Hashable, Sendable, CaseIterable {
  /// It is heard.
  case began
  /// It stopped by itself.
  case ended
  /// A person wanted music or silence.
  case dismissed
  /// Another source took its place.
  case displaced
  /// The output is gone.
  case lost
  /// Its ring held what cannot be.
  case broken
}
