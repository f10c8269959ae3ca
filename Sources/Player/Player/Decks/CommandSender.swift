// Commands on their way to the audio thread: numbered, kept where its queue is full, timed. Control thread; never waits.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Sends mixer commands in order.
final class CommandSender {
  /// Commands that may wait for the audio thread.
  static let limit = 4096

  /// How quickly commands are heard.
  private(set) var latency = CommandLatency()
  /// Told how long each command took; nil: nobody.
  var flight: FlightRecorder?
  private let link: AudioLink
  private let scheduler: any Scheduler
  private let again: DeadlineTimer
  private var nextID: UInt32 = 1
  private var applied: UInt32 = 0
  /// Commands that found the audio thread's queue full.
  private var unsent: [CommandRequest] = []

  init(_ link: AudioLink, _ scheduler: any Scheduler) {
    self.link = link
    self.scheduler = scheduler
    again = DeadlineTimer(scheduler)
  }

  /// Whether the audio thread is so far behind that further commands should wait; its device holds it up.
  var isOverloaded: Bool { unsent.count >= Self.limit / 4 }

  /// Puts a command in line; the audio thread sees it with the next `flush`. Answers its number.
  @discardableResult
  func send(_ command: MixerCommand) -> UInt32 {
    let request = CommandRequest(id: nextID, pin: .now, command: command)
    nextID &+= 1
    latency.sent(request.id, at: scheduler.now)
    if !unsent.isEmpty || !link.send(request) {
      precondition(unsent.count < Self.limit, "whoever gives commands looks at isOverloaded")
      unsent.append(request)
    }
    return request.id
  }

  /// Lets the audio thread see what was sent: all of it takes effect together.
  func flush() {
    while let first = unsent.first, link.send(first) { unsent.removeFirst() }
    link.flush()
    guard !unsent.isEmpty, !again.isRunning else { return }
    again.start(after: 10_000_000) { [unowned(unsafe) self] in flush() }
  }

  /// A command has taken effect, and was heard at a time; nil where that cannot be said.
  func noteApplied(_ id: UInt32, heardAt time: UInt64?) {
    // The audio loop's own commands have no number, and what is rendered again is told again.
    guard id != 0, !hasTakenEffect(id) else { return }
    applied = id
    if let took = latency.heard(id, at: time) { flight?.noteHeard(after: took) }
  }

  /// Whether a command has taken effect, as far as reports tell. Numbers wrap after years.
  func hasTakenEffect(_ id: UInt32) -> Bool { Int32(bitPattern: applied &- id) >= 0 }
}
