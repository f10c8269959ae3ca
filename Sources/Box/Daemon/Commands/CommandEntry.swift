// The way from features to the command dispatch: sessions, buttons, tags, alarms and sticks send commands through it.
// Control thread.

import Console
import Flight
import Platform

/// Passes commands on to the dispatch. It is created before the features, since the dispatch needs all of them.
final class CommandEntry: CommandTarget {
  private unowned(unsafe) var connected: CommandController?

  /// Names the dispatch. No command may be sent before.
  func connect(_ dispatch: CommandController) { connected = dispatch }

  private var dispatch: CommandController {
    guard let connected else { preconditionFailure("a command is sent before all features exist") }
    return connected
  }

  /// Whether a command would be accepted now. Changes nothing.
  func accepts(_ command: Command) -> Bool { dispatch.accepts(command) }

  /// Carries out the command of a button or a plugged stick.
  func performFromButton(_ command: Command) -> Reply { dispatch.performFromButton(command) }

  /// Carries out the command of a tag, see `CommandController.performFromTag`.
  func performFromTag(
    _ command: Command, at beginning: TagPlaces.Beginning?, then answer: @escaping (Reply) -> Void
  ) {
    dispatch.performFromTag(command, at: beginning, then: answer)
  }

  /// Plays a file, folder or playlist that no user requested, such as an alarm's.
  func play(_ name: String, then answer: @escaping (Reply) -> Void) { dispatch.play(name, then: answer) }

  // MARK: Sessions

  func perform(
    _ command: Command, from source: CommandSource, until cancellation: Cancellation,
    then answer: @escaping (Reply) -> Void
  ) {
    dispatch.perform(command, from: source, until: cancellation, then: answer)
  }

  func report(withPaths: Bool) -> ReportPages { dispatch.report(withPaths: withPaths) }

  func paths(beginning text: String, then: @escaping ([String]) -> Void) {
    dispatch.paths(beginning: text, then: then)
  }
}
