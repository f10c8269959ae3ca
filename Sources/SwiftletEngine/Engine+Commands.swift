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
    if case .jump(let index) = command { return try jump(to: index) }
    if case .volume(let percent) = command, !(0...100).contains(percent) {
      throw EngineError(.command, "A volume of \(percent) % is not possible; 0 to 100 are.")
    }
    for command in command.commands { try give(command) }
    settle()
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
    let tracks = player.queue.tracks
    guard tracks.indices.contains(index) else {
      throw EngineError(
        .command, "The queue has no index \(index).", remedy: "It holds \(tracks.count) tracks, from 0.")
    }
    _ = try? player.queue.select(tracks[index].id)
    if case .rejected(let reason) = player.handle(.skip(to: tracks[index])) {
      throw EngineError(.command, reason.sentence)
    }
    settle()
  }
}
