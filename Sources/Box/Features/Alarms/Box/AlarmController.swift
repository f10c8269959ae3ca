// Alarm clock: stores alarms, rings them on time, snoozes them. They survive a power cut. Control thread; never blocks.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player

/// Schedules the alarms and carries out the `alarm` and `snooze` commands.
final class AlarmController {
  private enum Present {
    case quiet
    case ringing(Alarm)
    case snoozed(Alarm)
  }

  private var present = Present.quiet
  /// Whether the alarm file was read or reading it failed. Nothing rings before that.
  private var isReady = false
  private var skippedTime = SkippedTime()
  private let file: PersistentFile<Alarms>
  private let ringer: AlarmRinger
  private let nextTimer: DeadlineTimer
  private let snoozeTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let sleep: SleepController
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ sleep: SleepController,
    _ ringer: AlarmRinger, on machine: any Machine, worker: any BackgroundWorker, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.sleep = sleep
    self.ringer = ringer
    self.machine = machine
    file = PersistentFile(on: machine, worker: worker)
    self.feed = feed
    self.log = log
    nextTimer = DeadlineTimer(machine.scheduler)
    snoozeTimer = DeadlineTimer(machine.scheduler)
    ringer.onStage = { [unowned(unsafe) self] in feed.post(.alarm(facts)) }
    ringer.onExhausted = { [unowned(unsafe) self] in
      log.write(.warning, "The alarm rang for ten minutes without being stopped.", isPublic: true)
      settle()
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .clockSet = stamped.event { clockWasSet() }
    }
  }

  /// Loads the alarm file next to the checkpoint and starts scheduling. While the configuration is not loaded, alarms
  /// set by the user ring without a file; call this again once it is.
  func open() {
    guard configuration.isRead, let path = configuration.started.checkpointPath else { return begin() }
    file.onNote = { [unowned(unsafe) self] in log.write(.error, $0) }
    file.onRead = { [unowned(unsafe) self] in if isReady { begin() } }
    file.open(path + ".alarms") { [unowned(unsafe) self] in begin() }
  }

  /// Starts scheduling with the alarms that could be read.
  private func begin() {
    isReady = true
    if !alarms.entries.isEmpty { didChange() }
    look()
  }

  /// Stops ringing and scheduling, and writes the alarms.
  ///
  /// - Parameter then: Called when the alarms are written or writing failed.
  func finish(_ then: @escaping () -> Void) {
    nextTimer.stop()
    snoozeTimer.stop()
    ringer.end()
    isReady = false
    file.finish(then)
  }

  /// The alarm file, for tracking failed writes.
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

  /// Rings the alarm that is due, and schedules the next check.
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

  /// Seconds until the next check. No notification announces a daylight-saving change, which may skip the alarm's own
  /// time. In the last two hours before an alarm it therefore checks every quarter of an hour, since zones change their
  /// offset only at such times.
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

  /// Rings an alarm. Other alarms due at the same time are marked as done.
  private func ring(_ alarm: Alarm, with due: [Alarm]) {
    settlePresent()
    for other in due where !other.isSame(as: alarm) { settle(other) }
    sound(alarm)
  }

  private func sound(_ alarm: Alarm) {
    present = .ringing(alarm)
    log.write(.info, "The alarm of \(alarm.time) rings.", isPublic: true)
    if sleep.plan != nil { _ = sleep.perform(.off) }
    ringer.begin(alarm.name)
    didChange()
  }

  /// Ends the alarm that is ringing or snoozed.
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

  /// The alarms; empty until the file is read.
  private var alarms: Alarms { file.contents }

  private func change(_ change: @escaping (inout Alarms) -> Void) { file.change(change) }

  // MARK: Queries

  /// Whether an alarm is ringing now.
  var isRinging: Bool { if case .ringing = present { true } else { false } }

  /// Minutes until the next alarm; 0 while one rings or is snoozed, or before the alarms are read; nil if none is set.
  var minutesToAlarm: Int? {
    guard isReady, case .quiet = present else { return 0 }
    let now = now
    return alarms.next(after: now, present: nil).map { max(0, $0.time.minute - now.minute) }
  }

  /// The ringing or snoozed alarm and the time of the next one.
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

  /// Ends the alarm if this user command implies it. Call before performing the command.
  ///
  /// - Returns: The reply if ending the alarm was the command's whole effect; nil if the command must still be
  ///   performed.
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
    // The alarm's own music may still be loading; without the pause it would start after the user has silenced the
    // alarm.
    outputs.player.handle(.pause)
    return .ok("the alarm is off")
  }

  /// Whether a command would end the alarm that is ringing or snoozed. Changes nothing.
  func isEnded(by command: Command) -> Bool {
    switch (command.properties.endsAlarm, present) {
    case (.alsoSnoozed, .ringing), (.alsoSnoozed, .snoozed), (.ifRinging, .ringing): true
    default: false
    }
  }

  // MARK: Commands

  /// Carries out `alarm` and its subcommands.
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
      // Also cancels music that is still being waited for, such as an unreachable station.
      if wasRinging { outputs.player.handle(.pause) }
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

  /// Carries out `snooze`.
  ///
  /// - Parameter minutes: Length of the snooze; nil: the `alarm.snooze` setting.
  func snooze(_ minutes: Int?) -> Reply {
    guard case .ringing(let alarm) = present else { return .failed("no alarm rings") }
    ringer.end()
    present = .snoozed(alarm)
    outputs.player.handle(.pause)
    let minutes = minutes ?? configuration.settings.alarmSnooze
    snoozeTimer.start(after: UInt64(minutes) * 60_000_000_000) { [unowned(unsafe) self] in sound(alarm) }
    didChange()
    return .ok("rings again in \(minutes) min")
  }

  private func list() -> Reply {
    let now = now
    let rows = alarms.entries.enumerated().map { index, alarm in
      // An alarm that rings once is removed when it has been stopped.
      let isLast = alarm.days == .once && isPresent(alarm)
      let next = isLast ? nil : alarm.next(after: now)?.text
      return Row(
        "\(index + 1) \(alarm.time) \(alarm.days.text) play \(CommandLineText.line(of: [alarm.name]))"
          + (next.map { ", rings \($0)" } ?? (!isLast ? ", off" : isRinging ? ", rings now" : ", snoozed")),
        [
          Field("number", index + 1), Field("time", alarm.time), Field("days", alarm.days.text),
          Field("path", alarm.name), Field("on", alarm.isOn), Field("next", next.map { .text($0) } ?? .none),
        ])
    }
    let state = facts.state.text
    return .ok(
      Answer(
        (rows.isEmpty
          ? file.unread == nil ? "no alarms; 'help alarm' explains how to set one" : "no alarms are known"
          : "\(state), the time is \(now.text)") + (file.unread.map { "; " + $0 } ?? ""),
        rows: rows))
  }
}
