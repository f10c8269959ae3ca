// What a listener can ask for, by key or by script. Values; control thread.

import PlaybackModel
import Platform

/// One wish of a listener.
public enum PlayCommand: Sendable, Equatable {
  case play
  case pause
  case toggle
  case stop
  case next
  case previous
  /// To a position.
  case seek(Seconds)
  /// So far from here, forwards or back.
  case seekBy(Seconds)
  /// The knob, 0 to 100.
  case volume(Float)
  /// The length of fades from now on.
  case crossfade(Seconds)
  case curve(FadeCurve)
  /// The rest of a running fade within a second.
  case finishFade
  case retry
  case quit

  /// Reads a command and its argument. Errors say what was expected.
  public static func parse(_ words: [Substring]) throws(ScriptError) -> PlayCommand {
    guard let name = words.first else { throw ScriptError("a command is missing") }
    func number(_ what: String) throws(ScriptError) -> Double {
      guard words.count == 2, let value = Decimal.parse(words[1]) else {
        throw ScriptError("'\(name)' wants \(what)")
      }
      return value
    }
    func alone(_ command: PlayCommand) throws(ScriptError) -> PlayCommand {
      guard words.count == 1 else { throw ScriptError("'\(name)' takes nothing after it") }
      return command
    }
    switch name {
    case "play": return try alone(.play)
    case "pause": return try alone(.pause)
    case "toggle": return try alone(.toggle)
    case "stop": return try alone(.stop)
    case "next": return try alone(.next)
    case "previous": return try alone(.previous)
    case "finish-fade": return try alone(.finishFade)
    case "retry": return try alone(.retry)
    case "quit": return try alone(.quit)
    case "volume": return .volume(Float(try number("a number from 0 to 100")))
    case "crossfade": return .crossfade(Seconds(try number("a length in seconds, 0 to 15")))
    case "seek":
      let value = try number("a position in seconds, or +N or -N from here")
      let isRelative = words[1].utf8.first == 0x2D
      return isRelative ? .seekBy(Seconds(value)) : .seek(Seconds(value))
    case "forward": return .seekBy(Seconds(try number("seconds")))
    case "curve":
      guard words.count == 2, let curve = FadeCurve(name: String(words[1])) else {
        var names = ""
        for curve in FadeCurve.allCases { names += (names.utf8.isEmpty ? "" : ", ") + curve.name }
        throw ScriptError("'curve' wants one of: \(names)")
      }
      return .curve(curve)
    default:
      throw ScriptError(
        "'\(name)' is no command; there are play, pause, toggle, stop, next, previous, seek, forward, volume, "
          + "crossfade, curve, finish-fade, retry, quit")
    }
  }
}

/// Why a script cannot be used.
public struct ScriptError: Error, Sendable {
  /// A sentence.
  public let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// Commands at frames of the timeline.
public struct Script: Sendable {
  /// One command and when it is given.
  public struct Line: Sendable {
    /// The timeline frame, or a time that becomes one when the rate is known.
    enum Time: Sendable {
      case frame(Int64)
      case seconds(Double)
    }
    let time: Time
    /// What is asked for.
    public let command: PlayCommand
  }

  static let maximumLines = 10_000
  static let maximumBytes = 1 << 20
  private var lines: [Line] = []

  /// Reads lines of the form `at TIME COMMAND`, TIME in seconds (`12.5`) or frames (`551250f`); `#` starts a
  /// comment. Errors name the line.
  public init(_ text: String) throws(ScriptError) {
    guard text.utf8.count <= Self.maximumBytes else { throw ScriptError("a script holds 1 MiB at most") }
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let content = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let words = content.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard !words.isEmpty else { continue }
      guard lines.count < Self.maximumLines else {
        throw ScriptError("a script holds 10000 commands at most")
      }
      do throws(ScriptError) {
        lines.append(try Self.parse(words))
      } catch {
        throw ScriptError("line \(number): \(error.sentence)")
      }
    }
  }

  private static func parse(_ words: [Substring]) throws(ScriptError) -> Line {
    guard words[0] == "at", words.count >= 3 else {
      throw ScriptError("expected 'at TIME COMMAND', such as 'at 12.5 pause'")
    }
    let time: Line.Time
    if words[1].utf8.last == 0x66, let frame = Int64(words[1].dropLast()), frame >= 0 {
      time = .frame(frame)
    } else if let seconds = Decimal.parse(words[1]), seconds >= 0 {
      time = .seconds(seconds)
    } else {
      throw ScriptError("'\(words[1])' is no time; seconds (12.5) or frames (551250f)")
    }
    return Line(time: time, command: try PlayCommand.parse(Array(words[2...])))
  }

  /// The commands with their frames at a rate, in order; those of one frame as they were written.
  public func timed(at rate: SampleRate) -> [(frame: Int64, command: PlayCommand)] {
    var timed: [(frame: Int64, command: PlayCommand)] = []
    for line in lines {
      let frame =
        switch line.time {
        case .frame(let frame): frame
        case .seconds(let seconds): rate.frames(Seconds(seconds)).count
        }
      var place = timed.count
      while place > 0, timed[place - 1].frame > frame { place -= 1 }
      timed.insert((frame, line.command), at: place)
    }
    return timed
  }
}

extension Player {
  /// Does what a listener asks for; `quit` is the caller's.
  public func perform(_ command: PlayCommand) {
    switch command {
    case .play: play()
    case .pause: handle(.pause)
    case .toggle: toggle()
    case .stop: handle(.stop)
    case .next: next()
    case .previous: previous()
    case .seek(let position): handle(.seek(machine.settings.rate.frames(position)))
    case .seekBy(let distance): seek(by: machine.settings.rate.frames(distance))
    case .volume(let percent): setVolume(Volume(percent))
    case .crossfade(let length): setCrossfade(length)
    case .curve(let curve): setCurve(curve)
    case .finishFade: handle(.finishFade)
    case .retry: handle(.retry)
    case .quit: break
    }
  }
}
