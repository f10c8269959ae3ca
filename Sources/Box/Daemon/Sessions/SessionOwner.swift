// Interfaces of a session to the daemon: command execution and event history. Control thread.

import Console
import Flight
import Platform

/// Carries out the commands of sessions. Class-bound for Embedded Swift.
protocol CommandTarget: AnyObject {
  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - source: Kind of the session.
  ///   - cancellation: Set when the client has disconnected; searches may then be ended.
  ///   - answer: Called once with the reply, before this returns or, if storage is slow, within 30 s.
  func perform(
    _ command: Command, from source: CommandSource, until cancellation: Cancellation,
    then answer: @escaping (Reply) -> Void)
  /// Contents of the flight recorder, as a report.
  ///
  /// - Parameter withPaths: Whether to include names and paths.
  func report(withPaths: Bool) -> ReportPages
  /// Completions of a path being typed.
  func paths(beginning text: String, then: @escaping ([String]) -> Void)
}

/// Owner of sessions. Class-bound for Embedded Swift.
protocol SessionOwner: AnyObject {
  /// Called when a session has changed its subscriptions.
  func watchersDidChange()
  /// Kept events about some subjects after an ID, and how many are no longer kept.
  func events(after id: UInt64, about subjects: EventSubjects) -> (notices: [Notice], missed: Int)
  /// ID of the last event.
  var lastEvent: UInt64 { get }
  /// Called when a wrong PIN was entered.
  func didRefusePIN()
  /// Called when a session has ended. It may still be on the call stack, so release it later.
  func didEnd(_ session: Session)
}
