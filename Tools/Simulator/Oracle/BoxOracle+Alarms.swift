// Oracle for alarms: an alarm that the box confirmed must still be set, also after a power cut. One thread.

/// Alarms that were set.
struct AlarmWatch {
  /// Times of the alarms that must be set.
  var certain: [Substring] = []
  /// When an alarm was last set, in nanoseconds.
  var changedAt: UInt64 = 0
  /// When an alarm last rang, in nanoseconds.
  var rangAt: UInt64?
  /// Until when an alarm may still ring and keep live inputs silent.
  var barsSourcesUntil: UInt64 { rangAt.map { $0 + 3_600_000_000_000 } ?? 0 }

  /// The time that a line sets an alarm to; nil for any other line.
  static func time(of line: Substring) -> Substring? {
    let words = line.split(separator: " ")
    guard words.count > 3, words[0] == "alarm", words[1].contains(":") else { return nil }
    return words[1]
  }
}

extension BoxOracle {
  /// Nanoseconds until a set alarm is stored, and until the box retries after a failed write.
  private static let delay: UInt64 = 2_500_000_000
  private static let retry: UInt64 = 75_000_000_000

  /// Notes a typed line. It may be carried out even if the answer is lost.
  func alarmIsTyped(_ line: Substring) {
    if line.hasPrefix("alarm remove") { alarms.certain = [] }
  }

  /// Checks the answer to a line that was carried out. `answer` is one line of JSON.
  func alarmIsAnswered(_ line: Substring, _ answer: Substring, _ claims: Claims) {
    // Both leave the box paused if the alarm rang with music.
    if line == "alarm stop" || line.hasPrefix("snooze") { oracle.willPerform(.pause, claims) }
    alarmIsTyped(line)
    if let time = AlarmWatch.time(of: line) {
      alarms.certain.append(time)
      alarms.changedAt = now
    }
    guard line == "alarm", let openedAt, now > openedAt + Self.delay, troubleSince == nil else { return }
    for time in alarms.certain where !answer.contains("\"time\":\"\(time)\"") {
      oracle.fail(.memory, expected: "an alarm at \(time)", found: "\(answer.prefix(200))")
    }
  }

  /// Forgets alarms that a power cut may lose: those set just before it, or soon after storage trouble.
  func alarmsMayBeLost() {
    let isSettled = troubleEndedAt.map { now > $0 + Self.retry } ?? (troubleSince == nil)
    if !isSettled || now < max(alarms.changedAt, stalledUntil) + Self.delay { alarms.certain = [] }
  }

  /// Expects that a ringing alarm starts music or the built-in sound without a command, for as long as alarms ring.
  func alarmRings() {
    alarms.rangAt = now
    oracle.mayPlay(until: now + ExcuseWindow.alarmPlay.bound)
    oracle.intent.forgetSkip()
    oracle.intent.seek = nil
    oracle.choice = (nil, false)
    oracle.disturb()
  }

  /// Expects the built-in alarm sound, which the oracle cannot recognize.
  func alarmRingsByItself() {
    oracle.tracker.learn { $0.circumstances.hasAlarm = true }
    // The window is renewed as long as an alarm rings. If a cue is sounding, it and its ducking continue to their
    // end.
    oracle.mayBeStrange(for: ExcuseWindow.alarmSound.bound, isForgotten: false)
  }

  /// Whether the volume at a time may have been that of an alarm, which is not saved.
  func mayRing(at time: UInt64) -> Bool { alarms.rangAt.map { time < $0 + 700_000_000_000 } ?? false }
}
