// Configuration of a live input: its source, its format, and when it may start by itself. Pure values; any thread.

/// Source of a live input's audio.
package enum LiveOrigin: Hashable, Sendable {
  /// A shell command whose standard output is the audio.
  case command(String)
  /// Path of a FIFO that another program writes.
  case fifo(String)
  /// Name of an ALSA capture device.
  case capture(String)
  /// Address or host name and port of a Snapcast server; the player is one of its clients.
  case snapcast(String)

  /// Snapserver's default port for clients.
  package static let snapcastPort: UInt16 = 1704

  /// Whether its frames have playback times.
  package var isTimed: Bool { if case .snapcast = self { true } else { false } }
}

/// When a live input starts playing by itself.
package enum TakeOver: String, Hashable, Sendable, CaseIterable {
  /// Whenever its audio starts; the latest one wins.
  case always
  /// If neither music nor another live input is playing.
  case idle
  /// Only by a command.
  case never
}

/// Configuration of a live input.
package struct LiveSource: Hashable, Sendable {
  /// Supported delays in milliseconds.
  package static var delays: ClosedRange<Int> { 200...2000 }

  /// Source of the audio.
  package var origin: LiveOrigin
  /// Sample format.
  package var format = LiveFormat.usual
  /// When it starts by itself.
  package var takesOver = TakeOver.always
  /// Milliseconds from a frame's arrival until it is audible. For frames with playback times: how long before them they
  /// are written.
  package var delay = 250

  /// A live input with default settings.
  package init(_ origin: LiveOrigin) { self.origin = origin }

  /// Level below which the input counts as silent. Capture devices always have noise; receivers send digital silence.
  package var threshold: Float {
    if case .capture = origin { 0.003 } else { 0.000_01 }
  }
}
