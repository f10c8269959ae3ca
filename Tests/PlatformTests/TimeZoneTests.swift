// Time zone rules: compared with Foundation's for the zones of this machine, and invalid files. Test threads.

import Foundation
import Platform
import PlaybackModel
import Testing

@Suite struct TimeZoneTests {
  private static let hasDatabase = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin")

  /// A file without transitions that ends with a rule.
  private static func file(_ rule: String, offset: Int32 = 0) -> [UInt8] {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    let type = withUnsafeBytes(of: offset.bigEndian) { Array($0) } + [0, 0]
    let part = header + counts + type + [0]
    return part + part + Array("\n\(rule)\n".utf8)
  }

  /// Each half year from 1950 to 2037, and each transition with the seconds around it.
  @Test(
    .enabled(if: hasDatabase, "needs a tz database"),
    arguments: [
      "Europe/Berlin", "Europe/Dublin", "Europe/London", "America/New_York", "America/St_Johns",
      "America/Sao_Paulo",
      "Asia/Kolkata", "Asia/Tokyo", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Auckland", "UTC",
    ])
  func offsetsAreThoseOfFoundation(name: String) throws {
    let rules = try #require(TimeZoneDatabase.rules(name))
    let zone = try #require(TimeZone(identifier: name))
    func check(_ moment: Int64) {
      let offset = rules.offset(at: moment)
      let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
      #expect(offset == Int64(expected), "\(name) at \(moment)")
    }
    var moment = Date(timeIntervalSince1970: 0)
    let end = Date(timeIntervalSince1970: 2_145_916_800)
    while let next = zone.nextDaylightSavingTimeTransition(after: moment), next < end {
      for second in [-1, 0, 1] as [Int64] { check(Int64(next.timeIntervalSince1970) + second) }
      moment = next
    }
    for half in 0..<136 { check(Int64(half) * 15_768_000) }
  }

  /// The rule at the end of a file applies after the last transition, also beyond 2037 and across the turn of
  /// the year.
  @Test(
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_806_195_599, 3600),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_806_195_600, 7200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_824_944_399, 7200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_824_944_400, 3600),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 4_086_867_600, 7200), ("JST-9", 0, 32_400), ("<+0530>-5:30", 0, 19_800),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_798_761_600, 39_600),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_814_400_000, 36_000),
      ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_798_761_600, 0), ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_814_400_000, 3600),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_814_400_000, -3600), ("EST5EDT,J60,J300", 1_804_000_000, -14_400),
      ("EST5EDT4,59/2,299", 1_803_000_000, -18_000),
    ] as [(String, Int64, Int64)])
  func rulesHoldForAllYears(rule: String, moment: Int64, offset: Int64) throws {
    let rules = try #require(TimeZoneRules(Self.file(rule)))
    #expect(rules.offset(at: moment) == offset)
  }

  @Test(arguments: [
    "CE-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "CET-25", "<CET-1", "CET-1CEST,J0,J3",
    "CET-1:60",
  ]) func wrongRulesAreRefused(rule: String) { #expect(TimeZoneRules(Self.file(rule)) == nil) }

  @Test func filesThatAreNoneAreRefused() {
    let file = Self.file("JST-9")
    #expect(TimeZoneRules(file) != nil)
    for count in 0..<file.count { #expect(TimeZoneRules(Array(file.prefix(count))) == nil, "\(count) bytes") }
    #expect(TimeZoneRules([UInt8](repeating: 0, count: TimeZoneRules.maxFile + 1)) == nil)
    var generator = ShuffleGenerator(seed: 1)
    let moments: [Int64] = [-5_000_000_000, 0, 1_800_000_000, 9_000_000_000]
    for _ in 0..<4000 {
      var spoiled = file
      for _ in 0..<Int.random(in: 1..<6, using: &generator) {
        spoiled[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      if let rules = TimeZoneRules(spoiled) { for moment in moments { _ = rules.offset(at: moment) } }
    }
  }

  @Test(arguments: ["Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Salta", "America/Port-au-Prince"])
  func namesAreThoseOfTheDatabase(name: String) { #expect(TimeZoneRules.isName(name)) }

  @Test(arguments: [
    "", "/etc/passwd", "../../etc/passwd", "Europe/../passwd", "Europe//Berlin", "Europe/", ":Europe/Berlin",
    "Europe/Ber lin",
    "Europe/Köln", "a.b", ".", String(repeating: "a", count: 65),
  ])
  func pathsAreNoNames(name: String) {
    #expect(!TimeZoneRules.isName(name))
    // No file is read for them.
    let rules = TimeZoneDatabase.rules(name) { path, _ in
      Issue.record("\(path) is read")
      return nil
    }
    #expect(rules == nil)
  }

  private static let list = """
    # A comment
    DE\t+5230+01322\tEurope/Berlin\tmost of Germany
    AR\t-2447-06525\tAmerica/Argentina/Salta\tSalta
    US\t+404251-0740023\tAmerica/New_York\tEastern

    """

  private static func read(_ path: String, _ limit: Int) -> [UInt8]? {
    switch path {
    case "/usr/share/zoneinfo/zone.tab": Array(list.utf8)
    case "/usr/share/zoneinfo/Europe/Berlin": file("CET-1CEST,M3.5.0,M10.5.0/3")
    default: nil
    }
  }

  @Test(arguments: [
    ("Europe/Berln", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"), ("Berlin", "Europe/Berlin"),
    ("new york", "America/New_York"), ("America/Salta", "America/Argentina/Salta"), ("utc", "UTC"),
  ])
  func aRefusalNamesTheNearestZone(name: String, meant: String) {
    #expect(
      TimeZoneDatabase.refusal(of: name, read: Self.read)
        == "cannot be '\(name)': there is no such time zone; did you mean '\(meant)'?")
  }

  @Test func aRefusalSaysWhatIsMissing() {
    #expect(TimeZoneDatabase.refusal(of: "Europe/Berlin", read: Self.read) == nil)
    #expect(
      TimeZoneDatabase.refusal(of: "Xyzzyq", read: Self.read)?.contains("such as Europe/Berlin") == true)
    #expect(
      TimeZoneDatabase.refusal(of: "Europe/Berlin") { _, _ in nil }?.contains("apt install tzdata") == true)
  }

  // MARK: Clock modules

  @Test(arguments: [
    ("1\n", "2026-11-29\n", true), ("0\n", "2026-11-29\n", false), ("1\n", "1970-01-01\n", false),
    ("1\n", "", false),
    ("", "2026-11-29\n", false), ("1\n", "2031-01-01\n", true),
  ])
  func aClockModuleIsTrustedThatHasSetTheTime(set: String, date: String, isTrusted: Bool) throws {
    let folder = NSTemporaryDirectory() + "rtc-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (number, values) in [("rtc0", ("0\n", "2026-11-29\n")), ("rtc1", (set, date))] {
      let place = folder + "/devices/" + number
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try Data(values.0.utf8).write(to: URL(filePath: place + "/hctosys"))
      try Data(values.1.utf8).write(to: URL(filePath: place + "/date"))
    }
    try FileManager.default.createDirectory(atPath: folder + "/class", withIntermediateDirectories: true)
    for number in ["rtc0", "rtc1"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/class/" + number, withDestinationPath: "../devices/" + number)
    }
    #expect(RealTimeClock.hasSetTheTime(notBefore: 2026, in: folder + "/class") == isTrusted)
    #expect(!RealTimeClock.hasSetTheTime(notBefore: 2026, in: folder + "/none"))
  }
}
