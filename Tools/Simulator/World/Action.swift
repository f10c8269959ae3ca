// Actions and wait conditions of a simulation script: user input, outside events and faults. Plain data with a text
// form (ActionText.swift); any thread.

import Daemon
import PlaybackModel

/// One action of a script. Durations and positions are in milliseconds unless noted, as in the script's text.
package enum Action: Equatable, Sendable {
  // User actions.
  case play, pause, toggle, stop, next, previous, finishFade, retry, reset
  /// Seeks to a position in milliseconds.
  case seek(Int)
  /// Seeks to a percentage of the track's length.
  case seekShare(Int)
  /// Seeks by a distance in milliseconds, relative to the current position.
  case seekBy(Int)
  /// Sets the volume, 0 to 100.
  case volume(Int)
  case mono(Bool)
  case curve(FadeCurve)
  /// Sets the crossfade length in milliseconds; 0 turns fades off.
  case crossfade(Int)
  /// Sets the progress in percent from which a paused fade finishes quickly.
  case threshold(Int)
  /// Adds a track to the end of the queue. Tracks are indexes into `World.tracks`.
  case add(Int)
  case insertNext(Int)
  /// Inserts a track in front of the current one.
  case insertBefore(Int)
  /// Clears the queue, adds a track and plays it.
  case replace(Int)
  /// Removes the entry at this offset after the current one, modulo the queue's length.
  case remove(Int)
  /// Moves the entry at the first offset after the current one to the second offset.
  case move(Int, Int)
  case clear, removeUpcoming
  case shuffle(Bool)
  case repeatMode(RepeatMode)
  /// Sets where the music stops (after the track or after the queue); nil removes the stop point.
  case stopPoint(StopPoint?)
  // Outside events.
  case interrupt
  /// Ends the interruption. The value is whether playback may resume.
  case release(Bool)
  case standby, wake, sleepTimer, powerFailing
  /// Removes and reinserts the USB stick that holds some of the tracks.
  case stickOut, stickIn
  /// Cuts the power for this many milliseconds.
  case powerCut(Int)
  // Faults, and their repair.
  /// Loses the sound card after this many calls of the audio loop; 0 is immediately.
  case cardLost(Int)
  case cardBack
  /// From now on the card refuses to rewind.
  case cardDeaf
  case cardSuspended
  /// Keeps a thread from running for this many milliseconds.
  case audioStall(Int)
  case controlStall(Int)
  /// Sets the decoders' speed in percent; 0 stops them.
  case storage(Int)
  /// Crashes all running decoders. Decoders started later are unaffected.
  case crashWorkers
  /// Hangs all running decoders: they write nothing more. Decoders started later are unaffected.
  case hangWorkers
  /// Ends the file of every running decoder at its present write position.
  case truncateFiles
  // Actions that only a whole box supports.
  /// Types a line into a console session and enters it.
  case type(String)
  /// Types text without entering it.
  case typeHalf(String)
  /// Ends the session that the other actions type into.
  case hangUp
  /// Opens a session that sends this many lines and reads no replies.
  case flood(Int)
  /// Presses or releases a button.
  case button(String, isDown: Bool)
  /// Turns a knob by this many detents; negative is to the left.
  case turn(String, Int)
  /// Sends this many random bytes on the serial line.
  case noise(Int)
  /// Removes or restores the serial line.
  case serial(isThere: Bool)
  /// Unplugs or plugs in the keypad.
  case keypad(isThere: Bool)
  /// Changes how the box's own flash storage behaves.
  case flash(FlashHealth)
  /// Sets the wall clock to a minute of the day.
  case clock(Int)
  /// Replaces the sound card with a different one.
  case cardSwapped
  /// Makes the sender behind the live source of this name do something.
  case sender(String, SenderAction)
  /// Kills the process and starts it again after this many milliseconds.
  case kill(Int)
  /// Asks the process to end (SIGTERM).
  case terminate

  /// Whether the action breaks something until it is repaired.
  var isFault: Bool {
    switch self {
    case .cardLost, .cardBack, .cardDeaf, .cardSuspended, .audioStall, .controlStall, .storage, .crashWorkers,
      .hangWorkers,
      .truncateFiles,
      .stickOut, .stickIn, .powerCut, .cardSwapped, .kill, .terminate, .flash:
      true
    default: false
    }
  }

  /// Whether the action makes decoders crash, hang or end early.
  var isDeath: Bool {
    switch self {
    case .crashWorkers, .hangWorkers, .truncateFiles: true
    default: false
    }
  }

  /// Whether the action is an event of the player's state machine.
  var isRequest: Bool {
    switch self {
    case .play, .pause, .toggle, .stop, .next, .previous, .finishFade, .retry, .reset, .seek, .seekShare,
      .seekBy,
      .interrupt,
      .release, .standby, .wake, .sleepTimer, .powerFailing, .stickOut:
      true
    default: false
    }
  }

  /// Whether a user performs the action, rather than the outside world or a fault.
  var isUser: Bool {
    switch self {
    case .interrupt, .release, .standby, .wake, .sleepTimer, .powerFailing, .clock, .serial, .keypad, .noise,
      .typeHalf, .hangUp, .flood, .sender:
      false
    default: !isFault
    }
  }
}

/// Condition for a script line, checked after the line before it has run. Waiting ends after `Line.timeout`.
package enum Wait: Equatable, Sendable {
  /// No condition: only the delay counts.
  case none
  /// The heard track has at most this many milliseconds left.
  case remaining(Int)
  /// A fade into the next track is armed.
  case armed
  /// The first frame of a fade is heard.
  case fadeBegins
  /// A fade has reached this progress, in percent.
  case fade(Int)
  /// The last frame of a fade is this many milliseconds away.
  case fadeEnds(Int)
  /// A pause or stop was requested, and its ramp down is heard.
  case falling
  /// The output has become silent.
  case silence
  /// Something is heard.
  case sound
  /// The player's state is of this kind.
  case state(PlayerState.Kind)
  /// The box is in a phase of this kind. Never holds for a bare player.
  case phase(BoxPhase.Kind)
}

/// One line of a script: a condition, a delay and an action.
package struct Line: Equatable, Sendable {
  /// Condition to wait for, for at most `timeout`.
  package var wait: Wait
  /// Microseconds to wait once the condition holds.
  package var delay: Int
  /// Action to perform after the delay.
  package var action: Action

  /// Nanoseconds after which a condition that never holds is given up and the line runs.
  static let timeout: UInt64 = 20_000_000_000

  /// Creates a line.
  package init(_ wait: Wait = .none, delay: Int = 0, _ action: Action) {
    self.wait = wait
    self.delay = delay
    self.action = action
  }
}
