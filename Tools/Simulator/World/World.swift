// The complete input of a simulation run: card, tracks, box, weather and script. Plain data with a text form
// (WorldText.swift); any thread.

import PlaybackModel

/// Behavior of a track and its decoder.
package struct TrackPlan: Equatable, Sendable {
  /// What goes wrong with the track, if anything. Positions are in frames.
  package enum Fault: Equatable, Sendable {
    case none
    /// The decoder source refuses the track immediately.
    case refuses
    /// The decoder starts and then reports that it cannot read the track.
    case unreadable
    /// The decoder never becomes ready.
    case hangs
    /// Decoding fails permanently at this position.
    case fails(Int)
    /// The worker crashes at this position, and so does its replacement.
    case crashes(Int)
    /// The worker stops writing at this position, and so does its replacement.
    case sticks(Int)
    /// The file ends at this position, short of the length it claims.
    case truncated(Int)
    /// Decoding pauses at a position (first value) for a number of milliseconds (second value).
    case stalls(Int, Int)
    /// From this position on, the worker writes invalid ring indexes.
    case garbage(Int)
    /// The claimed length exceeds the real one by this many frames; may be negative.
    case lies(Int)
    /// Every seek fails.
    case seekFails
  }

  /// Length in frames.
  package var length: Int
  /// Milliseconds from starting the decoder until the track can play.
  package var opening: Int
  /// Milliseconds that a seek takes.
  package var seeking: Int
  /// Decoding speed as a multiple of real time.
  package var speed: Int
  /// Whether the length is known before the end of the track.
  package var tellsLength: Bool
  /// Album number; tracks of one album join without a fade. 0 is no album.
  package var album: Int
  /// Whether the track is on the removable USB stick.
  package var isOnStick: Bool
  package var fault: Fault

  /// Creates a track, without a fault by default.
  package init(
    length: Int, opening: Int = 20, seeking: Int = 20, speed: Int = 50, tellsLength: Bool = true,
    album: Int = 0, isOnStick: Bool = false, fault: Fault = .none
  ) {
    self.length = length
    self.opening = opening
    self.seeking = seeking
    self.speed = speed
    self.tellsLength = tellsLength
    self.album = album
    self.isOnStick = isOnStick
    self.fault = fault
  }
}

/// Kind of sound card and its clock drift.
package struct CardPlan: Equatable, Sendable {
  package enum Mode: Equatable, Sendable {
    /// Rewinds, and reports its exact position.
    case deep
    /// As `deep`, with the longest queue that the engine requests.
    case long
    /// Does not rewind.
    case shallow
    /// Rewinds, and reports its position in steps of this many frames.
    case stepping(Int)
    /// Does not rewind, and reports its position in steps of this many frames.
    case batch(Int)
  }

  package var mode: Mode
  /// Length of the card's buffer in nanoseconds.
  var buffer: UInt64 { mode == .long ? 1_250_000_000 : 500_000_000 }
  /// How much faster the card's clock runs than the system's, in parts per million.
  package var drift: Int

  /// Creates a card.
  package init(_ mode: Mode = .deep, drift: Int = 0) {
    self.mode = mode
    self.drift = drift
  }
}

/// The complete input of a run: equal worlds produce identical output.
package struct World: Equatable, Sendable {
  /// Sample rate in Hz. Low, to simulate hours quickly. The lower bound comes from the mixer's quantum of 512 frames,
  /// which takes 1/8 s at 4000 Hz.
  package var rate = 4000
  package var weather = Weather(seed: nil)
  package var card = CardPlan()
  package var tracks: [TrackPlan] = []
  /// The box around the player; nil for a bare player.
  package var box: BoxPlan?
  package var lines: [Line] = []
  /// Seconds at the end without script actions, with all faults repaired.
  package var calm = 30

  /// Creates an empty world.
  package init() {}

  /// Whether the script plays announcements.
  var announces: Bool {
    lines.contains { if case .type(let text) = $0.action { text.hasPrefix("announce ") } else { false } }
  }
}
