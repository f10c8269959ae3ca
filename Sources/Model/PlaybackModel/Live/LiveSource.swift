// A live source as it is declared: where its sound comes from, and when it may take the loudspeaker. Pure values; any thread.

/// Where a live source's sound comes from.
package enum LiveOrigin: Hashable, Sendable {
  /// A command for the shell, whose output is the sound.
  case command(String)
  /// The path of a FIFO that another program writes.
  case fifo(String)
  /// The name of an ALSA device that is captured.
  case capture(String)
  /// The address or name and the port of a Snapcast server, of which the box is a room.
  case snapcast(String)

  /// The port on which snapserver serves its rooms.
  package static let snapcastPort: UInt16 = 1704

  /// Whether its frames say when they are to be heard.
  package var isTimed: Bool { if case .snapcast = self { true } else { false } }
}

/// When a source whose sound begins takes the loudspeaker by itself.
package enum TakeOver: String, Hashable, Sendable, CaseIterable {
  /// Whenever its sound begins; what begins last wins.
  case always
  /// Where neither music nor another source is heard.
  case idle
  /// Never: somebody has to ask for it.
  case never
}

/// What a source is declared with.
package struct LiveSource: Hashable, Sendable {
  /// The delays that can be kept, in milliseconds.
  package static var delays: ClosedRange<Int> { 200...2000 }

  /// Where its sound comes from.
  package var origin: LiveOrigin
  /// How its samples are written.
  package var format = LiveFormat.usual
  /// When it takes the loudspeaker.
  package var takesOver = TakeOver.always
  /// Milliseconds from a frame's arrival until it is heard; frames that have times of their own are written so long before these.
  package var delay = 250

  /// A source with the defaults.
  package init(_ origin: LiveOrigin) { self.origin = origin }

  /// What is quieter than this is silence: a recorder's noise never ends, a receiver's silence is digital.
  package var threshold: Float {
    if case .capture = origin { 0.003 } else { 0.000_01 }
  }
}
