// Judges the alarms of a box: those that it has said yes to are there, also after a loss of power. One thread.

/// The alarms that were set.
struct AlarmWatch {
  /// The times of those that have to be there.
  var certain: [Substring] = []
  /// When one of them was set.
  var changedAt: UInt64 = 0
  /// When one last rang.
  var rangAt: UInt64?
  /// Until when it may still ring, and keep live sources silent.
  var barsSourcesUntil: UInt64 { rangAt.map { $0 + 3_600_000_000_000 } ?? 0 }

  /// The time that a line sets an alarm to; nil for any other line.
  static func time(of line: Substring) -> Substring? {
    let words = line.split(separator: " ")
    guard words.count > 3, words[0] == "alarm", words[1].contains(":") else { return nil }
    return words[1]
  }
}

extension BoxOracle {
  /// How long what was set may be on its way to the storage, and how long the box may wait before it tries again.
  private static let delay: UInt64 = 2_500_000_000
  private static let retry: UInt64 = 75_000_000_000

  /// A line is typed: whether it is carried out, an answer will tell, if it comes.
  func alarmIsTyped(_ line: Substring) {
    if line.hasPrefix("alarm remove") { alarms.certain = [] }
  }

  /// A line was carried out in a state. `answer` is one line of JSON.
  func alarmIsAnswered(_ line: Substring, _ answer: Substring, _ claims: Claims) {
    // Both leave a box paused that rang with music.
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

  /// The power goes: what was set just before it, or not long after trouble with the storage, may be lost.
  func alarmsMayBeLost() {
    let isSettled = troubleEndedAt.map { now > $0 + Self.retry } ?? (troubleSince == nil)
    if !isSettled || now < max(alarms.changedAt, stalledUntil) + Self.delay { alarms.certain = [] }
  }

  /// An alarm rings: music may begin unasked, or the box's own sound, for as long as alarms ring.
  func alarmRings() {
    alarms.rangAt = now
    oracle.mayPlay(until: now + ExcuseWindow.alarmPlay.bound)
    oracle.intent.forgetSkip()
    oracle.intent.seek = nil
    oracle.choice = (nil, false)
    oracle.disturb()
  }

  /// It rings with the box's own sound, which nobody knows.
  func alarmRingsByItself() {
    oracle.tracker.learn { $0.circumstances.hasAlarm = true }
    // Again and again, for as long as an alarm rings. A sound that is heard already goes on to its end, and so does the room for it.
    oracle.mayBeStrange(for: ExcuseWindow.alarmSound.bound, isForgotten: false)
  }

  /// Whether the volume may have been an alarm's at a time, which is not remembered.
  func mayRing(at time: UInt64) -> Bool { alarms.rangAt.map { time < $0 + 700_000_000_000 } ?? false }
}
