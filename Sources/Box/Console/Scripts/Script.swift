// Timed scripts of console commands for `swiftlet play`. Pure; any thread.

import PlaybackModel

/// A script for `swiftlet play`: lines of the form `at TIME COMMAND`.
package struct Script: Hashable, Sendable {
  /// The most bytes of a script.
  package static let maxLength = 1 << 20
  /// The most commands of a script.
  package static let maxCommands = 10_000

  /// A command with its time.
  package struct Line: Hashable, Sendable {
    /// The time of a command, relative to the first frame of music.
    package enum Time: Hashable, Sendable {
      case seconds(Seconds)
      case frame(Frames)
    }

    /// The time of the command.
    package let time: Time
    /// The parsed command.
    package let command: Command
    /// The command's text.
    package let text: String
  }

  /// The commands in the order of the script.
  package let lines: [Line]

  /// Parses lines of the form `at TIME COMMAND`. TIME is a position as in `seek` (12.5, 1:30) or a frame
  /// (551250f). Blank lines and comments are skipped.
  ///
  /// - Parameters:
  ///   - text: The script.
  ///   - accepts: Whether a command is allowed in this script.
  /// - Throws: The first error, with the line number at the beginning of its sentence.
  package init(_ text: String, accepts: (Command) -> Bool = { _ in true }) throws(ConsoleError) {
    guard text.utf8.count <= Self.maxLength else {
      throw ConsoleError(.malformed, "a script has at most " + String(Self.maxLength) + " bytes")
    }
    var lines: [Line] = []
    var number = 0
    for bytes in Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      do throws(ConsoleError) {
        guard let line = try Self.line(Array(bytes), accepts) else { continue }
        guard lines.count < Self.maxCommands else {
          throw ConsoleError(.malformed, "a script has at most " + String(Self.maxCommands) + " commands")
        }
        lines.append(line)
      } catch {
        throw ConsoleError(
          error.kind, "line " + String(number) + ": " + error.sentence, column: error.column)
      }
    }
    self.lines = lines
  }

  /// Whether playback under this script ends: it exits, no command after a stop may play again, or the queue does not
  /// repeat at the end.
  ///
  /// - Parameter settings: The settings before the script changes them.
  package func isBounded(_ settings: Settings) -> Bool {
    var settings = settings
    var isStopped = false
    // The rate orders frames among seconds only.
    for line in timed(at: SampleRate(44_100)).map({ $0.line }) {
      switch line.command {
      case .exit: return true
      case .stop: isStopped = true
      case .queue(.repeat(let mode)): try? settings.set(.queueRepeat, to: .choice(mode.name))
      case .set(let setting, let value): try? settings.set(setting, to: value)
      case .cycle(let setting):
        if let next = try? settings.next(setting) { try? settings.set(setting, to: next) }
      case .unset(let setting?): settings.unset(setting)
      case .volume, .mute, .clearEqualizer, .queue(.shuffle), .pause, .standby, .finishFade,
        .interruptionBegin:
        break
      default: isStopped = false
      }
    }
    return isStopped || (settings.repeatMode == .off && settings.endOfQueue != .repeat)
  }

  private static func line(
    _ bytes: [UInt8], _ accepts: (Command) -> Bool
  ) throws(ConsoleError) -> Line? {
    let words = try CommandLineText(bytes).words
    guard let first = words.first else { return nil }
    guard Spelling.small(first.text) == "at", words.count >= 3 else {
      throw ConsoleError(.wrongUsage, "expected 'at TIME COMMAND', such as 'at 12.5 pause'")
    }
    guard let time = time(words[1].text) else {
      throw ConsoleError(
        .badValue,
        "'" + words[1].text + "' is not a time; seconds (12.5), minutes:seconds (1:30) or frames (551250f)",
        column: words[1].column)
    }
    let rest = Array(bytes[words[2].bytes.lowerBound..<words[words.count - 1].bytes.upperBound])
    let command: Command?
    do throws(ConsoleError) {
      command = try Interpreter.parse(rest)
    } catch {
      throw ConsoleError(
        error.kind, error.sentence, column: error.column.map { $0 + words[2].column - 1 })
    }
    guard let command, accepts(command) else {
      throw ConsoleError(
        .wrongUsage, "'" + words[2].text + "' has no meaning in a script", column: words[2].column)
    }
    return Line(time: time, command: command, text: String(decoding: rest, as: UTF8.self))
  }

  private static func time(_ word: String) -> Line.Time? {
    if word.utf8.last == 0x66, let frame = Int64(word.dropLast()), frame >= 0 { return .frame(Frames(frame)) }
    if case .to(let position)? = Arguments.seekTarget(word) { return .seconds(position) }
    return nil
  }

  /// The commands sorted by frame; commands of one frame keep their order.
  ///
  /// - Parameter rate: The sample rate that converts seconds to frames.
  package func timed(at rate: SampleRate) -> [(frame: Frames, line: Line)] {
    var timed: [(frame: Frames, line: Line)] = []
    timed.reserveCapacity(lines.count)
    for line in lines {
      let frame =
        switch line.time {
        case .frame(let frame): frame
        case .seconds(let seconds): rate.frames(seconds)
        }
      var place = timed.count
      while place > 0, timed[place - 1].frame > frame { place -= 1 }
      timed.insert((frame, line), at: place)
    }
    return timed
  }
}
