// Applying a card's configuration file to a box whose storage fails or loses power at any step. Test threads.

import Console
import Platform
import Testing

@testable import Daemon

/// Files in memory; each change is durable at once. A chosen step loses power or fails.
private final class CardFiles: CardStore, @unchecked Sendable {
  struct PowerCut: Error {}

  var files: [String: [UInt8]] = [:]
  var privateFiles: Set<String> = []
  /// Reads and changes so far.
  private(set) var steps: [String] = []
  /// The step that fails, and whether all later steps fail, too.
  var failing: (step: Int, stays: Bool)?
  /// Paths that cannot be read.
  var unreadable: Set<String> = []
  let boardNames = ["test"]

  init(_ files: [String: String]) { self.files = files.mapValues { Array($0.utf8) } }

  func text(_ path: String) -> String? { files[path].map { String(decoding: $0, as: UTF8.self) } }

  private func step(_ name: String, _ path: String) throws(SystemError) {
    steps.append(name + " " + path)
    guard let failing else { return }
    if steps.count == failing.step || failing.stays && steps.count > failing.step {
      throw SystemError(name, on: path, code: 5)
    }
  }

  func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try step("read", path)
    if unreadable.contains(path) { throw SystemError("read", on: path, code: 5) }
    guard let file = files[path] else { throw SystemError("open", on: path, code: SystemError.noSuchFile) }
    return Array(file.prefix(limit))
  }

  func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError) {
    try step("replace", path)
    files[path] = bytes
    if isPrivate { privateFiles.insert(path) } else { privateFiles.remove(path) }
  }

  func remove(_ path: String) throws(SystemError) {
    try step("remove", path)
    files[path] = nil
  }

  func refusal(ofTimeZone name: String) -> String? { name == "Europe/Berlin" ? nil : "cannot be '\(name)'" }

  func boardProfile(_ name: String) -> [UInt8]? {
    name == "test" ? Array("set volume.maximum 60\n".utf8) : nil
  }
}

@Suite struct CardApplicationTests {
  private static let application = {
    var application = CardApplication()
    (application.card, application.box) = ("/boot/swiftlet.conf", "/var/box.conf")
    (application.former, application.report) = ("/var/card.conf", "/boot/swiftlet-errors.txt")
    return application
  }()
  private var application: CardApplication { Self.application }

  private static let box = "# mine\nset fade.length 3\nset queue.repeat all\n"

  private func files(_ card: String?, former: String? = nil, box: String? = box, report: String? = nil)
    -> CardFiles
  {
    let named = [
      application.card: card, application.former: former, application.box: box, application.report!: report,
    ]
    return CardFiles(named.compactMapValues { $0 })
  }

