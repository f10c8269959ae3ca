// A daemon with its own time zone, from the machine's tz database. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct BoxZoneTests {
  private static let hasDatabase = FileManager.default.fileExists(
    atPath: "/usr/share/zoneinfo/Pacific/Kiritimati")

  /// Minutes since the start of the week by the box's clock.
  private func minute(_ box: BoxRig) throws -> Int {
    let answer = try box.tell("alarm 03:00 daily play nothing") + box.tell("alarm")
    let text = answer.joined(separator: " ")
    let match = try #require(
      text.firstMatch(of: /the time is (mon|tue|wed|thu|fri|sat|sun) (\d\d):(\d\d)/), "\(text)")
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    let (day, hour, minute) = (days.firstIndex(of: String(match.1)), Int(match.2), Int(match.3))
    return try #require(day) * 1440 + (try #require(hour)) * 60 + (try #require(minute))
  }

  @Test(.enabled(if: hasDatabase, "needs a tz database")) func theClockFollowsTheZone() throws {
    let box = try BoxRig(["set clock.timezone Etc/GMT+12"])
    let west = try minute(box)
    try box.tell("set clock.timezone Pacific/Kiritimati")
    let east = try minute(box)
    // 26 hours plus the elapsed time.
    let ahead = ((east - west) % 10_080 + 10_080) % 10_080
    #expect((26 * 60...26 * 60 + 2).contains(ahead), "\(ahead) minutes")
    #expect(throws: BoxRig.Refused.self) { try box.tell("set clock.timezone Pacific/Kiritmati") }
    let refusal = box.logs("Local time is that of Pacific/Kiritimati")
    #expect(refusal)
  }
}
