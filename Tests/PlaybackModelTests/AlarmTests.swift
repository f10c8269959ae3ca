// When alarms are due, across clock changes, and what they play. Test threads.

import PlaybackModel
import Testing

@Suite struct AlarmTests {
  /// A Monday, 1970-01-05.
  private static let monday = 4 * 1440

  private func time(_ day: Int, _ hour: Int, _ minute: Int) -> LocalTime {
    LocalTime(minute: Self.monday + day * 1440 + hour * 60 + minute)
  }

  private func alarm(_ days: String, settled: LocalTime) throws -> Alarm {
    Alarm(minuteOfDay: 420, days: try #require(AlarmDays(days)), name: "a", settled: settled.minute)
  }

  @Test func theWeekBeginsOnMonday() {
    #expect(LocalTime(seconds: 0).text == "thu 00:00")
    #expect(LocalTime(seconds: -1).text == "wed 23:59")
    #expect(time(0, 7, 5).text == "mon 07:05" && time(6, 23, 59).text == "sun 23:59")
    #expect(time(7, 0, 0).weekday == .monday)
  }

  @Test(arguments: ["once", "daily", "weekdays", "weekend", "mon", "tue,thu", "mon,tue,wed,thu,fri,sun"])
  func daysAreWrittenAsTheyAreRead(_ text: String) throws {
    #expect(try #require(AlarmDays(text)).text == text)
  }

  @Test(arguments: ["", "monday", "mon,", ",mon", "mon tue", "never", "Daily"])
  func whatNamesNoDaysIsRefused(_ text: String) { #expect(AlarmDays(text) == nil) }

  @Test func allDaysTogetherAreDaily() {
    #expect(AlarmDays("sun,sat,fri,thu,wed,tue,mon") == .daily)
    #expect(AlarmDays("mon,mon") == AlarmDays("mon"))
  }

  @Test(
    arguments: [
      ("daily", [0, 1, 2, 3, 4, 5, 6]), ("weekdays", [0, 1, 2, 3, 4]), ("weekend", [5, 6]), ("wed", [2]),
    ])
  func itRingsOnItsDays(_ days: String, _ expected: [Int]) throws {
    var alarm = try alarm(days, settled: time(0, 6, 0))
    var rang: [Int] = []
    for minute in time(0, 6, 0).minute...time(6, 23, 59).minute {
      let now = LocalTime(minute: minute)
      guard alarm.isDue(at: now) else { continue }
      #expect(now.minuteOfDay == 420)
      rang.append((minute - Self.monday) / 1440)
      alarm.settle(at: now)
    }
    #expect(rang == expected)
  }

  @Test func theNextTimeIsTheOneItRingsAt() throws {
    let alarm = try alarm("fri", settled: time(0, 6, 0))
    #expect(alarm.next(after: time(0, 6, 0))?.text == "fri 07:00")
    #expect(alarm.next(after: time(4, 6, 59)) == time(4, 7, 0))
    #expect(alarm.next(after: time(4, 7, 0)) == time(11, 7, 0))
    var off = alarm
    off.isOn = false
    #expect(off.next(after: time(0, 6, 0)) == nil && !off.isDue(at: time(4, 7, 0)))
  }

  @Test func whatWasMissedRingsForHalfAnHour() throws {
    let alarm = try alarm("daily", settled: time(0, 6, 0))
    #expect(!alarm.isDue(at: time(0, 6, 59)))
    #expect(alarm.isDue(at: time(0, 7, 30)))
    #expect(!alarm.isDue(at: time(0, 7, 31)))
  }

  /// Midnight is between the alarm's time and now.
  @Test func whatWasMissedBeforeMidnightRingsAfterIt() throws {
    let alarm = Alarm(
      minuteOfDay: 1435, days: try #require(AlarmDays("mon")), name: "a", settled: time(0, 12, 0).minute)
    #expect(alarm.isDue(at: time(1, 0, 10)))
    #expect(!alarm.isDue(at: time(2, 0, 10)))
  }

  @Test func setAfterItsTimeItRingsTomorrow() throws {
    let alarm = try alarm("daily", settled: time(0, 7, 10))
    #expect(!alarm.isDue(at: time(0, 7, 10)) && alarm.next(after: time(0, 7, 10)) == time(1, 7, 0))
  }

  /// In an hour that occurs twice the alarm rings once; in a skipped hour it rings right after it.
  @Test func summerTimeNeitherDoublesNorDropsIt() throws {
    var alarm = try alarm("daily", settled: time(0, 6, 0))
    alarm.settle(at: time(0, 7, 0))
    #expect(!alarm.isDue(at: time(0, 6, 1)) && !alarm.isDue(at: time(0, 7, 0)))
    #expect(alarm.next(after: time(0, 6, 1)) == time(1, 7, 0))
    #expect(alarm.isDue(at: time(1, 7, 15)), "from 6:15 to 7:15 in no time")
  }

  /// An alarm in any minute of the skipped hour is due once, right after it.
  @Test(arguments: 0..<60) func anAlarmWithinTheSkippedHourIsDueAfterIt(minute: Int) throws {
    var alarm = Alarm(minuteOfDay: 120 + minute, days: .daily, name: "a", settled: time(0, 1, 59).minute)
    var clock = SkippedTime()
    #expect(clock.minutes(local: time(0, 1, 59), monotonic: 1_000_000_000_000) == 0)
    let skipped = clock.minutes(local: time(0, 3, 0), monotonic: 1_060_000_000_000)
    #expect(skipped == 60)
    #expect(alarm.isDue(at: time(0, 3, 0), skipped: skipped))
    alarm.settle(at: time(0, 3, 0))
    #expect(!alarm.isDue(at: time(0, 3, 0), skipped: skipped))
    #expect(alarm.next(after: time(0, 3, 0)) == time(1, 2, minute))
  }

  /// Only jumps that match a change of the UTC offset count as skipped time: not a clock correction, a
  /// suspended machine, or the end of summer time.
  @Test(arguments: [
    (0, 0), (30, 30), (60, 60), (120, 120), (-60, 0), (1, 0), (29, 0), (45, 0), (90, 0), (600, 0),
  ])
  func onlySummerTimeSkips(minutes: Int, skipped: Int) throws {
    var clock = SkippedTime()
    _ = clock.minutes(local: time(0, 12, 0), monotonic: 50_000_000_000)
    let later = LocalTime(seconds: time(0, 12, 0).seconds + 900 + Int64(minutes) * 60)
    #expect(clock.minutes(local: later, monotonic: 950_000_000_000) == skipped)
    clock.forget()
    #expect(clock.minutes(local: time(2, 0, 0), monotonic: 951_000_000_000) == 0)
  }

  /// The clock of a board without a battery may have been years ahead.
  @Test func aClockThatWasAheadSilencesNothing() throws {
    let alarm = try alarm("daily", settled: time(3000, 0, 0))
    #expect(alarm.next(after: time(0, 6, 0)) == time(0, 7, 0))
    #expect(alarm.isDue(at: time(1, 7, 0)))
  }

  @Test func aClockThatIsSetBackUndoesWhatItRangByMistake() throws {
    var alarm = try alarm("daily", settled: time(0, 12, 0))
    #expect(alarm.next(after: time(0, 6, 50)) == time(1, 7, 0))
    alarm.clockWasSet(to: time(0, 6, 50))
    #expect(alarm.next(after: time(0, 6, 50)) == time(0, 7, 0))
    alarm.settle(at: time(0, 7, 0))
    alarm.clockWasSet(to: time(0, 6, 59))
    #expect(!alarm.isDue(at: time(0, 7, 0)), "a correction by seconds")
  }

  // MARK: What an alarm plays

  private func begun(fallback: String?) -> AlarmRinging {
    let (ringing, effects) = AlarmRinging.begin("wanted", fallback: fallback)
    #expect(effects == [.play("wanted"), .waitForSound])
    return ringing
  }

  @Test(arguments: [AlarmRinging.Event.isSilent, .tookTooLong])
  func silenceLeadsToTheFallbackAndThenToTheBuiltInSound(_ event: AlarmRinging.Event) {
    var ringing = begun(fallback: "spare")
    #expect(ringing.handle(event) == [.play("spare"), .waitForSound])
    #expect(ringing.stage == .fallback)
    #expect(ringing.handle(event) == [.waitNoMore, .ringBuiltIn])
    #expect(ringing.stage == .builtIn)
    for later in AlarmRinging.Event.allCases where later != .sounds { #expect(ringing.handle(later) == []) }
  }

  /// A station that comes while the built-in sound rings takes its place, and the other way round.
  @Test(arguments: [nil, "spare"]) func musicTakesThePlaceOfTheBuiltInSound(fallback: String?) {
    var ringing = begun(fallback: fallback)
    if fallback != nil { _ = ringing.handle(.isSilent) }
    #expect(ringing.handle(.isSilent) == [.waitNoMore, .ringBuiltIn])
    #expect(ringing.handle(.waits) == [])
    #expect(ringing.handle(.sounds) == [.silenceBuiltIn])
    #expect(ringing.stage == (fallback == nil ? .wanted : .fallback))
    #expect(ringing.handle(.waits) == [.waitForSound])
    #expect(ringing.handle(.tookTooLong) == [.waitNoMore, .ringBuiltIn])
    #expect(ringing.handle(.sounds) == [.silenceBuiltIn])
    #expect(ringing.handle(.isSilent) == [.waitNoMore, .ringBuiltIn])
  }

  @Test func withoutAFallbackTheBuiltInSoundRings() {
    var ringing = begun(fallback: nil)
    #expect(ringing.handle(.isSilent) == [.waitNoMore, .ringBuiltIn])
  }

  @Test func whileTheCardIsAwayNothingIsGivenUp() {
    var ringing = begun(fallback: nil)
    #expect(ringing.handle(.isHeldUp) == [.waitNoMore])
    #expect(ringing.handle(.isHeldUp) == [])
    #expect(ringing.handle(.tookTooLong) == [])
    #expect(ringing.handle(.waits) == [.waitForSound], "the card is back")
    #expect(ringing.handle(.isHeldUp) == [.waitNoMore])
    #expect(ringing.handle(.sounds) == [.waitNoMore])
    #expect(ringing.handle(.isHeldUp) == [.waitNoMore])
    #expect(ringing.handle(.isSilent) == [.waitNoMore, .ringBuiltIn])
  }

  @Test func whatSoundsIsNotReplacedUntilItFallsSilent() {
    var ringing = begun(fallback: "spare")
    #expect(ringing.handle(.waits) == [])
    #expect(ringing.handle(.sounds) == [.waitNoMore])
    #expect(ringing.handle(.sounds) == [])
    #expect(ringing.handle(.tookTooLong) == [])
    #expect(ringing.handle(.waits) == [.waitForSound], "a station that stalls")
    #expect(ringing.handle(.sounds) == [.waitNoMore])
    #expect(ringing.handle(.isSilent) == [.play("spare"), .waitForSound])
  }
}
