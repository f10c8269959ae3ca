// Parental limits as pure functions: daily time, quiet hours and tags. Test threads.

import PlaybackModel
import Testing

@Suite struct LimitTests {
  private func time(_ day: Int, _ minute: Int, _ second: Int = 0) -> LocalTime {
    LocalTime(seconds: Int64(day * 86_400 + minute * 60 + second))
  }

  @Test func hoursMayCrossMidnight() throws {
    let night = try #require(DailyHours(from: 22 * 60, to: 7 * 60))
    #expect(night.contains(22 * 60) && night.contains(0) && night.contains(419))
    #expect(!night.contains(420) && !night.contains(1319))
    #expect(night.minutesToBorder(from: 1320) == 540 && night.minutesToBorder(from: 419) == 1)
    #expect(DailyHours(from: nil, to: 1) == nil && DailyHours(from: 5, to: 5) == nil)
  }

  @Test func aDayHasSoMuchTime() {
    let limits = PlayLimits(daily: 60, quiet: nil)
    var heard = HeardTime(day: 100)
    heard.add(seconds: 3599, at: time(100, 600))
    #expect(limits.limit(at: time(100, 600), after: heard) == nil)
    #expect(limits.secondsLeft(at: time(100, 600), after: heard) == 1)
    #expect(limits.secondsToChange(at: time(100, 600), after: heard, isHeard: true) == 1)
    heard.add(seconds: 1, at: time(100, 600))
    #expect(limits.limit(at: time(100, 600), after: heard) == .daily)
    // The next check is at midnight at the latest.
    #expect(limits.secondsToChange(at: time(100, 1439, 30), after: heard, isHeard: false) == 30)
    #expect(limits.limit(at: time(101, 0), after: heard) == nil)
  }

  /// A clock that is reset to 1970 starts no new day, and a clock that was ahead keeps the used time.
  @Test func noClockGivesTimeBack() {
    let limits = PlayLimits(daily: 1, quiet: nil)
    var heard = HeardTime(day: 100, seconds: 60)
    #expect(limits.limit(at: time(0, 5), after: heard) == .daily)
    heard.add(seconds: 10, at: time(0, 5))
    #expect(heard == HeardTime(day: 100, seconds: 70))
    heard.clockWasSet(to: time(100, 700))
    #expect(heard.seconds == 70)
    var ahead = HeardTime(day: 30_000, seconds: 60)
    ahead.clockWasSet(to: time(100, 0))
    #expect(ahead == HeardTime(day: 100, seconds: 60))
    ahead.follow(time(101, 0))
    #expect(ahead == HeardTime(day: 101))
  }

  @Test func aTagThatComesAgain() {
    for state in PlayerState.Kind.allCases {
      for (again, expected) in [
        (TagAgain.toggle, TagAction.toggle), (.next, .next), (.restart, .begin(fromStart: true)),
        (.nothing, .nothing),
      ] {
        let rules = TagRules(again: again, removed: .nothing)
        #expect(
          rules.action(placing: false, wasLifted: false, in: state) == .begin(fromStart: false), "another tag"
        )
        let isOver = [.idle, .finished, .failed].contains(state)
        let action = rules.action(placing: true, wasLifted: true, in: state)
        #expect(action == (isOver ? .begin(fromStart: false) : expected), "\(state)")
      }
      let rules = TagRules(again: .next, removed: .pause)
      let back = rules.action(placing: true, wasLifted: true, in: state)
      #expect(back == .playOn || back == .begin(fromStart: false), "\(state)")
    }
    #expect(TagRules(again: .next, removed: .pause).action(lifting: true) == .pause)
    #expect(TagRules(again: .next, removed: .pause).action(lifting: false) == .nothing)
    #expect(TagRules(again: .next, removed: .stop).action(lifting: true) == .stop)
  }
}
