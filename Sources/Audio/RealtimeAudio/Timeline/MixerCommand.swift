// What the control thread asks of the mixer. Plain values that cross a lock-free queue.

import AudioRing
import PlaybackModel

/// How two tracks follow each other when the first comes to its end.
package enum Join: Sendable {
  /// They do not: the first ends and silence follows.
  case none
  /// The second begins on the frame after the first one's last.
  case gapless(from: Deck, to: Deck)
  /// The second fades in over the first when the first reaches ring index `at` (at once if it is past it).
  case crossfade(from: Deck, to: Deck, at: UInt64, Fade, ends: FadeEnds)
}

/// Where both tracks of a fade end: it is never longer than what is left of either when it begins.
package struct FadeEnds: Hashable, Sendable {
  /// One past the outgoing track's last ring index; `RingLayout.noEnd` where nobody knows.
  package var from: UInt64
  /// One past the incoming track's last ring index.
  package var to: UInt64

  /// Two ends.
  @_noLocks @_noAllocation
  package init(from: UInt64, to: UInt64) {
    self.from = from
    self.to = to
  }
}

/// Why the gate that stands behind both decks closes.
package enum GatePurpose: Sendable {
  /// To hold everything where it is: a pause.
  case pause
  /// To end: a stop that fades out.
  case finish
}

/// One change to the mixer. Ramps are given in frames; those that take a deck that is heard away last at least
/// as long as the mixer's de-click ramp.
package enum MixerCommand: Sendable {
  /// Gives a deck a ring to read from `index` on. It stays silent. Where that is not the track's own beginning, it comes in
  /// over a ramp wherever it begins by itself.
  case attach(Deck, RingReader, index: UInt64, trackGain: Gain, isBeginning: Bool = true)
  /// Starts a cued deck; a ramp of zero frames starts it exactly as it is.
  case start(Deck, ramp: Frames)
  /// Ramps a deck out; `deckSilent` tells the index at which its reading ended.
  case stop(Deck, ramp: Frames)
  /// Ramps a deck out and forgets its ring; `released` tells when the memory may go.
  case release(Deck, ramp: Frames)
  /// The track breaks off where its ring ends: it is ramped out before.
  case softenEnd(Deck)
  /// Nothing is written into the deck's ring any more: where it runs dry its track is over, whatever the ring says of its end.
  case endWhereDry(Deck)
  /// Moves a silent deck to another ring index, after a seek.
  case cue(Deck, index: UInt64)
  /// Ramps everything out and holds it there.
  case closeGate(GatePurpose, ramp: Frames)
  /// Lets go on what a closed or closing gate held.
  case openGate(ramp: Frames)
  /// What happens at the end of the deck that is heard. Too late for a fade that runs.
  case join(Join)
  /// Puts a fade where a checkpoint says it was; the gate is expected to be closed.
  case restoreFade(from: Deck, to: Deck, Fade, at: Frames)
  /// Plays the rest of the fade's curve over that many frames, or fewer where less was left.
  case quickFinish(over: Frames)
  /// Ends a fade, or an armed one, in favour of one deck: it goes to full level, the other to silence.
  case collapse(onto: Deck, ramp: Frames)
  /// Releases both decks, or all but one that is not heard, over a ramp, forgets fade and join, and opens the gate.
  case clear(keeping: Deck?, ramp: Frames)
  /// Lets sound in over a ramp after a gap that nobody asked for (an underrun).
  case rampIn(Frames)
  /// The listener's volume.
  case setVolume(Gain, ramp: Frames)
  /// The same sum on both channels.
  case setMono(Bool)
  /// A filter of a `SpeakerCorrection`, by its place. Those of one frame change together, over 30 ms; what comes while others
  /// change waits for that.
  case setFilter(Int, Biquad)
  /// One of the box's own sounds over whatever is played, which makes room for it; volume and gate do not
  /// apply to it. One that comes while another sounds waits, two at most; one that sounds already, or comes
  /// while the output is gone, is dropped.
  case playCue(CueSound, gain: Gain)
  /// Has the third deck read a ring from `index` on, over whatever is played, which gets as quiet as `duck`; volume and gate do
  /// not apply to it. It begins at once, or when the cue that sounds is over; cues wait for it. The number comes back in
  /// its events. Whoever sends it waits until the announcement before it is released.
  case announce(UInt32, RingReader, index: UInt64, gain: Gain, duck: Gain)
  /// The announcement breaks off where its ring ends: it is ramped out before.
  case softenAnnouncement(UInt32)
  /// How loud the announcement is.
  case setAnnouncementGain(Gain, ramp: Frames)
  /// Ramps the announcement of this number out, and lets go of its ring.
  case endAnnouncement(UInt32, ramp: Frames)
  /// Has a live source sound from `index` of its ring on, over a ramp, past the gate and before the volume. Once it has run dry it is
  /// heard again with `refill` frames. The number comes back in its events. Whoever sends it waits until the one before it is
  /// released.
  case host(UInt32, RingReader, index: UInt64, refill: Frames, ramp: Frames)
  /// Ramps the live source of this number out, and lets go of its ring.
  case endLiveInput(UInt32, ramp: Frames)
}

/// When a command takes effect.
package enum Pin: Sendable {
  /// As soon as the device can still be made to play something else.
  case now
  /// On that frame of the timeline, or as soon as possible after it.
  case at(Frames)
}

/// A command on its way to the audio thread.
package struct CommandRequest: Sendable {
  /// The control thread's name for it; comes back in `applied`.
  package var id: UInt32
  /// When it takes effect.
  package var pin: Pin
  /// What it does.
  package var command: MixerCommand

  /// Bundles the three.
  @_noLocks @_noAllocation
  package init(id: UInt32, pin: Pin, command: MixerCommand) {
    self.id = id
    self.pin = pin
    self.command = command
  }
}
