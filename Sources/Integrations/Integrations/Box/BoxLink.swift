// All that an integration has of the box: commands, and what has changed. The integration's one thread; never waits.

import Console
import Platform

/// Whoever takes commands: a box, or what stands for one in tests. Class-bound, for Embedded Swift.
package protocol BoxCommands: AnyObject {
  /// Gives a command; `then` gets its answer, later or at once. What may have to wait for storage keeps nothing else waiting.
  func ask(_ words: [String], mayWait: Bool, then: @escaping (BoxAnswer) -> Void)
  /// Calls `then` when every event has been told that the box had before this call, at once where there is no box.
  func catchUp(then: @escaping () -> Void)
}

/// Sessions with a box: one for what is answered at once, one for what waits for storage, one for pictures, which may wait long and which nobody
/// needs for playing, and one for events. Those that nothing is asked of are not there.
package final class BoxLink: BoxCommands {
  /// Told of each event, by its subject, and of its fields.
  package var onEvent: (_ subject: String, _ fields: BoxFields) -> Void = { _, _ in }
  /// Told when the box is there, again or for the first time, and when it is gone.
  package var onPresence: (_ isThere: Bool) -> Void = { _ in }
  /// Whether the box is there.
  package private(set) var isThere = false

  private let scheduler: any Scheduler
  private let quick: BoxConnection
  private let patient: BoxConnection
  private let pictures: BoxConnection
  private let events: BoxConnection
  private let subjects: [String]
  /// `idle` commands that are not answered yet: the box holds the events that come while there is none.
  private var idleCount = 0
  private let retry: DeadlineTimer
  private var backOff = BackOff(first: 200_000_000, longest: 5_000_000_000)

  /// A link to the box that listens at a path; `subjects` of events are told of.
  package convenience init(path: String, subjects: [String], scheduler: any Scheduler) {
    self.init(subjects: subjects, scheduler: scheduler) {
      do throws(SystemError) {
        return try DescriptorChannel(try LocalConnection.withoutWaiting(path: path))
      } catch {
        return nil
      }
    }
  }

  /// A link through channels that somebody makes.
  package init(
    subjects: [String], scheduler: any Scheduler, connect: @escaping () -> (any ByteChannel)?
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

  /// Begins to listen for events, now or as soon as the box is there.
  package func start() { listen() }

  package func ask(_ words: [String], mayWait: Bool, then: @escaping (BoxAnswer) -> Void) {
    guard words.allSatisfy(CommandLineText.canHold) else { return then(Self.unspeakable) }
    let session = words.first == "picture" ? pictures : mayWait ? patient : quick
    session.ask(CommandLineText.line(of: words), then: then)
  }

  /// What a command is answered with that would be two, or that the box would not read.
  static var unspeakable: BoxAnswer {
    .refused("a name with a control character in it cannot be told to the box")
  }

  package func catchUp(then: @escaping () -> Void) {
    guard events.isConnected, idleCount > 0 else { return then() }
    // Any line ends the `idle` that waits. The second one is answered with the events since the first one's answer, before `format` is.
    idle()
    events.ask("format lines") { _ in then() }
    idle()
  }

  private func idle() {
    idleCount += 1
    events.ask(CommandLineText.line(of: ["idle"] + subjects)) { [unowned(unsafe) self] in hear($0) }
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
      // The box keeps a bounded number of events: what the missing ones were about may be anything.
      if fields.integer("missed") ?? 0 > 0 { onPresence(true) }
      for row in rows { if let subject = row["event"] { onEvent(subject, row) } }
      if idleCount == 0 { listen() }
    // A box that is ending refuses; it will go.
    case .refused:
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
