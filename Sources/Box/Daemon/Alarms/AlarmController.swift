// The alarms: set, shown, rung at their time, snoozed, and kept over a power cut. Control thread; never waits.

import Checkpoints
import Console
import PlaybackModel
import Platform

/// Rings the alarms.
final class AlarmController {
  /// Something that keeps the box from sleeping ends: the alarm is louder than a sleep timer.
  var onRing: () -> Void = {}
  /// Pauses whatever plays.
  var pause: () -> Void = {}

  private enum Present {
    case quiet
    case ringing(Alarm)
    case snoozed(Alarm)
  }

  private var present = Present.quiet
  /// Whether the file was read, or could not be: an alarm that is due must not wait for more.
  private var isReady = false
  private var skippedTime = SkippedTime()
  private let file: PersistentFile<Alarms>
  private let ringer: AlarmRinger
  private let nextTimer: DeadlineTimer
  private let snoozeTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ ringer: AlarmRinger, on machine: any Machine,
    worker: any BackgroundWorker, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.ringer = ringer
    self.machine = machine
    file = PersistentFile(on: machine, worker: worker)
    self.feed = feed
    self.log = log
    nextTimer = DeadlineTimer(machine.scheduler)
    snoozeTimer = DeadlineTimer(machine.scheduler)
    ringer.onStage = { [unowned(unsafe) self] in feed.post(.alarm(facts)) }
    ringer.onExhausted = { [unowned(unsafe) self] in
      log.write(.warning, "The alarm has rung for ten minutes, and nobody has ended it.", isPublic: true)
      settle()
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .clockSet = stamped.event { clockWasSet() }
    }
  }

  /// Reads the file beside the checkpoint, if there is one, and begins to ring. Until the configuration says where that is, what is
  /// set rings by itself; this is called again then.
  func open() {
    guard configuration.isRead, let path = configuration.started.checkpointPath else { return begin() }
    file.onNote = { [unowned(unsafe) self] in log.write(.error, $0) }
    file.onRead = { [unowned(unsafe) self] in if isReady { begin() } }
    file.open(path + ".alarms") { [unowned(unsafe) self] in begin() }
  }

  /// With what the file holds, as far as it could be read.
  private func begin() {
    isReady = true
    if !alarms.entries.isEmpty { didChange() }
    look()
  }

  /// Nothing rings any more. Calls `then` when the alarms are written, or could not be.
  func finish(_ then: @escaping () -> Void) {
    nextTimer.stop()
    snoozeTimer.stop()
    ringer.end()
    isReady = false
    file.finish(then)
  }

  /// Where alarms are stored.
  var stored: any StoredState { file }

  // MARK: Time

  private var now: LocalTime { machine.localTime }

  private func clockWasSet() {
    let now = now
    skippedTime.forget()
    change { $0.clockWasSet(to: now) }
    if isReady, !alarms.entries.isEmpty { didChange() }
    look()
  }

  /// Rings the alarm that is due. Looks again when the next one is due or local time may jump.
  private func look() {
    guard isReady else { return }
    let now = now
    let skipped = skippedTime.minutes(local: now, monotonic: machine.scheduler.now)
    let due = alarms.due(at: now, skipped: skipped)
    if let first = due.first(where: { !isPresent($0) }) { ring(first, with: due) }
    nextTimer.stop()
    guard let next = alarms.next(after: now, present: presentAlarm) else { return }
    let seconds = Self.secondsToLook(at: now, next: next.time)
    nextTimer.start(after: UInt64(seconds) * 1_000_000_000) { [unowned(unsafe) self] in look() }
  }

  /// Seconds until the next look. No event says that summer time begins, which can leave out the alarm's own time: in the last two hours
  /// before it, there is a look at every quarter of an hour, since every zone changes at one.
  private static func secondsToLook(at now: LocalTime, next: LocalTime) -> Int64 {
    let left = max(1, next.seconds - now.seconds)
    let watched: Int64 = 2 * 3600
    guard left <= watched else { return min(3600, left - watched) }
    return min(left, 900 - (now.seconds % 900 + 900) % 900)
  }

  private var presentAlarm: Alarm? {
    switch present {
    case .quiet: nil
    case .ringing(let alarm), .snoozed(let alarm): alarm
    }
  }

  private func isPresent(_ alarm: Alarm) -> Bool { presentAlarm?.isSame(as: alarm) ?? false }

  /// Rings an alarm. Of those that are due with it, none rings after it.
  private func ring(_ alarm: Alarm, with due: [Alarm]) {
    settlePresent()
    for other in due where !other.isSame(as: alarm) { settle(other) }
    sound(alarm)
  }

  private func sound(_ alarm: Alarm) {
    present = .ringing(alarm)
    log.write(.info, "The alarm of \(alarm.time) rings.", isPublic: true)
    onRing()
    ringer.begin(alarm.name)
    didChange()
  }

  /// Whatever rings or is snoozed is over.
  private func settlePresent() {
    guard let alarm = presentAlarm else { return }
    settle(alarm)
    snoozeTimer.stop()
    ringer.end()
    present = .quiet
  }

  private func settle(_ alarm: Alarm) {
    let now = now
    change { $0.settle(alarm, at: now) }
  }

  private func settle() {
    settlePresent()
    didChange()
    look()
  }

  private func didChange() {
    file.keep()
    feed.post(.alarm(facts))
  }

  /// The alarms, as far as they are known.
  private var alarms: Alarms { file.contents }

  private func change(_ change: @escaping (inout Alarms) -> Void) { file.change(change) }

  // MARK: What others see

  /// Whether an alarm rings now.
  var isRinging: Bool { if case .ringing = present { true } else { false } }

  /// Minutes until an alarm rings: 0 while one rings, is snoozed, or the alarms are not read yet. Nil: none is set.
  var minutesToAlarm: Int? {
    guard isReady, case .quiet = present else { return 0 }
    let now = now
    return alarms.next(after: now, present: nil).map { max(0, $0.time.minute - now.minute) }
  }

  /// What rings, and what will.
  var facts: AlarmFacts {
    var facts = AlarmFacts(next: alarms.next(after: now, present: presentAlarm)?.time.text)
    switch present {
    case .quiet: break
    case .ringing(let alarm):
      facts.state = .ringing(ringer.ringing?.stage ?? .wanted)
      facts.name = alarm.name
    case .snoozed(let alarm):
      facts.state = .snoozed(until: snoozeEnd)
      facts.name = alarm.name
    }
    return facts
  }

  private var snoozeEnd: String {
    let ticks = machine.scheduler.now
    let rest = snoozeTimer.deadline.map { $0 > ticks ? $0 - ticks : 0 } ?? 0
    return LocalTime(seconds: now.seconds + Int64(rest / 1_000_000_000)).text
  }

  /// A person's command, before it is carried out: most ways to get silence end the alarm. Answers where that was all.
  func hear(_ command: Command) -> Reply? {
    guard isEnded(by: command) else { return nil }
    var isSilenced = false
    if case .ringing = present {
      switch command {
      case .pause, .toggle, .stop: isSilenced = ringer.ringing?.stage == .builtIn
      default: break
      }
    }
    settle()
    guard isSilenced else { return nil }
    // The alarm's music is still waited for, or would be: the listener does not expect it to start later.
    pause()
    return .ok("the alarm is off")
  }

  /// Whether a command ends the alarm that rings or is snoozed. Nothing is performed.
  func isEnded(by command: Command) -> Bool {
    switch (present, command) {
    case (.ringing, .pause), (.ringing, .toggle), (.ringing, .stop), (.ringing, .play),
      (.ringing, .playOffered),
      (.ringing, .standby), (.ringing, .mute), (.ringing, .reset), (.ringing, .shutdown),
      (.snoozed, .play), (.snoozed, .playOffered), (.snoozed, .toggle), (.snoozed, .shutdown):
      true
    default: false
    }
  }

  // MARK: Commands

  /// Answers `alarm` and its relatives.
  func perform(_ command: AlarmCommand) -> Reply {
    switch command {
    case .list: return list()
    case .add(let minute, let days, let name): return add(minute, days, name)
    case .remove(let number): return change(number) { $0.remove($1) }
    case .clear:
      settlePresent()
      change { $0.clear() }
    case .turn(let number, let isOn):
      let now = now
      return change(number) { $0.turn($1, on: isOn, at: now) }
    case .stop:
      if case .quiet = present { return .failed("no alarm rings") }
      let wasRinging = isRinging
      settle()
      // Also what is only waited for, such as a station that is away.
      if wasRinging { pause() }
      return .ok("the alarm is off")
    }
    didChange()
    look()
    return .ok("no alarms")
  }

  private func add(_ minute: Int, _ days: AlarmDays, _ name: String) -> Reply {
    let alarm = Alarm(minuteOfDay: minute, days: days, name: name, settled: now.minute)
    var isAdded = false
    change { isAdded = $0.add(alarm) }
    guard isAdded else {
      return .failed("there are \(Alarms.maxCount) alarms already; 'alarm remove' makes room")
    }
    didChange()
    look()
    let next = alarm.next(after: now)?.text ?? alarm.time
    let limit = configuration.settings.alarmLimitNote(atMinute: minute).map { "; " + $0 } ?? ""
    return .ok("rings \(next)" + limit + configuration.lossNote)
  }

  private func change(_ number: Int, _ change: @escaping (inout Alarms, Alarm) -> Void) -> Reply {
    guard number <= alarms.entries.count else {
      return .failed("there is no alarm \(number); 'alarm' lists them")
    }
    let alarm = alarms.entries[number - 1]
    self.change { change(&$0, alarm) }
    let isKept = alarms.entries.contains { $0.isSame(as: alarm) && $0.isOn }
    if isPresent(alarm), !isKept { settlePresent() }
    didChange()
    look()
    return list()
  }

  /// Answers `snooze`.
  func snooze(_ minutes: Int?) -> Reply {
    guard case .ringing(let alarm) = present else { return .failed("no alarm rings") }
    ringer.end()
    present = .snoozed(alarm)
    pause()
    let minutes = minutes ?? configuration.settings.alarmSnooze
    snoozeTimer.start(after: UInt64(minutes) * 60_000_000_000) { [unowned(unsafe) self] in sound(alarm) }
    didChange()
    return .ok("rings again in \(minutes) min")
  }

  private func list() -> Reply {
    let now = now
    let rows = alarms.entries.enumerated().map { index, alarm in
      let next = alarm.next(after: now)?.text
      return Row(
        "\(index + 1) \(alarm.time) \(alarm.days.text) play \(CommandLineText.line(of: [alarm.name]))"
          + (next.map { ", rings \($0)" } ?? ", off"),
        [
          Field("number", index + 1), Field("time", alarm.time), Field("days", alarm.days.text),
          Field("path", alarm.name), Field("on", alarm.isOn), Field("next", next.map { .text($0) } ?? .none),
        ])
    }
    let state = facts.state.text
    return .ok(
      Answer(
        rows.isEmpty
          ? "no alarms; 'help alarm' explains how to set one" : "\(state), the time is \(now.text)",
        rows: rows))
  }
}
