// Everything that a simulated run follows from. Data with a textual form; any thread.

import PlaybackModel

/// How a track and its decoder behave.
package struct TrackPlan: Equatable, Sendable {
  /// What goes wrong with it, if anything. Places are frames.
  package enum Fault: Equatable, Sendable {
    case none
    /// The source refuses at once.
    case refuses
    /// The decoder starts, and finds out that it cannot.
    case unreadable
    /// It never opens.
    case hangs
    /// It fails there for good.
    case fails(Int)
    /// The worker dies there, and so does its successor.
    case crashes(Int)
    /// The worker writes nothing from there on, and neither does its successor.
    case sticks(Int)
    /// The file ends there, before the length that it states.
    case truncated(Int)
    /// It delivers nothing for so many milliseconds from there on.
    case stalls(Int, Int)
    /// It writes impossible indexes from there on.
    case garbage(Int)
    /// It says that it is so much longer than it is.
    case lies(Int)
    /// Seeking fails.
    case seekFails
  }

  /// Frames.
  package var length: Int
  /// Milliseconds from the start of the decoder until it can play.
  package var opening: Int
  /// Milliseconds that a seek takes.
  package var seeking: Int
  /// How many times as fast as it is heard it is decoded.
  package var speed: Int
  /// Whether its length is known before its end.
  package var tellsLength: Bool
  /// The number of its album, whose tracks are joined; 0 is none.
  package var album: Int
  /// Whether it lies on the stick that can be taken out.
  package var isOnStick: Bool
  package var fault: Fault

  /// A track that behaves.
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

/// What kind of card the box has.
package struct CardPlan: Equatable, Sendable {
  package enum Mode: Equatable, Sendable {
    /// Takes back what it was given, and says exactly where it is.
    case deep
    /// The same with the longest queue that the engine asks for.
    case long
    /// Takes back nothing.
    case shallow
    /// As `deep`, but says where it is in steps of so many frames.
    case stepping(Int)
    /// Takes back nothing, and says where it is in steps of so many frames.
    case batch(Int)
  }

  package var mode: Mode
  /// How much fits into its buffer, in nanoseconds.
  var buffer: UInt64 { mode == .long ? 1_250_000_000 : 500_000_000 }
  /// How much faster its clock is than the machine's, in millionths.
  package var drift: Int

  /// A card.
  package init(_ mode: Mode = .deep, drift: Int = 0) {
    self.mode = mode
    self.drift = drift
  }
}

/// All that a run follows from. The same world gives the same bytes.
package struct World: Equatable, Sendable {
  /// Frames a second. Low, because an hour has many seconds; the mixer's quantum of 512 frames then takes an eighth
  /// of a second, which is what decides how low it may be.
  package var rate = 4000
  package var weather = Weather(seed: nil)
  package var card = CardPlan()
  package var tracks: [TrackPlan] = []
  /// The box around the player; nil is none.
  package var box: BoxPlan?
  package var lines: [Line] = []
  /// Seconds that the box is left alone in the end, with all that broke mended.
  package var calm = 30

  /// An empty world.
  package init() {}

  /// Whether somebody announces something.
  var announces: Bool {
    lines.contains { if case .type(let text) = $0.action { text.hasPrefix("announce ") } else { false } }
  }
}
