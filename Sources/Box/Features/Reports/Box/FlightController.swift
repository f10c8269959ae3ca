// Creates the flight recorder and records commands, storage and ring fill levels. Control thread; never blocks.

import Console
import Flight
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Feeds the flight recorder.
final class FlightController {
  /// Nanoseconds between records of the rings during playback. A paused box is not woken up.
  private static let ringsInterval: UInt64 = 10_000_000_000

  /// Ring buffer with the events of the last minutes.
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

  /// Creates a recorder in the configured file, or in ordinary memory if that is not possible.
  static func makeRecorder(_ settings: Settings, _ machine: any Machine, _ log: Log) -> FlightRecorder {
    if let path = settings.reportPath, let store = machine.flights {
      do throws(SystemError) {
        let memory = try store.open(path, size: FlightRecorder.usualSize)
        // Keep the salt, so that anonymized names are the same before and after a crash.
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

  /// Starts recording a new output and its player.
  func record(_ playback: Playback) {
    let rate = playback.player.machine.settings.rate
    recorder.noteOutput(
      rate: rate, isDeep: !playback.audio.link.isShallow, isThere: playback.missing == nil)
    playback.player.flight = recorder
  }

  /// Whether the timer for recording the rings is running.
  var isLooking: Bool { ringsTimer.isRunning }

  /// Stops recording the rings.
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
  /// Records a command without private names.
  func note(_ command: Command, from source: CommandSource) {
    noteCommand(command.anonymousLine { name($0).text }, from: source)
  }
}
