// The list of alarms, and its text file. Pure values; control thread.

import PlaybackModel

/// The alarms of a box: at most 16, in the order of creation.
package struct Alarms: KeptContents {
  package static var noun: String { "alarm" }
  /// The most alarms.
  package static let maxCount = 16
  /// The most bytes of a name.
  package static let maxNameLength = 1000
  /// The most bytes of a file: the limits above with every byte of the names escaped to three.
  package static let maxFileBytes = 16 * (3 * 1000 + 64) + 256
  /// The largest number of minutes from 1970 in either direction, about two thousand years; it fits a 32-bit
  /// `Int`.
  private static let farthest = 1 << 30
  private static let head =
    "# Swiftlet's alarms: the minute of local time since 1970 up to which nothing is left to ring, on or off, minute of the day, days, what it plays."

  /// The alarms.
  package private(set) var entries: [Alarm] = []

  /// Creates an empty list.
  package init() {}

  /// Adds an alarm. An existing equal alarm is enabled and keeps its place.
  ///
  /// - Returns: False if the list is full or the name is invalid.
  package mutating func add(_ alarm: Alarm) -> Bool {
    guard !alarm.name.utf8.isEmpty, alarm.name.utf8.count <= Self.maxNameLength else { return false }
    if let known = entries.firstIndex(where: { $0.isSame(as: alarm) }) {
      if !entries[known].isOn { entries[known] = alarm }
      return true
    }
    guard entries.count < Self.maxCount else { return false }
    entries.append(alarm)
    return true
  }

  /// Removes an alarm.
  package mutating func remove(_ alarm: Alarm) { entries.removeAll { $0.isSame(as: alarm) } }

  /// Removes all alarms.
  package mutating func clear() { entries = [] }

  /// Enables or disables an alarm. An alarm that is enabled rings from its next time on.
  package mutating func turn(_ alarm: Alarm, on isOn: Bool, at now: LocalTime) {
    guard let index = entries.firstIndex(where: { $0.isSame(as: alarm) }) else { return }
    if isOn, !entries[index].isOn { entries[index].settle(at: now) }
    entries[index].isOn = isOn
  }

  /// Records that all due times of an alarm have been handled, and removes an alarm that rings once.
  package mutating func settle(_ alarm: Alarm, at now: LocalTime) {
    guard let index = entries.firstIndex(where: { $0.isSame(as: alarm) }) else { return }
    entries[index].settle(at: now)
    if alarm.days == .once { entries.remove(at: index) }
  }

  /// Adjusts all alarms after the clock was set.
  package mutating func clockWasSet(to now: LocalTime) {
    for index in entries.indices { entries[index].clockWasSet(to: now) }
  }

  /// The alarms that are due, the latest time first.
  ///
  /// - Parameters:
  ///   - now: The local time.
  ///   - skipped: Minutes before `now` that a change to summer time has skipped.
  package func due(at now: LocalTime, skipped: Int = 0) -> [Alarm] {
    func age(_ alarm: Alarm) -> Int { (now.minuteOfDay - alarm.minuteOfDay + 1440) % 1440 }
    return entries.filter { $0.isDue(at: now, skipped: skipped) }.sorted { age($0) < age($1) }
  }

  /// The next time an alarm rings, and that alarm; nil if there is none.
  ///
  /// - Parameters:
  ///   - now: The local time.
  ///   - present: The alarm that is ringing now; if it rings once, it is not counted.
  package func next(after now: LocalTime, present: Alarm? = nil) -> (time: LocalTime, alarm: Alarm)? {
    var found: (time: LocalTime, alarm: Alarm)?
    for alarm in entries {
      if alarm.days == .once, let present, present.isSame(as: alarm) { continue }
      guard let time = alarm.next(after: now) else { continue }
      if found == nil || time < found!.time { found = (time, alarm) }
    }
    return found
  }

  /// The file's contents, one line per alarm.
  package var text: [UInt8] {
    var bytes = Array((Self.head + "\n").utf8)
    for alarm in entries {
      let words = [
        String(alarm.settled), alarm.isOn ? "on" : "off", String(alarm.minuteOfDay), alarm.days.text,
      ]
      for word in words { bytes += Array((word + " ").utf8) }
      EscapedText.write(alarm.name, to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool { Self.alarm(line).map { add($0) } ?? false }

  private static func alarm(_ line: ArraySlice<UInt8>) -> Alarm? {
    let parts = line.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5 else { return nil }
    let words = parts[..<4].map { String(decoding: $0, as: UTF8.self) }
    guard let settled = Int(words[0]), abs(settled) < Self.farthest, words[1] == "on" || words[1] == "off",
      let minute = Int(words[2]), minute >= 0, minute < 1440, let days = AlarmDays(words[3]),
      let name = EscapedText.read(parts[4], longest: maxNameLength)
    else { return nil }
    var alarm = Alarm(minuteOfDay: minute, days: days, name: name, settled: settled)
    alarm.isOn = words[1] == "on"
    return alarm
  }
}
