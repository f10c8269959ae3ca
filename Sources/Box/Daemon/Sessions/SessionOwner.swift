// What a session needs of those around it. Control thread.

import Console
import Flight
import Platform

/// Carries out commands for sessions. Class-bound, for Embedded Swift.
protocol CommandTarget: AnyObject {
  /// Does what a command asks for and says what came of it: before this returns, or within half a minute where
  /// storage has to be waited for. Once `cancellation` is set, an answer that only whoever asked would read is not looked for.
  func perform(
    _ command: Command, from source: CommandSource, until cancellation: Cancellation,
    then answer: @escaping (Reply) -> Void)
  /// What the flight recorder holds.
  func report(withPaths: Bool) -> ReportPages
  /// Names of files and folders that a path which is being typed may become.
  func paths(beginning text: String, then: @escaping ([String]) -> Void)
}

/// Keeps sessions. Class-bound, for Embedded Swift.
protocol SessionOwner: AnyObject {
  /// A session began or ceased to watch, or to wait for an event.
  func watchersDidChange()
  /// The events after one about some subjects, and how many more are not kept.
  func events(after id: UInt64, about subjects: EventSubjects) -> (notices: [Notice], missed: Int)
  /// The number of the last event.
  var lastEvent: UInt64 { get }
  /// A wrong PIN was typed.
  func didRefusePIN()
  /// A session is over. It may be in the middle of something: it is let go a little later.
  func didEnd(_ session: Session)
}
