// Commands from the control thread to the mixer. Plain values that are sent through a lock-free queue.

import AudioRing
import PlaybackModel

/// How one track is followed by the next.
package enum Join: Sendable {
  /// The track ends and silence follows.
  case none
  /// The second track starts at the frame after the last one of the first.
  case gapless(from: Deck, to: Deck)
  /// The second track fades in over the first when the first reaches ring index `at`, or at once if it is past it.
  case crossfade(from: Deck, to: Deck, at: UInt64, Fade, ends: FadeEnds)
}

/// The ends of both tracks of a fade, which limit its length.
package struct FadeEnds: Hashable, Sendable {
  /// Ring index after the outgoing track's last frame; `RingLayout.noEnd` if unknown.
  package var from: UInt64
  /// Ring index after the incoming track's last frame; `RingLayout.noEnd` if unknown.
  package var to: UInt64

  /// Ends of the outgoing and the incoming track.
  @_noLocks @_noAllocation
  package init(from: UInt64, to: UInt64) {
    self.from = from
    self.to = to
  }
}

/// Why the gate after both decks closes.
package enum GatePurpose: Sendable {
  /// Pause: positions are held.
  case pause
  /// Stop with a fade-out.
  case finish
}

/// A change to the mixer. Ramps are in frames; ramps that silence an audible deck are at least as long as the mixer's
/// ramp against clicks.
package enum MixerCommand: Sendable {
  /// Attaches a ring to a deck, to be read from `index`; the deck stays silent. Without `isBeginning`, a later start
  /// outside a fade uses a ramp.
  case attach(Deck, RingReader, index: UInt64, trackGain: Gain, isBeginning: Bool = true)
  /// Starts a cued deck. A ramp of zero frames starts it at full level.
  case start(Deck, ramp: Frames)
  /// Ramps a deck out. `deckSilent` reports the index at which reading ended.
  case stop(Deck, ramp: Frames)
  /// Ramps a deck out and detaches its ring. `released` reports when the memory may be freed.
  case release(Deck, ramp: Frames)
  /// Marks the track as cut off at the ring's end: it is faded out before.
  case softenEnd(Deck)
  /// Marks the deck's ring as having no writer: the track ends where the ring runs dry, regardless of its published
  /// end.
  case endWhereDry(Deck)
  /// Moves a silent deck to another ring index after a seek.
  case cue(Deck, index: UInt64)
  /// Ramps the music out and holds all positions.
  case closeGate(GatePurpose, ramp: Frames)
  /// Opens a closed or closing gate with a ramp.
  case openGate(ramp: Frames)
  /// Sets what follows at the end of the audible deck. Ignored during a fade.
  case join(Join)
  /// Restores a fade from a checkpoint; the gate should be closed.
  case restoreFade(from: Deck, to: Deck, Fade, at: Frames)
  /// Plays the rest of the fade within that many frames, unless it ends earlier.
  case quickFinish(over: Frames)
  /// Ends a running or armed fade in favour of one deck: it ramps to full level, the other to silence.
  case collapse(onto: Deck, ramp: Frames)
  /// Releases both decks, or all but an inaudible one, with a ramp; cancels fade and join; opens the gate.
  case clear(keeping: Deck?, ramp: Frames)
  /// Ramps the output in after an unintended gap (an underrun).
  case rampIn(Frames)
  /// Sets the user's volume.
  case setVolume(Gain, ramp: Frames)
  /// Mixes both channels to mono.
  case setMono(Bool)
  /// Sets a filter of a `SpeakerCorrection` by its index. Filters set at one frame change together, over 30 ms; later
  /// changes wait for the end of that.
  case setFilter(Int, Biquad)
  /// Plays a cue over the music, which is ducked; volume and gate do not apply to it.
  ///
  /// During another cue it waits; at most two wait. It is dropped if the same cue is already playing or waiting, or the
  /// output is lost.
  case playCue(CueSound, gain: Gain)
  /// Plays an announcement on the third deck, over the music, which is ducked to `duck`; volume and gate do not apply
  /// to it.
  ///
  /// It starts at once or after the playing cue; later cues wait for its end. Its events contain the number. The sender
  /// must wait until the previous announcement is released.
  case announce(UInt32, RingReader, index: UInt64, gain: Gain, duck: Gain)
  /// Marks the announcement as cut off at the ring's end: it is faded out before.
  case softenAnnouncement(UInt32)
  /// Sets the announcement's gain.
  case setAnnouncementGain(Gain, ramp: Frames)
  /// Ramps out the announcement with this number and detaches its ring.
  case endAnnouncement(UInt32, ramp: Frames)
  /// Plays a live input from `index` of its ring, with a ramp. It bypasses the gate and follows the volume.
  ///
  /// After starvation it resumes with `refill` frames. Its events contain the number. The sender must wait until the
  /// previous live input is released.
  case host(UInt32, RingReader, index: UInt64, refill: Frames, ramp: Frames)
  /// Ramps out the live input with this number and detaches its ring.
  case endLiveInput(UInt32, ramp: Frames)
}

/// When a command takes effect.
package enum Pin: Sendable {
  /// As early as the device's queue can be changed.
  case now
  /// At that frame of the timeline, or as soon as possible after it.
  case at(Frames)
}

/// A command for the audio thread.
package struct CommandRequest: Sendable {
  /// Id chosen by the control thread; returned in `applied`.
  package var id: UInt32
  /// When it takes effect.
  package var pin: Pin
  /// The command.
  package var command: MixerCommand

  /// A command with its id and its time.
  @_noLocks @_noAllocation
  package init(id: UInt32, pin: Pin, command: MixerCommand) {
    self.id = id
    self.pin = pin
    self.command = command
  }
}
