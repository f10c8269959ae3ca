// The box as MPD clients see it when it changes during a query. Test threads.

import Console
import Testing

@testable import Integrations

/// A box whose responses the test controls.
private final class SlowBox: BoxCommands {
  private var waiting: [(line: String, then: (BoxAnswer) -> Void)] = []
  /// Responses by a command's line: rows of fields.
  var rows: [String: [[(String, String)]]] = [:]
  /// The commands that must not wait for others.
  private(set) var askedAtOnce: [String] = []

  func ask(_ command: Command, then: @escaping (BoxAnswer) -> Void) {
    waiting.append((command.line, then))
  }

  func askAtOnce(_ command: Command, then: @escaping (BoxAnswer) -> Void) {
    askedAtOnce.append(command.line)
    ask(command, then: then)
  }

  func catchUp(then: @escaping () -> Void) { then() }

  /// The unanswered commands.
  var asked: [String] { waiting.map { $0.line } }

  /// Answers the first command from the box's present state. Returns false if there is none.
  @discardableResult func answer() -> Bool {
    guard !waiting.isEmpty else { return false }
    let (line, then) = waiting.removeFirst()
    let fields = (rows[line] ?? []).map { row in
      var fields = BoxFields()
      for (name, value) in row { fields.add(BoxField(name: name, value: value)) }
      return fields
    }
    then(.done(fields.first ?? BoxFields(), rows: fields))
    return true
  }

  func answerAll() { while answer() {} }
}

@Suite struct MPDBoxTests {
  private func bench(library: Bool = false) -> (SlowBox, MPDBox) {
    let slow = SlowBox()
    slow.rows = [
      "show fade.length": [[("value", "0 s")]], "show gain.mode": [[("value", "off")]],
      "show media.root": [[("value", "/music")]],
      "show library.enabled": [[("value", library ? "on" : "off")]],
      "status": [[("queue-version", "7")]],
      "queue list 1 200": [[("id", "1"), ("path", "/music/a.flac")]],
      "library queue 1 100": [[("path", "/music/a.flac"), ("genre", "old")]],
    ]
    return (slow, MPDBox(slow))
  }

  /// The second of two changes arrives after its setting was read.
  @Test func aSettingThatChangesWhileTheyAreLookedAtIsLookedAtAgain() {
    let (slow, box) = bench()
    var told = 0
    box.knowSettings { _ in told += 1 }
    slow.answer()
    slow.rows["show fade.length"] = [[("value", "5 s")]]
    box.forget("setting")
    slow.answerAll()
    #expect(told == 1 && box.known.crossfade == "5" && box.known.areSettingsKnown)
  }

  /// Opening a track sets its tags without a new revision of the queue.
  @Test func aTrackThatIsOpenedWhileTheQueueIsReadHasItsTags() {
    let (slow, box) = bench()
    var told = 0
    box.knowQueue { _ in told += 1 }
    slow.answer()
    slow.answer()
    slow.rows["queue list 1 200"] = [
      [("id", "1"), ("path", "/music/a.flac"), ("title-tag", "Tide"), ("length", "9")]
    ]
    box.forget("track")
    slow.answerAll()
    #expect(told == 1 && box.known.queue.entries.first?.length == "9")
    #expect(box.known.queue.revision == 7)
  }

  /// Storage that is mounted or unmounted changes the files; storage that is slow does not.
  @Test(arguments: ["yes", "no"], [nil, "yes", "no"]) func slowStorageChangesNoDatabase(
    there: String, waiting: String?
  ) {
    var fields = BoxFields()
    for (name, value) in [("path", "/music"), ("there", there), ("waiting", waiting)] {
      if let value { fields.add(BoxField(name: name, value: value)) }
    }
    let changed = MPDSubsystems.changed(by: "storage", fields)
    #expect(changed.contains(.database) == (waiting == nil) && changed.isEmpty == (waiting != nil))
  }

  @Test func whatAnOlderIndexAnswersIsNotKept() {
    let (slow, box) = bench(library: true)
    box.knowSettings { _ in }
    slow.answerAll()
    var told = 0
    box.knowTags { _ in told += 1 }
    while slow.asked.first != "library queue 1 100" { slow.answer() }
    box.forget("library")
    // The response under way, and then that of the present index.
    slow.answer()
    slow.rows["library queue 1 100"] = [[("path", "/music/a.flac"), ("genre", "new")]]
    slow.answerAll()
    #expect(told == 1 && box.known.queue.entries.first?.genre == "new")
  }

  /// An update of the index is not held up by commands that wait for storage.
  @Test func anUpdateIsAskedAtOnce() {
    let (slow, box) = bench()
    for command: LibraryCommand in [.summary, .update, .rebuild] { box.ask(.library(command)) { _ in } }
    #expect(slow.asked == ["library", "library update", "library rebuild"])
    #expect(slow.askedAtOnce == ["library update", "library rebuild"])
  }

  /// A queue that changes constantly is still reported.
  @Test func aQueueThatChangesAtEveryLookIsTold() {
    let (slow, box) = bench()
    var told = 0
    box.knowQueue { _ in told += 1 }
    for _ in 0..<100 where told == 0 {
      slow.answer()
      box.forget("queue")
    }
    #expect(told == 1 && box.known.queue.entries.count == 1)
    box.knowSettings { _ in told += 1 }
    for _ in 0..<100 where told == 1 {
      slow.answer()
      box.forget("setting")
    }
    #expect(told == 2 && !box.known.areSettingsKnown)
  }
}