  @Test func theCardsLinesAreAppliedOnce() {
    let card = "\u{FEFF}set fade.length 5\r\n"
    let files = files(card)
    #expect(application.run(in: files) == .applied(problems: [], notes: []))
    #expect(files.text("/var/box.conf") == "# mine\nset queue.repeat all\nset fade.length 5\n")
    #expect(files.text("/var/box.conf.bak") == Self.box)
    #expect(files.text("/var/card.conf") == card, "byte for byte")
    #expect(files.privateFiles == ["/var/card.conf"])
    #expect(files.steps.last == "replace /var/card.conf")
    // A setting that the user has saved since is kept, because the card has not changed.
    files.files["/var/box.conf"] = Array("set fade.length 9\n".utf8)
    let count = files.steps.count
    #expect(application.run(in: files) == .nothingToDo)
    #expect(
      files.steps.dropFirst(count) == [
        "read /boot/swiftlet.conf", "read /var/card.conf", "read /boot/swiftlet-errors.txt",
      ])
    #expect(files.text("/var/box.conf") == "set fade.length 9\n")
  }

  private static let nothing: [String?] = [nil, "", " \r\n\t\n", "\u{FEFF}"]

  /// A box that was never configured by a card stays as it is.
  @Test(arguments: nothing) func aCardThatSaysNothingChangesNothing(card: String?) {
    for box in [nil, Self.box] {
      let files = files(card, box: box)
      let before = files.files
      #expect(application.run(in: files) == .nothingToDo && files.files == before)
      #expect(files.steps.allSatisfy { $0.hasPrefix("read") })
    }
  }

  /// Deleting or emptying the file removes its commands, its wrong lines and the report; settings stay.
  @Test(arguments: nothing) func aCardWithoutLinesEndsItsReport(card: String?) {
    let former = "set fade.length 3\nset fade.lenght 5\nplay radio\n"
    let files = files(former, box: nil)
    _ = application.run(in: files)
    #expect(files.text("/var/box.conf") == former && files.text("/boot/swiftlet-errors.txt") != nil)
    files.files["/boot/swiftlet.conf"] = card.map { Array($0.utf8) }
    #expect(application.run(in: files) == .applied(problems: [], notes: []))
    #expect(files.text("/var/box.conf") == "set fade.length 3\n")
    #expect(files.text("/boot/swiftlet-errors.txt") == nil && files.text("/var/card.conf") == card)
    let before = files.files
    #expect(application.run(in: files) == .nothingToDo && files.files == before)
    // The same lines are applied again when they come back.
    files.files["/boot/swiftlet.conf"] = Array(former.utf8)
    guard case .applied(let problems, []) = application.run(in: files) else {
      Issue.record("not applied")
      return
    }
    #expect(problems.map(\.line) == [2] && files.text("/boot/swiftlet-errors.txt") != nil)
  }

  /// The report about a file that was refused as a whole ends with the file.
  @Test(arguments: nothing + ["set fade.length 5\n", "set fade.lenght 3\n"])
  func aRefusedFileThatIsTakenBackEndsItsReport(
    card: String?
  ) {
    for hasFormer in [false, true] {
      let files = files(card, box: Self.box)
      if hasFormer { _ = application.run(in: files) }
      let before = files.files
      files.files["/boot/swiftlet.conf"] = [0]
      guard case .failed = application.run(in: files) else {
        Issue.record("applied")
        continue
      }
      files.files["/boot/swiftlet.conf"] = card.map { Array($0.utf8) }
      _ = application.run(in: files)
      let isWrong = card == "set fade.lenght 3\n"
      #expect((files.text("/boot/swiftlet-errors.txt") != nil) == isWrong)
      if hasFormer { #expect(files.files == before) }
    }
  }

  @Test func anEqualCardKeepsItsReport() throws {
    let files = files("set fade.lenght 3\n")
    _ = application.run(in: files)
    let report = try #require(files.text("/boot/swiftlet-errors.txt"))
    files.files["/var/box.conf"] = Array("set fade.length 9\nset fade.lenght 3\n".utf8)
    let count = files.steps.count
    #expect(application.run(in: files) == .nothingToDo && files.text("/boot/swiftlet-errors.txt") == report)
    #expect(files.steps.dropFirst(count).allSatisfy { $0.hasPrefix("read") })
  }

  @Test func wrongLinesAreReportedOnTheCardUntilTheyAreMended() throws {
    let files = files("set fade.lenght 5\nset volume.maximum 40\n")
    guard case .applied(let problems, []) = application.run(in: files) else {
      Issue.record("not applied")
      return
    }
    #expect(problems.map(\.line) == [1])
    let report = try #require(files.text("/boot/swiftlet-errors.txt"))
    #expect(
      report.contains("Line 1:  set fade.lenght …\r\n") && report.contains("'fade.length'"), "\(report)")
    #expect(files.text("/var/box.conf") == Self.box + "set volume.maximum 40\nset fade.lenght 5\n")
    files.files["/boot/swiftlet.conf"] = Array("set fade.length 5\nset volume.maximum 40\n".utf8)
    #expect(application.run(in: files) == .applied(problems: [], notes: []))
    #expect(files.text("/boot/swiftlet-errors.txt") == nil)
    #expect(
      files.text("/var/box.conf")
        == "# mine\nset queue.repeat all\nset volume.maximum 40\nset fade.length 5\n")
  }

  /// A file with the PIN and the copy beside it are readable by the owner only.
  @Test func aPINMakesTheFilesPrivate() {
    let files = files("set console.pin 4711\n")
    _ = application.run(in: files)
    #expect(files.privateFiles == ["/var/box.conf", "/var/card.conf"])
    files.files["/boot/swiftlet.conf"] = Array("set console.pin off\n".utf8)
    _ = application.run(in: files)
    #expect(files.privateFiles == ["/var/box.conf.bak", "/var/card.conf"])
  }

  /// A time zone that the box does not have is reported; the daemon reports it, too, and uses the system's.
  @Test(arguments: [("Europe/Berlin", 0), ("Europe/Berln", 1)]) func aZoneIsChecked(name: String, count: Int)
  {
    let files = files("set fade.length 5\nset clock.timezone \(name)\n")
    guard case .applied(let problems, []) = application.run(in: files) else {
      Issue.record("not applied")
      return
    }
    #expect(problems.count == count && problems.allSatisfy { $0.line == 2 })
    #expect(problems.allSatisfy { $0.error.sentence == "clock.timezone cannot be 'Europe/Berln'" })
    #expect(files.text("/var/box.conf")?.hasSuffix("set clock.timezone \(name)\n") == true)
    #expect((files.text("/boot/swiftlet-errors.txt") != nil) == (count > 0))
  }

  @Test func aBoxWithoutAConfigurationGetsOne() {
    let files = files("board test\n", box: nil)
    #expect(application.run(in: files) == .applied(problems: [], notes: []))
    #expect(files.text("/var/box.conf") == "board test\n" && files.text("/var/box.conf.bak") == nil)
  }

  /// A file that cannot be parsed is not applied; the report is written to the card once, not at each start.
  @Test(arguments: [String(repeating: "#", count: 70_000), "set fade.length 5\n\0"])
  func aFileThatCannotBeUsedIsRefused(
    card: String
  ) {
    let files = files(card, former: "volume 3\n")
    guard case .failed(let reason) = application.run(in: files) else {
      Issue.record("applied")
      return
    }
    #expect(reason.hasPrefix("/boot/swiftlet.conf was not applied: the file "), "\(reason)")
    #expect(files.text("/var/box.conf") == Self.box && files.text("/var/card.conf") == "volume 3\n")
    #expect(
      files.text("/boot/swiftlet-errors.txt")?.hasPrefix("Swiftlet could not use the file swiftlet.conf.\r\n")
        == true)
    let count = files.steps.count
    guard case .failed = application.run(in: files) else {
      Issue.record("applied")
      return
    }
    #expect(!files.steps.dropFirst(count).contains { !$0.hasPrefix("read") })
  }

  @Test func aFileThatCannotBeReadIsNamed() {
    for path in [application.card, application.former, application.box] {
      let files = files("set fade.length 5\n", former: "volume 3\n")
      files.unreadable = [path]
      guard case .failed(let reason) = application.run(in: files) else {
        Issue.record("applied")
        continue
      }
      #expect(reason.contains(path) && reason.contains("read"), "\(reason)")
      #expect(files.text("/var/box.conf") == Self.box && files.text("/var/card.conf") == "volume 3\n")
    }
  }

  /// Inputs whose steps are counted: valid, invalid and corrected lines, and a box without a configuration
  /// file.
  private static let cases: [(card: String, former: String?, box: String?, report: String?)] = [
    ("set fade.length 5\n", nil, box, nil),
    ("set fade.lenght 5\nvolume 3\n", "play a\n", box + "play a\n", "old"),
    ("set fade.length 5\n", "set fade.lenght 5\n", box + "set fade.lenght 5\n", "old"),
    ("\r\n", "set fade.lenght 5\nplay a\n", box + "set fade.lenght 5\nplay a\n", "old"),
    ("board test\nplay a\n", nil, nil, nil), ("set fade.length 3\n", "x\n", box, nil),
  ]

  /// Whichever step fails or loses power, the box has the old or the new file, and the next run ends like a
  /// run without failures.
  @Test(arguments: 0..<cases.count, [false, true]) func everyStepMayFail(number: Int, isPowerCut: Bool) {
    let (card, former, box, report) = Self.cases[number]
    let whole = files(card, former: former, box: box, report: report)
    guard case .applied = application.run(in: whole) else {
      Issue.record("not applied")
      return
    }
    #expect(whole.steps.count >= 5)
    for step in 1...whole.steps.count {
      let files = files(card, former: former, box: box, report: report)
      files.failing = (step, isPowerCut)
      _ = application.run(in: files)
      let between = files.text("/var/box.conf")
      #expect(between == box || between == whole.text("/var/box.conf"), "\(whole.steps[step - 1])")
      let isFinished = files.text("/var/card.conf") == card
      #expect(!isFinished || between == whole.text("/var/box.conf"), "\(whole.steps[step - 1])")
      files.failing = nil
      _ = application.run(in: files)
      // A report that a completed run could not write is not retried, because the card has not changed.
      if isFinished {
        files.files["/boot/swiftlet-errors.txt"] = whole.files["/boot/swiftlet-errors.txt"]
      }
      #expect(files.files == whole.files, "\(whole.steps[step - 1])")
    }
  }
}
