// The MPD protocol: requests, ranges, and the copy of the queue. Test threads.

import Console
import PlaybackModel
import Testing

@testable import Integrations

@Suite struct MPDTests {
  @Test(arguments: ["", "word"], ["", "word", "wort", "wordword"])
  func onlyThePasswordLogsIn(password: String, typed: String) throws {
    var session = MPDSession(MPDAccess(password: password))
    let request = try MPDRequest(Array("password \"\(typed)\"".utf8))
    guard case .login(let isRight) = try MPDCommand.plan(request, &session) else {
      Issue.record("no answer to a password")
      return
    }
    #expect(isRight == (typed == password))
  }

  @Test(arguments: [
    ("status", "status", []), ("add \"a b\" 3", "add", ["a b", "3"]),
    ("add \"\\\"quoted\\\\\"", "add", ["\"quoted\\"]),
    ("find  a\tb ", "find", ["a", "b"]), ("add \"\"", "add", [""]), ("add ü", "add", ["ü"]),
  ]) func requestsAreReadAsMPDReadsThem(line: String, command: String, arguments: [String]) throws {
    let request = try MPDRequest(Array(line.utf8))
    #expect(request.command == command && request.arguments == arguments)
  }

  @Test(arguments: [
    ("", "No command given"), ("pi-ng", "Invalid word character"), ("add \"a", "Missing closing '\"'"),
    ("add \"a\"b", "Space expected after closing '\"'"), ("add it's", "Invalid unquoted character"),
    ("add \"a\\", "Missing closing '\"'"), ("add" + String(repeating: " x", count: 65), "Too many arguments"),
  ]) func whatIsNoRequestIsRefused(line: String, text: String) {
    #expect(throws: MPDRefusal.self) { try MPDRequest(Array(line.utf8)) }
    do { _ = try MPDRequest(Array(line.utf8)) } catch { #expect(error.text == text) }
  }

  @Test(arguments: [
    ("0", 0..<1), ("4", 4..<5), ("5", 5..<5), ("1:3", 1..<3), ("2:", 2..<5), ("0:99", 0..<5),
    ("-1", 0..<5), ("+1", 1..<2), ("5:", 5..<5),
  ]) func rangesStayWithinTheQueue(text: String, range: Range<Int>) throws {
    #expect(try MPDArguments.range(text, count: 5) == range)
  }

  @Test(arguments: [
    ("6", "Bad song index"), ("3:1", "Malformed range: 3:1"), ("6:7", "Bad song index"),
    ("x", "Integer or range expected: x"), ("-5", "Number is negative: -5"),
    ("1:x", "Integer or range expected: 1:x"), ("99999999999", "Number too large: 99999999999"),
    ("", "Integer or range expected: "), (":", "Integer or range expected: :"),
  ])
  func whatIsNoRangeIsRefused(text: String, reason: String) {
    do throws(MPDRefusal) {
      _ = try MPDArguments.range(text, count: 5)
      Issue.record("'\(text)' is a range")
    } catch {
      #expect(error.text == reason)
    }
  }

  @Test(
    arguments: [("+2", 2.0), ("2", 2), ("-1.5", -1.5), ("+-2", nil), ("", nil), ("x", nil)]
      as [(String, Double?)])
  func secondsMayHaveASign(text: String, seconds: Double?) {
    #expect((try? MPDArguments.seconds(text)) == seconds)
  }

  @Test(arguments: [
    ("a/b", true), ("", true), ("../a", false), ("a//b", false), ("/a", false), ("a/.", false),
    ("a..b", true),
  ])
  func whatLeadsOutOfTheMusicIsToldApart(name: String, isSafe: Bool) {
    #expect(MediaPath.isSafe(name) == isSafe)
  }

  /// A value that no command of the box takes is refused with the words of the box's own refusal.
  @Test(
    arguments: [
      ("Evening", nil, nil), (String(repeating: "x", count: 100), nil, nil),
      (String(repeating: "x", count: 101), nil, "the box cannot do that now"),
      (String(repeating: "x", count: 101), "No such directory", "No such directory"),
      (
        String(repeating: "x", count: 101) + "\u{85}", nil,
        "a name with a control character in it cannot be told to the box"
      ),
    ] as [(String, String?, String?)])
  func namesThatAreTooLongAreRefused(name: String, text: String?, refusal: String?) {
    do throws(MPDRefusal) {
      #expect(try PlaylistName(name, orRefuse: .noSuchThing, text).text == name && refusal == nil)
    } catch {
      #expect(error.fault == .noSuchThing && error.text == refusal)
    }
  }

  @Test func placesBeyondTheQueueAreRefused() throws {
    #expect(try QueuePosition(index: PlayQueue.limit, orRefuse: .player).number == PlayQueue.limit + 1)
    #expect(throws: MPDRefusal(.player, "the box cannot do that now")) {
      try QueuePosition(index: PlayQueue.limit + 1, orRefuse: .player)
    }
  }

  @Test func theCopyOfTheQueueKnowsWhatChanged() throws {
    func entry(_ id: Int, _ title: String = "t") throws -> QueueEntry {
      var row = BoxFields()
      row.add(BoxField(name: "id", value: "\(id)"))
      row.add(BoxField(name: "path", value: "/music/\(id)"))
      row.add(BoxField(name: "title", value: title))
      return try #require(QueueEntry(row))
    }
    var mirror = QueueMirror()
    mirror.adopt([try entry(1), try entry(2), try entry(3)], revision: 1)
    let first = mirror.version
    mirror.adopt([try entry(1), try entry(2), try entry(3)], revision: 2)
    #expect(mirror.version == first && mirror.changes(since: first) == [])
    mirror.adopt([try entry(1), try entry(2, "opened"), try entry(3)], revision: 2)
    #expect(mirror.changes(since: first) == [1])
    mirror.adopt([try entry(2, "opened"), try entry(3)], revision: 3)
    #expect(mirror.changes(since: first) == [0, 1] && mirror.changes(since: mirror.version) == [])
    #expect(mirror.changes(since: 1000) == [0, 1])
  }

  @Test func pathsLoseTheirRoot() {
    let media = MediaPath(roots: ["/srv/music/", "/mnt/books"])
    #expect(
      media.name(of: "/srv/music/a/b.flac") == "a/b.flac" && media.name(of: "/mnt/books/c.m4b") == "c.m4b")
    #expect(
      media.name(of: "/srv/musical/a") == "/srv/musical/a"
        && media.name(of: "http://radio/x") == "http://radio/x")
    #expect(media.name(of: "/srv/music") == "")
    #expect(MediaPath.asked("file:///srv/music/a/") == "/srv/music/a" && MediaPath.asked("/") == "/")
    #expect(MediaPath.asked("file://localhost/srv/music/a") == "/srv/music/a")
  }

  @Test func valuesStayOnTheirLines() {
    var lines = MPDLines()
    lines.add("Title", "a\nOK\nb\r\0c")
    #expect(String(decoding: lines.bytes, as: UTF8.self) == "Title: a OK b  c\n")
    // A tab in a name is kept, because the client sends the name back.
    var names = MPDLines()
    names.add("file", "a\tb\u{1B}[0m")
    #expect(String(decoding: names.bytes, as: UTF8.self) == "file: a\tb [0m\n")
  }
}
