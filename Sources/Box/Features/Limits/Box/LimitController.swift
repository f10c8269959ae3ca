// Parental limits: daily play time, quiet hours and tags-only choice. Control thread; never blocks.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Origin of a command, for limits that depend on it.
enum Asker {
  /// A button, or any origin without a separate case.
  case button
  case tag
  case session
  /// Commands of the configuration file at start.
  case configuration
}

/// Measures play time, and stops or refuses playback outside the limits.
final class LimitController: StatusSource {
  private let heard: PersistentFile<HeardTime>
  /// Scheduler time up to which play time was counted; nil: nothing counted is playing.
  private var counted: UInt64?
  /// Limit state of the last posted event.
  private var told = LimitFacts()
  private let timer: DeadlineTimer
  /// Runs while the limits are lifted.
  private let liftTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let cues: CueController
  private let alarms: AlarmController
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ cues: CueController,
    _ alarms: AlarmController, on machine: any Machine,
    worker: any BackgroundWorker, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.cues = cues
    self.alarms = alarms
    self.machine = machine
    self.feed = feed
    self.log = log
    heard = PersistentFile(on: machine, worker: worker)
    timer = DeadlineTimer(machine.scheduler)
    liftTimer = DeadlineTimer(machine.scheduler)
    heard.onNote = { [log] in log.write(.error, $0) }
    heard.onRead = { [unowned(unsafe) self] in look() }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .transition, .source: follow()
      case .setting(let setting, _): if setting.map({ $0.declaration.group == "limits" }) ?? true { open() }
      case .clockSet: clockWasSet()
      case .alarm: look()
      default: break
      }
    }
  }

  /// Loads today's play time from the file next to the checkpoint, if there is a daily limit and the configuration is
  /// loaded.
  func open() {
    look()
    guard configuration.isRead, limits.daily != nil, let path = configuration.started.checkpointPath else {
      return
    }
    heard.open(path + ".heard")
  }

  /// Stops enforcing limits and writes the play time.
  ///
  /// - Parameter then: Called when the file is written or writing failed.
  func finish(_ then: @escaping () -> Void) {
    count()
    subscription = nil
    timer.stop()
    liftTimer.stop()
    heard.finish(then)
  }

  private var state: PlayerState {
    outputs.openedPlayer?.machine.state ?? .idle(cause: nil, armed: .disarmed)
  }

  /// Whether something is playing that the limits forbid.
  private var isTooMuch: Bool {
    (state.isActive && state.kind != .fadingOut || hasLiveInput) && limit != nil
  }

  /// Whether a live source is playing; it counts as music.
  private var hasLiveInput: Bool { outputs.openedPlayer?.liveInputName != nil }

  private var limits: PlayLimits {
    PlayLimits(daily: configuration.settings.dailyLimit, quiet: configuration.settings.quietHours)
  }

  /// The limit that forbids playback now; nil: playback is allowed.
  var limit: PlayLimit? { limit(withoutAlarm: false) }

  private func limit(withoutAlarm: Bool) -> PlayLimit? {
    guard !liftTimer.isRunning, withoutAlarm || !alarms.isRinging else { return nil }
    return limits.limit(at: machine.localTime, after: heard.contents)
  }

  /// The current limit and the remaining minutes.
  var facts: LimitFacts {
    let seconds = limits.secondsLeft(at: machine.localTime, after: heard.contents)
    return LimitFacts(limit: limit, minutesLeft: seconds.map { ($0 + 59) / 60 })
  }

  // MARK: Play time

  /// Pauses playback that started although the limits forbid it, whatever started it.
  private func follow() {
    guard limits.areSet else { return }
    if isTooMuch { outputs.player.handle(.pause) }
    look(endsMusic: false)
  }

  private func clockWasSet() {
    count()
    let now = machine.localTime
    heard.change { $0.clockWasSet(to: now) }
    if limits.areSet { look() }
  }

  /// Adds the play time since the last call.
  private func count() {
    let now = machine.scheduler.now
    guard let since = counted else { return }
    let seconds = Int((now - since) / 1_000_000_000)
    guard seconds > 0 else { return }
    // Keep the fraction of a second for the next call.
    counted = since + UInt64(seconds) * 1_000_000_000
    let time = machine.localTime
    heard.change { $0.add(seconds: seconds, at: time) }
  }

  /// Whether the current playback counts as play time; an alarm's music does not.
  private var counts: Bool {
    guard limits.daily != nil, !alarms.isRinging else { return false }
    let state = state
    return hasLiveInput || state.isActive && state.kind != .preparing && state.kind != .buffering
  }

  /// Updates the play time, stops forbidden playback, posts changes, and schedules the next check.
  ///
  /// - Parameter endsMusic: Whether to fade out forbidden music.
  private func look(endsMusic: Bool = true) {
    count()
    let isHeard = counts
    if !isHeard { counted = nil } else if counted == nil { counted = machine.scheduler.now }
    if endsMusic, isTooMuch {
      log.write(.info, "The music ends: \(facts.text).", isPublic: true)
      outputs.player.handle(.sleepTimerFired)
    }
    tell()
    timer.stop()
    guard
      let seconds = limits.secondsToChange(
        at: machine.localTime, after: heard.contents, isHeard: isHeard)
    else { return }
    timer.start(after: UInt64(seconds) * 1_000_000_000) { [unowned(unsafe) self] in look() }
  }

  private func tell() {
    let facts = facts
    guard facts != told else { return }
    // Saved every minute, so that unplugging the box does not reset the play time.
    if facts.minutesLeft != told.minutesLeft { heard.keep() }
    told = facts
    feed.post(.limits(facts))
  }

  // MARK: Commands

  /// Checks a command against the limits, and plays the limit cue if a button or tag is refused.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - asker: Origin of the command.
  ///   - endsAlarm: Whether the command ends a ringing alarm, whose exemption then no longer applies.
  /// - Returns: The error; nil if the command is allowed.
  func refusal(of command: Command, from asker: Asker, endsAlarm: Bool) -> ConsoleError? {
    guard !liftTimer.isRunning, let sentence = sentence(command, asker, endsAlarm) else { return nil }
    if asker != .session { cues.play(.limit) }
    return ConsoleError(.failed, sentence)
  }

  private func sentence(_ command: Command, _ asker: Asker, _ endsAlarm: Bool) -> String? {
    if command.beginsToPlay(in: state) {
      switch limit(withoutAlarm: endsAlarm) {
      case .quiet:
        let end = configuration.settings.quietHours.map { " until " + LocalTime.clock($0.to) } ?? ""
        return "it is quiet\(end) (limits.quiet-from); 'limits lift' lets music play for a while"
      case .daily:
        let minutes = configuration.settings.dailyLimit ?? 0
        return "today's \(minutes) min are used up (limits.daily); 'limits lift' lets music play for a while"
      case nil: break
      }
    }
    guard configuration.settings.isTagsOnly,
      command.choosesMusic(hasQueue: outputs.openedPlayer?.queue.isEmpty == false)
    else { return nil }
    switch asker {
    case .tag, .configuration: return nil
    case .button, .session:
      return
        "only tags choose what is played (limits.tags-only); 'limits lift' lets others choose for a while"
    }
  }

  /// Carries out `limits` and its subcommands.
  func perform(_ command: LimitsCommand) -> Reply {
    switch command {
    case .show: break
    case .lift(let minutes):
      liftTimer.start(after: UInt64(minutes) * 60_000_000_000) { [unowned(unsafe) self] in
        log.write(.info, "The limits hold again.", isPublic: true)
        look()
      }
      look()
    case .holdAgain:
      liftTimer.stop()
      look()
    }
    count()
    return .ok(
      Answer(
        liftTimer.isRunning ? "lifted for \(liftedMinutes) min" : facts.text,
        fields: [
          Field("limit", facts.limit.map { .text($0.name) } ?? .none),
          Field("minutes-left", facts.minutesLeft.map { .integer($0) } ?? .none),
          Field("minutes-heard", heard.contents.minutes), Field("lifted", liftTimer.isRunning),
        ]))
  }

  private var liftedMinutes: Int {
    let now = machine.scheduler.now
    return liftTimer.deadline.map { $0 > now ? Int(($0 - now + 59_999_999_999) / 60_000_000_000) : 0 } ?? 0
  }

  /// Fields for `status`; empty without limits.
  var statusFields: [Field] {
    let facts = facts
    return (facts.limit.map { [Field("limit", $0.name)] } ?? [])
      + (facts.minutesLeft.map { [Field("minutes-left", $0)] } ?? [])
      + (liftTimer.isRunning ? [Field("limits-lifted-minutes", liftedMinutes)] : [])
  }
}

extension Command {
  /// Whether the command would start playback.
  fileprivate func beginsToPlay(in state: PlayerState) -> Bool {
    switch properties.starts {
    case .always: true
    case .ifSilent: !state.isActive
    case .never: false
    }
  }

  /// Whether the command chooses what to play.
  fileprivate func choosesMusic(hasQueue: Bool) -> Bool {
    switch properties.chooses {
    case .always: true
    case .ifQueueIsEmpty: !hasQueue
    case .none: false
    }
  }
}
