// What happens to a simulated box: what people do, what the world outside does, and what breaks. Data with a textual
// form; any thread.

import PlaybackModel

/// One thing that happens. Lengths of time are in milliseconds, so that a script is read as it was written.
package enum Action: Equatable, Sendable {
  // A person.
  case play, pause, toggle, stop, next, previous, finishFade, retry, reset
  /// To a position.
  case seek(Int)
  /// To so many percent of the track.
  case seekShare(Int)
  /// So far from here.
  case seekBy(Int)
  /// The knob, 0 to 100.
  case volume(Int)
  case mono(Bool)
  case curve(FadeCurve)
  /// The length of fades; 0 is none.
  case crossfade(Int)
  /// From which percentage on a paused fade finishes quickly.
  case threshold(Int)
  /// Adds a track to the end of the queue.
  case add(Int)
  case insertNext(Int)
  /// Inserts a track where the current one is.
  case insertBefore(Int)
  /// Clears the queue, adds a track and plays it.
  case replace(Int)
  /// Removes the entry so far behind the current one.
  case remove(Int)
  /// Moves the entry so far behind the current one to so far behind it.
  case move(Int, Int)
  case clear, removeUpcoming
  case shuffle(Bool)
  case repeatMode(RepeatMode)
  /// The music is to stop with the end of that; nil: with nothing.
  case stopPoint(StopPoint?)
  // The world outside.
  case interrupt
  /// The interruption ends; whether playing may go on.
  case release(Bool)
  case standby, wake, sleepTimer, powerFailing
  /// The stick with some of the tracks is taken out, and put in again.
  case stickOut, stickIn
  /// The plug is pulled, and put in again after so long.
  case powerCut(Int)
  // What breaks, and is mended.
  /// The card is lost after so many more calls of the audio loop; 0 is at once.
  case cardLost(Int)
  case cardBack
  /// The card takes nothing back any more.
  case cardDeaf
  case cardSuspended
  /// A thread does not run for so long.
  case audioStall(Int)
  case controlStall(Int)
  /// Decoders come along at so many percent of their speed; 0 is not at all.
  case storage(Int)
  /// All decoders crash; their successors do not.
  case crashWorkers
  /// All decoders write no more; their successors do.
  case hangWorkers
  /// The files of all decoders end where they have come to.
  case truncateFiles
  // What only a box has.
  /// Something is typed into a session, and entered.
  case type(String)
  /// Something is typed and not entered.
  case typeHalf(String)
  /// The session of whoever types ends.
  case hangUp
  /// A session that asks for so many lines and reads nothing.
  case flood(Int)
  /// A button goes down, or comes up.
  case button(String, isDown: Bool)
  /// A knob is turned by so many detents.
  case turn(String, Int)
  /// So many bytes of noise on the serial line.
  case noise(Int)
  /// The serial line vanishes, or returns.
  case serial(isThere: Bool)
  /// The keypad is pulled out, or plugged in.
  case keypad(isThere: Bool)
  /// The storage of the box itself.
  case flash(FlashHealth)
  /// The wall clock is set to a minute of the day.
  case clock(Int)
  /// Another card is put in the place of the one that was there.
  case cardSwapped
  /// Somebody who sends to the live source with this name does something.
  case sender(String, SenderAction)
  /// The process is killed, and started again after so long.
  case kill(Int)
  /// The process is asked to end.
  case terminate

  /// Whether it breaks something for a while.
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

  /// Whether decoders die of it, or come to an end.
  var isDeath: Bool {
    switch self {
    case .crashWorkers, .hangWorkers, .truncateFiles: true
    default: false
    }
  }

  /// Whether it is an event of the state machine.
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

  /// Whether it is a person's.
  var isUser: Bool {
    switch self {
    case .interrupt, .release, .standby, .wake, .sleepTimer, .powerFailing, .clock, .serial, .keypad, .noise,
      .typeHalf, .hangUp, .flood, .sender:
      false
    default: !isFault
    }
  }
}

/// When a line of a script is due: not before the line before it, and not before something has come to pass.
package enum Wait: Equatable, Sendable {
  /// Nothing but the line before it.
  case none
  /// The track that is heard has no more than so many milliseconds left.
  case remaining(Int)
  /// A fade into the next track is armed.
  case armed
  /// The first frame of a fade is heard.
  case fadeBegins
  /// A fade has come so far, in percent.
  case fade(Int)
  /// The last frame of a fade is so many milliseconds away.
  case fadeEnds(Int)
  /// A pause or a stop was asked for, and its ramp is heard.
  case falling
  /// It has become silent.
  case silence
  /// Something is heard.
  case sound
  /// The player is in a state.
  case state(PlayerState.Kind)
}

/// A line of a script.
package struct Line: Equatable, Sendable {
  /// What is waited for, for so long at most.
  package var wait: Wait
  /// Microseconds after that.
  package var delay: Int
  /// What happens then.
  package var action: Action

  /// How long a moment is waited for that does not come, in nanoseconds.
  static let timeout: UInt64 = 20_000_000_000

  /// A line.
  package init(_ wait: Wait = .none, delay: Int = 0, _ action: Action) {
    self.wait = wait
    self.delay = delay
    self.action = action
  }
}
