// What an engine is told to do. The engine's thread; never waits.

import Console
import PlaybackModel
import Player

extension Engine {
  /// Carries out a command. What it brings about shows in events.
  ///
  /// - Throws: `command` where it has no meaning in the present state, or a value is out of its range; nothing is changed then.
  public func perform(_ command: EngineCommand) throws(EngineError) {
    try requireLife()
    player.takeReports()
    if let error = refusal(of: command) { throw error }
    if case .jump(let index) = command { return try jump(to: index) }
    for command in command.commands { try give(command) }
    settle()
  }

  /// Whether ``perform(_:)`` would accept a command at present, by the same decision: for the buttons of a display. Nothing is
  /// performed.
  ///
  /// ```swift
  /// retryButton.isEnabled = engine.canPerform(.retry)
  /// ```
  ///
  /// - Parameter command: The command with its values; one with a value out of its range is not accepted.
  /// - Returns: False, too, after ``end()``.
  public func canPerform(_ command: EngineCommand) -> Bool { !hasEnded && refusal(of: command) == nil }

  /// Why a command is refused at present; nil: it is accepted.
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

  /// Carries out a line of the console's language, such as `seek +10` or `set fade.curve s-curve`: what is heard, no more. The
  /// daemon's own commands, such as `status`, are refused.
  ///
  /// - Returns: What is done now, in a few words; may be empty.
  /// - Throws: `command` with what is wrong about the line.
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
