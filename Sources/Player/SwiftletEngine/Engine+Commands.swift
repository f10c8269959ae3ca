// The command interface of `Engine`: typed commands and lines of the console's language. The engine's thread; never
// blocks.

import Console
import PlaybackModel
import Player

extension Engine {
  /// Carries out a command. Its effects are reported as events.
  ///
  /// ```swift
  /// try engine.perform(.crossfade(seconds: 5, .equalPower))
  /// try engine.perform(.play)
  /// ```
  ///
  /// - Parameter command: The command with its values.
  /// - Throws: ``EngineError/Kind/command`` if the command is meaningless in the present state or a value is out of
  ///   range; nothing changes then. ``EngineError/Kind/ended`` after ``end()``.
  public func perform(_ command: EngineCommand) throws(EngineError) {
    try requireLife()
    player.takeReports()
    if let error = refusal(of: command) { throw error }
    if case .jump(let index) = command { return try jump(to: index) }
    for command in command.commands { try give(command) }
    settle()
  }

  /// Whether ``perform(_:)`` would accept a command now. Use it to enable the buttons of a display. Changes nothing.
  ///
  /// ```swift
  /// retryButton.isEnabled = engine.canPerform(.retry)
  /// ```
  ///
  /// - Parameter command: The command with its values; a value out of range is not accepted.
  /// - Returns: Whether the command would be accepted; false after ``end()``.
  public func canPerform(_ command: EngineCommand) -> Bool { !hasEnded && refusal(of: command) == nil }

  /// The reason for which a command would be refused now; nil if it would be accepted.
  private func refusal(of command: EngineCommand) -> EngineError? {
    switch command {
    case .jump(let index):
      let count = player.queue.count
      guard index < 0 || index >= count else { return nil }
      return EngineError(
        .command, "The queue has no index \(index).", remedy: "It holds \(count) tracks, from 0.")
    case .volume(let percent) where !(0...100).contains(percent):
      return EngineError(.command, "A volume of \(percent) % is not possible; 0 to 100 are.")
    default:
      for command in command.commands {
        if let error = commands.refusal(of: command) { return EngineError(error) }
      }
      return nil
    }
  }

  /// Carries out one line of the console's language, such as `seek +10` or `set fade.curve s-curve`. See
  /// docs/reference/console.md.
  ///
  /// Only commands that affect the sound are accepted; those of the daemon, such as `status`, are refused.
  ///
  /// ```swift
  /// print(try engine.perform(line: "set fade.length 5"))
  /// ```
  ///
  /// - Parameter line: The command line; an empty line does nothing. `exit` acts like ``quit()``.
  /// - Returns: The resulting state in a few words; may be empty.
  /// - Throws: ``EngineError/Kind/command`` with what is wrong about the line, ``EngineError/Kind/ended`` after
  ///   ``end()``.
  @discardableResult
  public func perform(line: String) throws(EngineError) -> String {
    try requireLife()
    let parsed: Command?
    do throws(ConsoleError) {
      parsed = try Interpreter.parse(line)
    } catch {
      throw EngineError(error)
    }
    guard let command = parsed else { return "" }
    if command == .exit {
      quit()
      return ""
    }
    defer { settle() }
    return try give(command)
  }

  @discardableResult
  private func give(_ command: Command) throws(EngineError) -> String {
    switch commands.perform(command) {
    case .ok(let answer): return answer.message
    case .error(let error): throw EngineError(error)
    }
  }

  private func jump(to index: Int) throws(EngineError) {
    let track = player.queue.tracks[index]
    _ = try? player.queue.select(track.id)
    if case .rejected(let reason) = player.handle(.skip(to: track)) {
      throw EngineError(.command, reason.sentence)
    }
    settle()
  }
}
