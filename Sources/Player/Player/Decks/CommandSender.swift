// Sends numbered commands to the mixer on the audio thread, buffers them while the queue is full, and measures their
// latency. Control thread; never blocks.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Sends mixer commands in order.
final class CommandSender {
  /// Maximum number of commands that may wait for the audio thread.
  static let limit = 4096

  /// Latency of commands.
  private(set) var latency = CommandLatency()
  /// Records each command's latency; nil: no recording.
  var flight: FlightRecorder?
  private let link: AudioLink
  private let scheduler: any Scheduler
  private let again: DeadlineTimer
  private var nextID: UInt32 = 1
  private var applied: UInt32 = 0
  /// Commands that did not fit into the audio thread's queue.
  private var unsent: [CommandRequest] = []

  init(_ link: AudioLink, _ scheduler: any Scheduler) {
    self.link = link
    self.scheduler = scheduler
    again = DeadlineTimer(scheduler)
  }

  /// Whether the audio thread is so far behind, blocked by its device, that callers should defer further commands.
  var isOverloaded: Bool { unsent.count >= Self.limit / 4 }

  /// Appends a command to the current batch, which the audio thread receives with the next `flush`.
  ///
  /// - Returns: The command's number.
  @discardableResult
  func send(_ command: MixerCommand) -> UInt32 {
    let request = CommandRequest(id: nextID, pin: .now, command: command)
    nextID &+= 1
    latency.sent(request.id, at: scheduler.now)
    if !unsent.isEmpty || !link.send(request) {
      precondition(unsent.count < Self.limit, "callers check isOverloaded before they send commands")
      unsent.append(request)
    }
    return request.id
  }

  /// Publishes all commands sent since the last flush; they take effect on the same frame.
  func flush() {
    while let first = unsent.first, link.send(first) { unsent.removeFirst() }
    link.flush()
    guard !unsent.isEmpty, !again.isRunning else { return }
    again.start(after: 10_000_000) { [unowned(unsafe) self] in flush() }
  }

  /// Records that a command took effect. `time`: when it became audible; nil if unknown.
  func noteApplied(_ id: UInt32, heardAt time: UInt64?) {
    // The audio loop's own commands have number 0, and rendering the same frames again repeats reports.
    guard id != 0, !hasTakenEffect(id) else { return }
    applied = id
    if let took = latency.heard(id, at: time) { flight?.noteHeard(after: took) }
  }

  /// Whether a command has taken effect according to the reports received so far. The comparison tolerates a wrapping
  /// counter.
  func hasTakenEffect(_ id: UInt32) -> Bool { Int32(bitPattern: applied &- id) >= 0 }
}
