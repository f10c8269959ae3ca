// Live sources as declared by commands. Pure values; control thread.

import Controls
import PlaybackModel

/// A live source with its name.
package struct SourceDeclaration: Hashable, Sendable {
  /// The most sources a box can have.
  package static let limit = 8

  /// The name in commands.
  package let name: ControlName
  /// The source's origin and properties.
  package internal(set) var source: LiveSource

  init(_ name: ControlName, _ source: LiveSource) {
    self.name = name
    self.source = source
  }

  /// The commands that declare this source.
  ///
  /// - Parameter base: The source of that name in the board's profile; nil if there is none.
  func lines(from base: SourceDeclaration?) -> [String] {
    let verb = "source " + name.text + " "
    var lines: [String] = []
    var former = base?.source
    if former?.origin != source.origin {
      lines.append(verb + source.origin.words)
      former = nil
    }
    let known = former ?? LiveSource(source.origin)
    if known.format != source.format { lines.append(verb + "format " + source.format.text) }
    if known.takesOver != source.takesOver { lines.append(verb + "takes-over " + source.takesOver.rawValue) }
    if known.delay != source.delay { lines.append(verb + "latency " + String(source.delay)) }
    return lines
  }
}

/// A change to one property of a live source.
package enum SourceChange: Hashable, Sendable {
  /// The origin of the sound. Resets the other properties to their defaults.
  case origin(LiveOrigin)
  case format(LiveFormat)
  case takesOver(TakeOver)
  /// The latency in milliseconds, from a frame's arrival to its output.
  case delay(Int)

  /// Whether the change makes the box run a program; only the configuration file may do that.
  package var runsProgram: Bool { if case .origin(.command) = self { true } else { false } }

  /// The arguments after the source's name, with private texts replaced.
  ///
  /// - Parameter name: Returns the replacement for a private text.
  func anonymousWords(_ name: (String) -> String) -> String {
    switch self {
    case .origin(.command(let line)): " exec " + name(line)
    case .origin(.fifo(let path)): " fifo " + name(path)
    case .origin(.capture(let device)): " alsa " + name(device)
    case .origin(.snapcast(let address)): " snapcast " + name(address)
    case .format(let format): " format " + format.text
    case .takesOver(let takesOver): " takes-over " + takesOver.rawValue
    case .delay(let delay): " latency " + String(delay)
    }
  }

  func apply(to source: inout LiveSource) {
    switch self {
    case .origin(let origin): source = LiveSource(origin)
    case .format(let format): source.format = format
    case .takesOver(let takesOver): source.takesOver = takesOver
    case .delay(let delay): source.delay = delay
    }
  }
}

/// A command that lists or selects live sources.
package enum SourceCommand: Hashable, Sendable {
  /// Lists the sources with their states.
  case list
  /// Selects a source.
  case listen(ControlName)
}

extension LiveOrigin {
  /// The arguments that declare it in `source`.
  package var words: String {
    switch self {
    case .command(let line): "exec " + CommandLineText.quoted(line)
    case .fifo(let path): "fifo " + CommandLineText.quoted(path)
    case .capture(let device): "alsa " + CommandLineText.quoted(device)
    case .snapcast(let address): "snapcast " + CommandLineText.quoted(address)
    }
  }
}
