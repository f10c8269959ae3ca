// Plays one ringing alarm, and falls back to other sounds while its music stays silent. Control thread.

import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Rings an alarm until the user ends it, or for at most ten minutes.
final class AlarmRinger {
  /// Called when the alarm switches to a fallback sound.
  var onStage: () -> Void = {}
  /// Called when the alarm has rung for `maxLength` without being ended.
  var onExhausted: () -> Void = {}

  /// Nanoseconds that the alarm's music may stay silent before the fallback is tried.
  private static let silenceTimeout: UInt64 = 20_000_000_000
  /// Nanoseconds after which an unattended alarm ends.
  private static let maxLength: UInt64 = 600_000_000_000
  /// Nanoseconds between repetitions of the built-in alarm sound.
  private static let repetition: UInt64 = 2_000_000_000

  /// State of the ringing alarm; nil: none rings.
  private(set) var ringing: AlarmRinging?
  /// Number of the latest request to play; errors of earlier requests are ignored.
  private var attempt = 0
  private let silenceTimer: DeadlineTimer
  private let endTimer: DeadlineTimer
  private let repetitionTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: AlarmVolume
  private let cues: CueController
  private let commands: CommandEntry
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ volume: AlarmVolume,
    _ cues: CueController,
    _ commands: CommandEntry, scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.cues = cues
    self.commands = commands
    self.log = log
    silenceTimer = DeadlineTimer(scheduler)
    endTimer = DeadlineTimer(scheduler)
    repetitionTimer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition(let transition) = stamped.event { follow(transition.to) }
    }
  }

  /// Starts ringing.
  ///
  /// - Parameter name: Name of the music to play.
  func begin(_ name: String) {
    end()
    endTimer.start(after: Self.maxLength) { [unowned(unsafe) self] in onExhausted() }
    volume.begin()
    let (ringing, effects) = AlarmRinging.begin(name, fallback: configuration.settings.alarmFallback)
    self.ringing = ringing
    perform(effects)
  }

  /// Stops ringing and restores the user's volume.
  func end() {
    guard ringing != nil else { return }
    ringing = nil
    for timer in [silenceTimer, endTimer, repetitionTimer] { timer.stop() }
    volume.end()
  }

  private func handle(_ event: AlarmRinging.Event) {
    guard var ringing else { return }
    let stage = ringing.stage
    let effects = ringing.handle(event)
    self.ringing = ringing
    perform(effects)
    if ringing.stage != stage { onStage() }
  }

  private func follow(_ state: PlayerState) {
    if state.pauseReason == .outputLost { return handle(.isHeldUp) }
    switch state.kind {
    case .playing, .preparingCrossfade, .crossfading: handle(.sounds)
    case .preparing, .buffering, .seeking: handle(.waits)
    // The player's retry may still succeed within the timeout.
    case .failed: handle(outputs.player.retryDue == nil ? .isSilent : .waits)
    case .idle, .finished: handle(.isSilent)
    // Only the user pauses in these states, and that ends the alarm through `AlarmController.hear`.
    case .ready, .paused, .crossfadePaused, .fadingOut: break
    }
  }

  private func perform(_ effects: [AlarmRinging.Effect]) {
    for effect in effects {
      switch effect {
      case .play(let name): start(name)
      case .waitForSound:
        silenceTimer.start(after: Self.silenceTimeout) { [unowned(unsafe) self] in handle(.tookTooLong) }
      case .waitNoMore: silenceTimer.stop()
      case .ringBuiltIn:
        log.write(
          .error, "The alarm found nothing to play; it rings with the box's own sound.", isPublic: true)
        ringBuiltIn()
      case .silenceBuiltIn: repetitionTimer.stop()
      }
    }
  }

  private func start(_ name: String) {
    attempt += 1
    let attempt = attempt
    commands.play(name) { [unowned(unsafe) self] reply in
      guard case .error(let error) = reply else { return }
      log.write(.error, "The alarm: \(error.sentence)")
      if attempt == self.attempt { handle(.isSilent) }
    }
  }

  private func ringBuiltIn() {
    cues.playAlarm()
    repetitionTimer.start(after: Self.repetition) { [unowned(unsafe) self] in ringBuiltIn() }
  }
}
