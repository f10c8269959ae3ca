// Makes one alarm heard: what stays silent is replaced. Control thread.

import Console
import PlaybackModel
import Platform
import RealtimeAudio

/// Rings an alarm until somebody ends it, or for ten minutes.
final class AlarmRinger {
  /// Looks something up and plays it instead of the queue; answers what came of it.
  var play: (String, @escaping (Reply) -> Void) -> Void = { _, _ in }
  /// Called when it rings with something else.
  var onStage: () -> Void = {}
  /// Called when it has rung for as long as it does, and nobody has ended it.
  var onExhausted: () -> Void = {}

  /// Nanoseconds for which something that is to be played may stay silent.
  private static let silenceTimeout: UInt64 = 20_000_000_000
  /// Nanoseconds after which whoever is there is awake.
  private static let maxLength: UInt64 = 600_000_000_000
  /// Nanoseconds from one of the box's own sounds to the next.
  private static let repetition: UInt64 = 2_000_000_000

  /// What it rings with; nil: it does not ring.
  private(set) var ringing: AlarmRinging?
  /// Grows with each thing that is to be played: an answer to an earlier one is not waited for any more.
  private var attempt = 0
  private let silenceTimer: DeadlineTimer
  private let endTimer: DeadlineTimer
  private let repetitionTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let volume: AlarmVolume
  private let cues: CueController
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ volume: AlarmVolume, _ cues: CueController,
    scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.volume = volume
    self.cues = cues
    self.log = log
    silenceTimer = DeadlineTimer(scheduler)
    endTimer = DeadlineTimer(scheduler)
    repetitionTimer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition(let transition) = stamped.event { follow(transition.to) }
    }
  }

  /// Begins to ring with what a name stands for.
  func begin(_ name: String) {
    end()
    endTimer.start(after: Self.maxLength) { [unowned(unsafe) self] in onExhausted() }
    volume.begin()
    let (ringing, effects) = AlarmRinging.begin(name, fallback: configuration.settings.alarmFallback)
    self.ringing = ringing
    perform(effects)
  }

  /// Rings no more. The volume is the knob's again.
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
    case .idle, .finished, .failed: handle(.isSilent)
    // Nobody but a person pauses for good, and that ends the alarm.
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
      }
    }
  }

  private func start(_ name: String) {
    attempt += 1
    let attempt = attempt
    play(name) { [unowned(unsafe) self] reply in
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
