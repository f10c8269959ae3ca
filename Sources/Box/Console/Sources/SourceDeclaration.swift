// Live sources as commands declare them. Pure values; control thread.

import Controls
import PlaybackModel

/// A live source with its name.
package struct SourceDeclaration: Hashable, Sendable {
  /// The most that there can be.
  package static let limit = 8

  /// What it is called.
  package let name: ControlName
  /// What it is.
  package internal(set) var source: LiveSource

  init(_ name: ControlName, _ source: LiveSource) {
    self.name = name
    self.source = source
  }

  /// The commands that declare it, where it was another one or none before.
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

/// What is said about a live source.
package enum SourceChange: Hashable, Sendable {
  /// Where its sound comes from: it begins with the defaults.
  case origin(LiveOrigin)
  case format(LiveFormat)
  case takesOver(TakeOver)
  /// Milliseconds from a frame's arrival until it is heard.
  case delay(Int)

  /// Whether whoever says it has the box run a program: only the configuration file may.
  package var runsProgram: Bool { if case .origin(.command) = self { true } else { false } }

  /// What follows the source's name, in which `name` stands in for what is private.
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

/// A question or a wish about live sources.
package enum SourceCommand: Hashable, Sendable {
  /// Lists them, and how each is doing.
  case list
  /// Has one be heard.
  case listen(ControlName)
}

extension LiveOrigin {
  /// As it is written in `source`.
  package var words: String {
    switch self {
    case .command(let line): "exec " + CommandLineText.quoted(line)
    case .fifo(let path): "fifo " + CommandLineText.quoted(path)
    case .capture(let device): "alsa " + CommandLineText.quoted(device)
    case .snapcast(let address): "snapcast " + CommandLineText.quoted(address)
    }
  }
}
