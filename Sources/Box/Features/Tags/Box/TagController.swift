// RFID tags: runs the command of a tag placed on an NFC reader, and carries out `tag`. Control thread; never blocks.

import Checkpoints
import Console
import Controls
import PlaybackModel
import Platform
import RealtimeAudio

/// Handles reader events and the `tag` commands.
final class TagController: StatusSource {
  /// Nanoseconds that `tag learn` waits for a tag.
  static let learningTime: UInt64 = 60_000_000_000

  /// Owner of the queue's music, and resume positions per tag.
  let places: TagPlaces
  /// Command to assign to the next tag, after `tag learn`; nil: the next tag runs its own command.
  private(set) var lesson: TypedCommand?
  /// Last reported tag, its reader (nil: the `tag swipe` command), and when it was last seen.
  private var latest: (tag: TagID, reader: ControlName?, time: UInt64)?
  /// The tag file, with the actions that wait for it: a tag may already be on a reader at power-on.
  private let known: KnownFile<TagStore>
  /// Number of the latest tag command; results of earlier searches no longer claim the queue.
  private var attempt = 0
  /// Tag whose music is being looked up.
  private var awaited: TagID?
  private let lessonTimer: DeadlineTimer
  /// Debounce after a reader has lost a tag, which may be a read error rather than a removal.
  private let liftTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let cues: CueController
  private let commands: CommandEntry
  private let scheduler: any Scheduler
  private let feed: EventFeed
  private let log: Log

  init(
    _ configuration: ConfigurationStore, _ places: TagPlaces, _ cues: CueController,
    _ commands: CommandEntry, scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.places = places
    self.cues = cues
    self.commands = commands
    self.scheduler = scheduler
    self.feed = feed
    self.log = log
    lessonTimer = DeadlineTimer(scheduler)
    liftTimer = DeadlineTimer(scheduler)
    let book = places.book
    known = KnownFile(book, ending: ".tags", configuration, scheduler: scheduler, log: log) {
      [log, unowned(unsafe) book] in
      log.write(.warning, "What tags do is not known: \(book.unread ?? "their storage does not answer").")
    }
  }

  private var book: PersistentFile<TagStore> { places.book }

  /// Loads the tag file next to the checkpoint, if there is one; no-op while the configuration is not loaded.
  func open() { known.open() }

  /// Stops learning and writes the tag file.
  ///
  /// - Parameter then: Called when the file is written or writing failed.
  func finish(_ then: @escaping () -> Void) {
    lessonTimer.stop()
    liftTimer.stop()
    known.end()
    places.finish(then)
  }

  // MARK: Reader events

  /// Handles a reader event.
  func take(_ input: TagInput) {
    switch input {
    case .lying(let tag, let reader):
      known.run { [unowned(unsafe) self] in
        // The tag's music is already in the queue; whether it resumes after a power cut is decided by the checkpoint.
        guard places.current != tag else {
          liftTimer.stop()
          latest = (tag, reader, scheduler.now)
          return
        }
        if isNew(tag, on: reader) { place(tag, on: reader) }
      }
    case .placed(let tag, let reader):
      guard isNew(tag, on: reader) else { return }
      known.run { [unowned(unsafe) self] in place(tag, on: reader) }
    case .lifted(let reader): liftLater(from: reader)
    }
  }

  /// `tags.debounce` in nanoseconds.
  private var debounce: UInt64 { UInt64(configuration.settings.tagsDebounce.value * 1e9) }

  /// Records the tag on a reader.
  ///
  /// - Returns: False if it was there a moment ago, since readers may lose and repeat tags.
  private func isNew(_ tag: TagID, on reader: ControlName?) -> Bool {
    let time = scheduler.now
    let isRepeated = latest.map { $0.tag == tag && time - $0.time < debounce } ?? false
    liftTimer.stop()
    latest = (tag, reader, time)
    return !isRepeated
  }

  /// Treats the reader's tag as removed unless it returns within the debounce time. Ignored if a tag on another reader
  /// has been reported since: the removed tag's music is then no longer playing.
  private func liftLater(from reader: ControlName) {
    guard let former = latest, former.reader == nil || former.reader == reader else { return }
    latest = (former.tag, former.reader, scheduler.now)
    liftTimer.start(after: debounce) { [unowned(unsafe) self] in
      latest = nil
      lift(former.tag, from: reader)
    }
  }

