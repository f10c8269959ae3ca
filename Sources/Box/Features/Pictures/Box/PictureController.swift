// Cover pictures: requests them from child processes and caches them, because MPD clients fetch them in pieces. Control
// thread; never blocks.

import Console
import Decoding
import Media
import Pictures
import Platform

/// Carries out `picture`.
final class PictureController {
  /// Maximum number of cached pictures.
  private static let maxHeld = 8
  /// Nanoseconds for which a cached picture may answer a request for its beginning.
  private static let freshNanoseconds: UInt64 = 30_000_000_000
  /// Nanoseconds after the last request at which the cache is cleared.
  private static let holdNanoseconds: UInt64 = 60_000_000_000

  private struct Held {
    let path: String
    let place: PictureCommand.Place
    let answer: PictureAnswer
    /// Scheduler time at which it was found, in nanoseconds.
    let since: UInt64

    var bytes: Int { if case .picture(let picture) = answer { picture.bytes.count } else { 0 } }
  }

  private let configuration: ConfigurationStore
  private let scheduler: any Scheduler
  private let media: any MediaLookup
  /// Separate workers, so that picture requests do not delay playback commands.
  private let readers: RootReaders
  private let rest: DeadlineTimer
  private var subscription: EventSubscription?
  /// Cached pictures, in order of insertion.
  private var held: [Held] = []

  init(_ configuration: ConfigurationStore, on machine: any Machine, feed: EventFeed) {
    self.configuration = configuration
    scheduler = machine.scheduler
    media = machine.media
    readers = RootReaders(on: machine) { _, _ in }
    rest = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting(.mediaRoot?, _), .setting(nil, _), .storage: held = []
      default: break
      }
    }
  }

  /// Drops pending requests without answering them.
  func end() {
    rest.stop()
    readers.end()
  }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - cancellation: Ends the search early.
  ///   - answer: Called with the reply.
  func perform(
    _ command: PictureCommand, until cancellation: Cancellation, then answer: @escaping (Reply) -> Void
  ) {
    guard !MediaList.isStream(command.path) else {
      return answer(.failed("a stream has no picture of its own"))
    }
    rest.start(after: Self.holdNanoseconds) { [unowned(unsafe) self] in held = [] }
    let now = scheduler.now
    if let found = held.last(where: { $0.path == command.path && $0.place == command.place }),
      now &- found.since < Self.freshNanoseconds || command.bytes.map({ $0.lowerBound > 0 }) == true
    {
      return answer(Self.reply(found.answer, to: command))
    }
    look(for: command, until: cancellation) { [unowned(unsafe) self] found, error in
      guard let found else { return answer(.error(error)) }
      hold(Held(path: command.path, place: command.place, answer: found, since: scheduler.now))
      answer(Self.reply(found, to: command))
    }
  }

  private func hold(_ picture: Held) {
    if case .refused = picture.answer { return }
    held.removeAll { $0.path == picture.path && $0.place == picture.place }
    held.append(picture)
    while held.count > Self.maxHeld || held.reduce(0, { $0 + $1.bytes }) > Picture.maxBytes {
      held.removeFirst()
    }
  }

  private func look(
    for command: PictureCommand, until cancellation: Cancellation,
    then: @escaping (PictureAnswer?, ConsoleError) -> Void
  ) {
    let (name, media, roots) = (command.path, media.heeding(cancellation), configuration.roots)
    let source: PictureSource =
      switch command.place {
      case .any: .any
      case .track: .track
      case .folder: .folder
      }
    RootSearch(
      named: name, within: roots, in: readers, scheduler,
      {
        let answer = media.picture(of: name, source, within: $0)
        return answer == .missing ? nil : answer
      }, then: then)
  }

  private static func reply(_ found: PictureAnswer, to command: PictureCommand) -> Reply {
    switch found {
    case .none, .missing: return .ok("there is no picture")
    case .refused(let reason): return .failed("there is no picture of '\(command.path)': \(reason)")
    case .picture(let picture):
      var fields = [Field("from", picture.place.rawValue)]
      if let format = picture.format { fields.append(Field("type", format.type)) }
      fields.append(Field("size", picture.bytes.count))
      guard let wanted = command.bytes else { return .ok(Answer(fields: fields)) }
      var place = min(wanted.lowerBound, picture.bytes.count)
      let end = min(wanted.upperBound, picture.bytes.count, place + PictureCommand.maxBytes)
      var rows: [Row] = []
      while place < end {
        let next = min(end, place + PictureCommand.bytesOfRow)
        let data = Base64.text(picture.bytes[place..<next])
        rows.append(Row(data, [Field("data", data)]))
        place = next
      }
      return .ok(Answer(fields: fields, rows: rows))
    }
  }
}
