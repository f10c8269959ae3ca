// An integration's connection to the daemon: commands over several sessions, and events. The integration's single
// thread; never blocks.

import Console
import Platform

/// Executes commands: the daemon, or a fake in tests. Class-bound for Embedded Swift.
package protocol BoxCommands: AnyObject {
  /// Sends a command. Commands that may wait for storage, and those for pictures, do not hold up others.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - then: Receives the answer, possibly before this returns.
  func ask(_ command: Command, then: @escaping (BoxAnswer) -> Void)
  /// Sends a command that is answered at once, although others of its kind may wait for storage.
  func askAtOnce(_ command: Command, then: @escaping (BoxAnswer) -> Void)
  /// Calls `then` once all events that the daemon had before this call have been delivered; immediately without a
  /// connection.
  func catchUp(then: @escaping () -> Void)
}

/// Four sessions with the daemon: for quick commands, for commands that wait for storage, for pictures (slow and
/// unimportant), and for events. Each connects on demand.
package final class BoxLink: BoxCommands {
  /// Called with each event's subject and fields.
  package var onEvent: (_ subject: String, _ fields: BoxFields) -> Void = { _, _ in }
  /// Called when the daemon becomes reachable (true) or unreachable (false).
  package var onPresence: (_ isThere: Bool) -> Void = { _ in }
  /// Whether the daemon is reachable.
  package private(set) var isThere = false

  private let scheduler: any Scheduler
  private let quick: BoxConnection
  private let patient: BoxConnection
  private let pictures: BoxConnection
  private let events: BoxConnection
  private let subjects: EventSubjects
  /// Number of unanswered `idle` commands. While there is none, the daemon queues events.
  private var idleCount = 0
  private let retry: DeadlineTimer
  private var backOff = BackOff(first: 200_000_000, longest: 5_000_000_000)

  /// Creates a link to the control socket at a path, subscribing to the events in `subjects`.
  package convenience init(path: String, subjects: EventSubjects, scheduler: any Scheduler) {
    self.init(subjects: subjects, scheduler: scheduler) {
      do throws(SystemError) {
        return try DescriptorChannel(try LocalConnection.withoutWaiting(path: path))
      } catch {
        return nil
      }
    }
  }

  /// Creates a link over channels made by `connect`.
  package init(
    subjects: EventSubjects, scheduler: any Scheduler, connect: @escaping () -> (any ByteChannel)?
  ) {
    self.scheduler = scheduler
    self.subjects = subjects
    quick = BoxConnection(scheduler, connect: connect)
    patient = BoxConnection(scheduler, connect: connect)
    pictures = BoxConnection(scheduler, connect: connect)
    events = BoxConnection(scheduler, connect: connect)
    retry = DeadlineTimer(scheduler)
    events.onGone = { [unowned(unsafe) self] in lose() }
  }

  /// Starts listening for events, now or once the daemon is reachable.
  package func start() { listen() }

  package func ask(_ command: Command, then: @escaping (BoxAnswer) -> Void) {
    let isPicture = if case .picture = command { true } else { false }
    send(
      command, over: isPicture ? pictures : command.properties.reply == .mayWait ? patient : quick, then: then
    )
  }

  package func askAtOnce(_ command: Command, then: @escaping (BoxAnswer) -> Void) {
    send(command, over: quick, then: then)
  }

  private func send(
    _ command: Command, over session: BoxConnection, then: @escaping (BoxAnswer) -> Void
  ) {
    let line = command.line
    guard CommandLineText.canHold(line) else { return then(.refused(Self.unspeakable)) }
    session.ask(line, then: then)
  }

  /// The refusal of a command that the line-based protocol cannot carry.
  static let unspeakable = "a name with a control character in it cannot be told to the box"

  package func catchUp(then: @escaping () -> Void) {
    guard events.isConnected, idleCount > 0 else { return then() }
    // Any line ends a pending `idle`. The second `idle` is answered with the events since the first one's answer,
    // before `format` is.
    idle()
    events.ask(Command.format(.lines).line) { _ in then() }
    idle()
  }

  private func idle() {
    idleCount += 1
    events.ask(Command.idle(subjects).line) { [unowned(unsafe) self] in hear($0) }
  }

  private func listen() {
    idle()
    if events.isConnected, !isThere {
      isThere = true
      backOff.reset()
      onPresence(true)
    } else if !events.isConnected {
      tryAgain()
    }
  }

  private func hear(_ answer: BoxAnswer) {
    idleCount = max(0, idleCount - 1)
    switch answer {
    case .done(let fields, let rows):
      // The daemon queues a limited number of events. If some were dropped, everything may have changed.
      if fields.integer("missed") ?? 0 > 0 { onPresence(true) }
      for row in rows { if let subject = row["event"] { onEvent(subject, row) } }
      if idleCount == 0 { listen() }
    // A daemon that is shutting down refuses the command; its connection will close.
    case .refused, .outdated:
      if idleCount == 0 { retry.start(after: 1_000_000_000) { [unowned(unsafe) self] in listen() } }
    case .gone: break
    }
  }

  private func lose() {
    if isThere {
      isThere = false
      onPresence(false)
    }
    tryAgain()
  }

  private func tryAgain() {
    guard !retry.isRunning else { return }
    retry.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in listen() }
  }
}