  private func place(_ tag: TagID, on reader: ControlName?) {
    place(tag, on: reader) { [unowned(unsafe) self] in complain($0, tag) }
  }

  private func complain(_ reply: Reply, _ tag: TagID) {
    if case .error(let error) = reply { log.write(.warning, "tag \(tag.text): \(error.sentence)") }
  }

  private func place(_ tag: TagID, on reader: ControlName?, _ answer: @escaping (Reply) -> Void) {
    if let lesson {
      learnNothing()
      return answer(learn(tag, lesson, on: reader))
    }
    guard let entry = book.contents.entry(tag), let typed = try? TypedCommand(line: entry.line) else {
      feed.post(.tag(TagFacts(change: .unknown, tag: tag, reader: reader)))
      cues.play(.tagUnknown)
      if let refusal = known.refusal { return answer(.error(refusal)) }
      return answer(.failed("the tag has no command; 'tag \(tag.text) COMMAND' or 'tag learn' gives it one"))
    }
    feed.post(.tag(TagFacts(change: .placed, tag: tag, line: entry.line, reader: reader)))
    let isCurrent = places.current == tag
    let action = configuration.settings.tagRules.action(
      placing: isCurrent, wasLifted: places.wasLifted, in: places.state)
    if isCurrent { places.wasLifted = false }
    switch action {
    case .begin(let fromStart):
      begin(tag, typed, fromStart: fromStart) { [unowned(unsafe) self] reply in
        // A search that a newer command has replaced has not failed.
        if !reply.isOK, reply != PlaybackController.superseded {
          feed.post(.tag(TagFacts(change: .failed, tag: tag, line: typed.line, reader: reader)))
        }
        answer(reply)
      }
    case .toggle: answer(commands.performFromButton(.toggle))
    case .playOn: answer(commands.performFromButton(.play(path: nil)))
    case .pause: answer(commands.performFromButton(.pause))
    case .stop: answer(commands.performFromButton(.stop))
    case .next: answer(commands.performFromButton(.next))
    case .nothing: answer(.ok())
    }
  }

  private func begin(
    _ tag: TagID, _ typed: TypedCommand, fromStart: Bool, _ answer: @escaping (Reply) -> Void
  ) {
    attempt += 1
    let attempt = attempt
    var isPlay = false
    if case .play(path: .some) = typed.command { isPlay = true }
    let beginning = fromStart ? .start : places.beginning(of: tag)
    awaited = isPlay ? tag : nil
    commands.performFromTag(typed.command, at: isPlay ? beginning : nil) { [unowned(unsafe) self] reply in
      if attempt == self.attempt {
        awaited = nil
        // If nothing was found, the queue keeps its owner.
        if isPlay, reply.isOK { places.take(tag) }
      }
      answer(reply)
    }
  }

  private func lift(_ tag: TagID, from reader: ControlName?) {
    feed.post(.tag(TagFacts(change: .lifted, tag: tag, reader: reader)))
    if places.current == tag { places.wasLifted = true }
    // Music that is still being looked up must not start once its tag is removed.
    let isCurrent = places.current == tag || awaited == tag
    let isSilent = places.state == .paused || places.state == .crossfadePaused
    switch configuration.settings.tagRules.action(lifting: isCurrent) {
    case .pause: if !isSilent { complain(commands.performFromButton(.pause), tag) }
    case .stop: complain(commands.performFromButton(.stop), tag)
    default: break
    }
  }

  // MARK: Commands

  /// Carries out `tag` and its subcommands.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - answer: Called with the reply, for changes once the file is written.
  func perform(_ command: TagCommand, then answer: @escaping (Reply) -> Void) {
    switch command {
    case .list, .remove, .clear, .swipe:
      known.run { [unowned(unsafe) self] in performKnowing(command, then: answer) }
    case .set(let tag, let typed):
      let reply = set(tag, typed, .set, on: nil)
      guard reply.isOK else { return answer(reply) }
      book.whenStored { answer($0.applied(to: reply)) }
    case .learn(let typed): answer(learnNext(typed))
    case .learnNothing:
      answer(.ok(lesson == nil ? "no tag was waited for" : "no tag is waited for any more"))
      learnNothing()
    case .lift:
      guard let tag = latest?.tag else { return answer(.failed("no tag is on a reader")) }
      liftTimer.stop()
      latest = nil
      lift(tag, from: nil)
      answer(.ok())
    }
  }

