// Where the flight recorder is kept, and what is recorded of commands, storage and rings. Control thread; never waits.

import Console
import Flight
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Keeps a flight recorder filled.
final class FlightController {
  /// Nanoseconds between looks at the rings while nothing else happens. Only while it plays: a paused box is not
  /// woken.
  private static let ringsInterval: UInt64 = 10_000_000_000

  /// Keeps the last minutes.
  let recorder: FlightRecorder
  private let ringsTimer: DeadlineTimer
  private let outputs: OutputController
  private var subscription: EventSubscription?

  init(_ recorder: FlightRecorder, _ outputs: OutputController, scheduler: any Scheduler, feed: EventFeed) {
    self.recorder = recorder
    self.outputs = outputs
    ringsTimer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .adjusted: recordRings()
      case .storage(let path, let isThere): recorder.noteStorage(path, isThere: isThere)
      default: break
      }
    }
  }

  /// A recorder where the settings want it; in the process's own memory where that cannot be had.
  static func makeRecorder(_ settings: Settings, _ machine: any Machine, _ log: Log) -> FlightRecorder {
    if let path = settings.reportPath, let store = machine.flights {
      do throws(SystemError) {
        let memory = try store.open(path, size: FlightRecorder.usualSize)
        // Short names go on to mean the same after a crash.
        let salt = store.last(path).flatMap { FlightHeader($0) }?.salt ?? machine.randomSeed
        return FlightRecorder(memory, machine.scheduler, salt: salt)
      } catch {
        log.write(
          .info,
          "Reports will not cover crashes: \(error.description); set report.path to a file in memory."
        )
      }
    }
    return FlightRecorder(HeapFlightMemory(), machine.scheduler, salt: machine.randomSeed)
  }

  /// Begins to record what a new playback does.
  func record(_ playback: Playback) {
    let rate = playback.player.machine.settings.rate
    recorder.noteOutput(
      rate: rate, isDeep: !playback.audio.link.isShallow, isThere: playback.missing == nil)
    playback.player.flight = recorder
  }

  /// Whether the rings are looked at again without anything happening.
  var isLooking: Bool { ringsTimer.isRunning }

  /// Looks at the rings no more.
  func stopLooking() { ringsTimer.stop() }

  private func recordRings() {
    guard outputs.player.machine.state.isActive else { return ringsTimer.stop() }
    guard !ringsTimer.isRunning else { return }
    ringsTimer.start(after: Self.ringsInterval) { [unowned(unsafe) self] in
      outputs.player.recordRingsIfOld()
      recordRings()
    }
  }
}

extension FlightRecorder {
  /// Records a command without anything private in it.
  func note(_ command: Command, from source: CommandSource) {
    noteCommand(command.anonymousLine { name($0).text }, from: source)
  }
}
