// What clients of MPD have written about songs: kept, and given back. Control thread; never waits.

import Checkpoints
import Console
import Platform

/// Answers `sticker` and its relatives.
final class StickerController {
  /// Nanoseconds after a change at which the file is written, at least: clients write several things about each song.
  private static let delay: UInt64 = 10_000_000_000
  /// Nanoseconds from one writing to the next for each byte of the file: a client that counts plays may not wear out a card.
  private static let delayPerByte: UInt64 = 10_000_000
  /// Rows of one answer.
  private static let page = 200

  private let book: KeptFile<StickerBook>
  private let known: KnownFile<StickerBook>
  private let feed: EventFeed
  private let scheduler: any Scheduler
  private let due: DeadlineTimer
  /// No earlier than this it is written again.
  private var restsUntil: UInt64 = 0

  init(
    _ configuration: ConfigurationStore, _ book: KeptFile<StickerBook>, scheduler: any Scheduler,
    feed: EventFeed, log: Log
  ) {
    self.book = book
    self.feed = feed
    self.scheduler = scheduler
    due = DeadlineTimer(scheduler)
    known = KnownFile(book, ending: ".stickers", configuration, scheduler: scheduler, log: log)
  }

  /// Where stickers are stored.
  var stored: any StoredState { book }

  /// Reads the file beside the checkpoint, if there is one, as soon as the configuration says where that is.
  func open() { known.open() }

  /// Calls `then` when everything is written, or could not be.
  func finish(_ then: @escaping () -> Void) {
    due.stop()
    known.end()
    book.finish(then)
  }

  /// Answers a command, when it is known what is kept.
  func perform(_ command: StickerCommand, then answer: @escaping (Reply) -> Void) {
    known.run { [unowned(unsafe) self] in
      guard known.isKnown else {
        return answer(.failed("the stickers cannot be read: their storage does not answer; try again"))
      }
      answer(perform(command))
    }
  }

  private func perform(_ command: StickerCommand) -> Reply {
    switch command {
    case .list(let path):
      return .ok(
        Answer(
          rows: book.contents[path].map {
            Row($0.name + " = " + $0.value, [Field("name", $0.name), Field("value", $0.value)])
          }))
    case .find(let name, let folder, let from): return find(name, folder, from)
    case .set(let path, let name, let value):
      var changed = book.contents
      do throws(StickerFault) {
        try changed.set(Sticker(name, value), on: path)
      } catch {
        return .failed("there is no room for more stickers: they have \(StickerBook.longestFile >> 20) MiB")
      }
      return keep(changed, path)
    case .delete(let path, let name):
      var changed = book.contents
      guard changed.remove(name, from: path) else {
        return .failed("there is no such sticker on '\(path)'; 'sticker list' shows those that there are")
      }
      return keep(changed, path)
    }
  }

  private func keep(_ changed: StickerBook, _ path: String) -> Reply {
    book.replace(with: changed)
    if !due.isRunning {
      let now = scheduler.now
      due.start(after: max(Self.delay, restsUntil > now ? restsUntil - now : 0)) { [unowned(unsafe) self] in
        restsUntil = scheduler.now + UInt64(book.contents.size) * Self.delayPerByte
        book.keep()
      }
    }
    feed.post(.sticker(path: path))
    return .ok()
  }

  private func find(_ name: String, _ folder: String, _ from: Int) -> Reply {
    let prefix = Array((folder.utf8.isEmpty ? "" : folder + "/").utf8)
    var rows: [Row] = []
    var place = 0
    for song in book.contents.songs where song.path.utf8.starts(with: prefix) {
      guard let sticker = song.stickers.first(where: { $0.name == name }) else { continue }
      place += 1
      guard place >= from, rows.count < Self.page else { continue }
      rows.append(
        Row(song.path + ": " + sticker.value, [Field("path", song.path), Field("value", sticker.value)]))
    }
    return .ok(Answer(fields: [Field("songs", place)], rows: rows))
  }
}