  private func performKnowing(_ command: TagCommand, then answer: @escaping (Reply) -> Void) {
    switch command {
    case .remove(let tag):
      guard book.contents.entry(tag) != nil else {
        if let refusal = known.refusal { return answer(.error(refusal)) }
        return answer(.failed("there is no tag '\(tag.text)'; 'tag' lists them"))
      }
      change { $0.remove(tag) }
      feed.post(.tag(TagFacts(change: .removed, tag: tag)))
      let reply = list()
      book.whenStored { answer($0.applied(to: reply)) }
    case .clear:
      let tags = book.contents.entries.map { $0.tag }
      change { $0.clear() }
      for tag in tags { feed.post(.tag(TagFacts(change: .removed, tag: tag))) }
      book.whenStored { answer($0.applied(to: .ok("no tags"))) }
    case .swipe(let tag):
      liftTimer.stop()
      latest = (tag, nil, scheduler.now)
      place(tag, on: nil, answer)
    default: answer(list())
    }
  }

  private func learnNext(_ typed: TypedCommand?) -> Reply {
    guard
      let lesson = typed
        ?? places.nameOfMusic.flatMap({ try? TypedCommand(line: CommandLineText.line(of: ["play", $0])) })
    else {
      return .failed("nothing is being played that a tag could play; 'tag learn COMMAND' says what it does")
    }
    self.lesson = lesson
    lessonTimer.start(after: Self.learningTime) { [unowned(unsafe) self] in
      learnNothing()
      log.write(.warning, "No tag has come that could be learnt.", isPublic: true)
      cues.play(.tagUnknown)
    }
    return .ok("the next tag will do: \(lesson.line)")
  }

  private func learnNothing() {
    lesson = nil
    lessonTimer.stop()
  }

  private func learn(_ tag: TagID, _ typed: TypedCommand, on reader: ControlName?) -> Reply {
    let reply = set(tag, typed, .learnt, on: reader)
    cues.play(reply.isOK ? .tagLearnt : .tagUnknown)
    return reply
  }

  private func set(
    _ tag: TagID, _ typed: TypedCommand, _ change: TagFacts.Change, on reader: ControlName?
  ) -> Reply {
    var isSet = false
    self.change { isSet = $0.set(tag, to: typed.line) }
    guard isSet else {
      return .failed("there are \(TagStore.maxCount) tags already; 'tag remove' makes room")
    }
    feed.post(.tag(TagFacts(change: change, tag: tag, line: typed.line, reader: reader)))
    return .ok("tag \(tag.text) will do: \(typed.line)" + configuration.lossNote)
  }

  private func change(_ change: @escaping (inout TagStore) -> Void) {
    book.change(change)
    book.keep()
  }

  private func list() -> Reply {
    let rows = book.contents.entries.map { entry in
      let place = entry.place.map { Decimal.clock(seconds: $0.position.value) + " in " + $0.path }
      return Row(
        (entry.tag == places.current ? "> " : "  ") + entry.tag.text + " " + entry.line
          + (place.map { ", left at " + $0 } ?? ""),
        [
          Field("tag", entry.tag.text), Field("command", entry.line),
          Field("current", entry.tag == places.current),
          Field("path", entry.place.map { .text($0.path) } ?? .none),
          Field("seconds", entry.place.map { .decimal($0.position.value, decimals: 3) } ?? .none),
        ])
    }
    let count = rows.count
    return .ok(
      Answer(
        (count == 0
          ? known.refusal == nil ? "no tags; 'help tag' explains how to set one" : "no tags are known"
          : "\(count) \(count == 1 ? "tag" : "tags")") + (known.refusal.map { "; " + $0.sentence } ?? ""),
        rows: rows))
  }

  /// The tag whose music is in the queue, and the command to be learnt.
  var statusFields: [Field] {
    (places.current.map { [Field("tag", $0.text)] } ?? [])
      + (lesson.map { [Field("tag-learning", $0.line)] } ?? [])
  }
}
