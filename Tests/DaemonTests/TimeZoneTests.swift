// The box's own time zone: alarms, night and limits follow it through summer time and changes of the setting.
// Test threads.

import Console
import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct TimeZoneSettingTests {
  private func isRinging(_ bench: Bench) -> Bool { bench.status("alarm")?.hasPrefix("rings") ?? false }

  /// A box in Berlin at a time in seconds since 1970.
  private func bench(at moment: Int64, _ lines: String = "") throws -> Bench {
    let bench = try Bench(Bench.storage("set clock.timezone Europe/Berlin\n" + lines))
    set(bench, moment)
    return bench
  }

  private func set(_ bench: Bench, _ moment: Int64) {
    bench.machine.utcOrigin += moment - bench.machine.utcSeconds
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 0.01)
  }

  /// Advances the clock to a time.
  private func run(_ bench: Bench, to moment: Int64) {
    bench.clock.run(seconds: Double(moment - bench.machine.utcSeconds) + 0.2)
  }

  /// 01:00 UTC on 2027-03-28 and on 2027-10-31.
  private static let (spring, autumn): (Int64, Int64) = (1_806_195_600, 1_824_944_400)

  @Test(arguments: [spring, autumn]) func anAlarmRingsByLocalTimeAfterAChange(change: Int64) throws {
    let bench = try bench(at: change - 4 * 3600)
    let answer = bench.ask("alarm 07:00 daily play long")
    #expect(answer.contains("rings sun 07:00"), "\(answer)")
    // 07:00 summer time and standard time.
    let ring = change + (change == Self.spring ? 4 : 5) * 3600
    run(bench, to: ring - 2)
    var rings = isRinging(bench)
    #expect(!rings)
    run(bench, to: ring + 1)
    rings = isRinging(bench)
    #expect(rings, "\(bench.ask("alarm"))")
  }

  /// 02:30 is skipped in spring: the alarm rings right after the change. In autumn it occurs twice, and the
  /// alarm rings once.
  @Test func anAlarmWithinTheHourOfAChangeRingsOnce() throws {
    let early = try bench(at: Self.spring - 3600)
    _ = early.ask("alarm 02:30 daily play long")
    run(early, to: Self.spring - 2)
    var rings = isRinging(early)
    #expect(!rings)
    run(early, to: Self.spring + 1)
    rings = isRinging(early)
    #expect(rings)

    let late = try bench(at: Self.autumn - 3600)
    _ = late.ask("alarm 02:30 daily play long")
    run(late, to: Self.autumn - 1800 + 1)
    rings = isRinging(late)
    #expect(rings)
    _ = late.ask("alarm stop")
    run(late, to: Self.autumn + 1800 + 2)
    rings = isRinging(late)
    #expect(!rings)
    #expect(late.status("next-alarm") == "mon 02:30")
  }

  /// Features that depend on the time of day; each is inactive at noon and active at 21:00.
  enum Subject: CaseIterable, Sendable { case alarm, night, quietHours, dailyLimit, event }

  /// Noon in London is 21:00 in Tokyo: each feature follows a change of the setting at once, in both
  /// directions.
  @Test(arguments: Subject.allCases) func everythingFollowsTheSettingAtOnce(subject: Subject) throws {
    let bench = try Bench(
      Bench.storage("set night.from 20:00\nset night.to 23:00\nset night.maximum 20\nset volume.start 60\n"))
    set(bench, 1_800_014_400)
    let watcher = bench.watcher("watch clock")
    switch subject {
    case .alarm: _ = bench.ask("alarm 21:05 daily play long")
    case .night: _ = bench.ask("volume 60")
    case .quietHours: _ = bench.ask("set limits.quiet-from 20:00\nset limits.quiet-to 23:00")
    case .dailyLimit:
      _ = bench.ask("set limits.daily 30")
      _ = bench.ask("play long")
      bench.clock.run(seconds: 600)
    case .event: break
    }
    func look() -> String {
      switch subject {
      case .alarm:
        bench.clock.run(seconds: 200)
        return isRinging(bench) ? "rings" : "quiet"
      case .night: return bench.status("volume") ?? ""
      case .quietHours: return bench.status("limit") ?? "none"
      // Tokyo's midnight starts a new day.
      case .dailyLimit:
        return (bench.status("minutes-left").flatMap { Int($0) } ?? 0) > 25 ? "new day" : "used"
      case .event: return watcher.takeText().contains("clock: ") ? "told" : "silent"
      }
    }
    let before = look()
    if subject == .dailyLimit { set(bench, 1_800_014_400 + 5 * 3600) }
    let answer = bench.ask("set clock.timezone Asia/Tokyo")
    #expect(
      answer.contains("ok set clock.timezone Asia/Tokyo") && !answer.contains("takes effect"), "\(answer)")
    let after = look()
    let expected: (String, String) =
      switch subject {
      case .alarm: ("quiet", "rings")
      case .night: ("60", "20")
      case .quietHours: ("none", "quiet")
      case .dailyLimit: ("used", "new day")
      case .event: ("silent", "told")
      }
    #expect(before == expected.0 && after == expected.1, "\(before) → \(after)")
    #expect(bench.ask("unset clock.timezone").contains("ok"))
    #expect(bench.machine.localTime.weekday == .monday, "the system's zone again")
  }

  @Test func aZoneThatTheMachineLacksIsRefused() throws {
    let bench = try Bench()
    let before = bench.machine.localTime.minute
    for (line, words) in [
      ("set clock.timezone Europe/Berln", "there is no such time zone"),
      ("set clock.timezone ../etc/passwd", "such as Europe/Berlin"),
      ("set clock.timezone :UTC", "'system' is possible, too"),
    ] {
      let answer = bench.ask(line)
      #expect(answer.contains("error") && answer.contains(words), "\(answer)")
    }
    #expect(bench.machine.localTime.minute == before && bench.status("configuration") == nil)
    #expect(bench.ask("show clock.timezone").contains("system"))
  }

  /// A zone in the file that is not installed stays in the file, and status reports it.
  @Test func aFileWithAZoneThatTheMachineLacksSaysSo() throws {
    let storage = Bench.storage("set clock.timezone Europe/Berln\n")
    let bench = try Bench(storage)
    #expect(
      bench.status("configuration") == "clock.timezone cannot be 'Europe/Berln': there is no such time zone")
    #expect(bench.machine.localTime.weekday == .monday, "the system's zone")
    #expect(bench.ask("save").contains("written"))
    #expect(
      storage.files["/etc/box.conf"].map { String(decoding: $0, as: UTF8.self) }?.contains("Berln") == true)
    #expect(bench.ask("set clock.timezone Asia/Tokyo").contains("ok"))
    #expect(bench.machine.localTime.weekday == .friday)
    #expect(bench.ask("unset all").contains("ok"))
    #expect(bench.machine.localTime.weekday == .monday)
  }

  @Test func aLateFileBringsItsZone() throws {
    let storage = Bench.storage("set clock.timezone Asia/Tokyo\n")
    storage.configurationHangs = true
    let bench = try Bench(storage)
    #expect(bench.machine.localTime.weekday == .monday)
    storage.configurationHangs = false
    bench.clock.run(seconds: 2)
    #expect(bench.machine.localTime.weekday == .friday)
  }
}
