// The alarms as a list and as a file. Test threads.

import Checkpoints
import PlaybackModel
import Testing

@Suite struct AlarmFileTests {
  private let noon = LocalTime(minute: 4 * 1440 + 720)

  private func alarm(_ minute: Int, _ days: AlarmDays = .daily, _ name: String = "a") -> Alarm {
    Alarm(minuteOfDay: minute, days: days, name: name, settled: noon.minute)
  }

  private func alarms(_ list: Alarm...) -> Alarms {
    var alarms = Alarms()
    for alarm in list { #expect(alarms.add(alarm) == true) }
    return alarms
  }

  @Test func whatIsWrittenIsRead() throws {
    var written = alarms(
      alarm(0, .once, "/a b/100 %\n#.m3u"), alarm(1439, .daily, "bücher \u{1F600}"),
      alarm(420, try #require(AlarmDays("tue,sun")), "http://radio/x?y=z"))
    written.turn(alarm(1439, .daily, "bücher \u{1F600}"), on: false, at: noon)
    let (read, bad) = Alarms.read(written.text)
    #expect(read == written && bad.isEmpty)
  }

  @Test(
    arguments: [
      "x on 420 daily a", "1 maybe 420 daily a", "1 on 1440 daily a", "1 on -1 daily a", "1 on 420 never a",
      "1 on 420 daily", "1 on 420 daily ", "1 on 420 daily %4", "1 on 420 daily %00", "1 on 420 daily %FF",
      "99999999999999999 on 420 daily a", "1  on 420 daily a", "\u{7F}",
    ])
  func aBadLineIsNamedAndTheOthersHold(_ line: String) {
    let (read, bad) = Alarms.read(Array(("# head\n" + line + "\n5 on 420 daily b\n").utf8))
    #expect(bad == [2] && read.entries.map { $0.name } == ["b"])
  }

  @Test func thereIsRoomForSixteenAndTheLongestFit() {
    var alarms = Alarms()
    for n in 0..<16 {
      let name = String(repeating: "\u{1}", count: Alarms.maxNameLength)
      #expect(alarms.add(Alarm(minuteOfDay: n, days: .daily, name: name, settled: (1 << 30) - 1)) == true)
    }
    #expect(alarms.add(alarm(100)) == false)
    #expect(alarms.text.count <= Alarms.maxFileBytes)
    #expect(Alarms.read(alarms.text).contents == alarms)
    var empty = Alarms()
    #expect(empty.add(alarm(1, .daily, "")) == false)
  }

  @Test func theSameAlarmIsSetOnce() {
    var alarms = alarms(alarm(420), alarm(480))
    #expect(alarms.add(alarm(420)) == true)
    #expect(alarms.entries.count == 2)
    alarms.turn(alarm(420), on: false, at: noon)
    #expect(alarms.add(alarm(420)) == true)
    #expect(alarms.entries[0].isOn)
  }

  @Test func whatRingsOnceIsGoneThen() {
    var alarms = alarms(alarm(721, .once), alarm(721, .daily, "b"))
    let now = LocalTime(minute: noon.minute + 1)
    #expect(alarms.due(at: now).count == 2)
    alarms.settle(alarm(721, .once), at: now)
    #expect(alarms.entries.map { $0.name } == ["b"] && alarms.due(at: now).count == 1)
    alarms.settle(alarm(721, .daily, "b"), at: now)
    #expect(alarms.due(at: now).isEmpty && alarms.entries.count == 1)
  }

  @Test func theLatestIsDueFirst() {
    let alarms = alarms(alarm(722, .daily, "early"), alarm(730, .daily, "late"))
    #expect(alarms.due(at: LocalTime(minute: noon.minute + 15)).map { $0.name } == ["late", "early"])
    #expect(alarms.next(after: noon)?.alarm.name == "early")
  }
}
