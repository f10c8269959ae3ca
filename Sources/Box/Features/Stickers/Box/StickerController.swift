// Stickers: notes that MPD clients attach to songs. Control thread; never blocks.

import Checkpoints
import Console
import Platform

/// Carries out `sticker` and its subcommands.
final class StickerController {
  /// Minimum nanoseconds between writes per byte of the file; changes during that time are written together.
  private static let pausePerByte: UInt64 = 4_000
  /// Maximum nanoseconds between writes. Replies to changes wait for the write.
  private static let maxPause: UInt64 = 1_000_000_000
  /// Rows per reply.
  private static let page = 200

  private let book: PersistentFile<StickerStore>
  private let known: KnownFile<StickerStore>
  private let feed: EventFeed
  private let scheduler: any Scheduler
  private let due: DeadlineTimer
  /// Earliest time of the next write.
  private var pausesUntil: UInt64 = 0
  /// Replies to changes that wait for their write to begin.
  private var waiting: [(reply: Reply, answer: (Reply) -> Void)] = []

  init(
    _ configuration: ConfigurationStore, _ book: PersistentFile<StickerStore>, scheduler: any Scheduler,
    feed: EventFeed, log: Log
  ) {
    self.book = book
    self.feed = feed
    self.scheduler = scheduler
    due = DeadlineTimer(scheduler)
    known = KnownFile(book, ending: ".stickers", configuration, scheduler: scheduler, log: log)
  }

  /// The sticker file, for tracking failed writes.
  var stored: any StoredState { book }

  /// Loads the file next to the checkpoint, if there is one; no-op while the configuration is not loaded.
  func open() { known.open() }

  /// Writes unsaved stickers and calls `then`, whether or not the write succeeded.
  func finish(_ then: @escaping () -> Void) {
    due.stop()
    waiting = []
    known.end()
    book.finish(then)
  }

  /// Carries out a command once the stickers are loaded.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - answer: Called with the reply; for a change, when it is on storage, or with an error after a timeout.
  func perform(_ command: StickerCommand, then answer: @escaping (Reply) -> Void) {
    known.run { [unowned(unsafe) self] in
      if let refusal = known.refusal { return answer(.error(refusal)) }
      let reply = perform(command)
      guard reply.isOK, command.changesStickers else { return answer(reply) }
      waiting.append((reply, answer))
      write()
    }
  }

  /// Writes at once, or after the pause that the last write requires.
  private func write() {
    guard !due.isRunning else { return }
    guard pausesUntil > scheduler.now else { return writeNow() }
    due.start(at: pausesUntil) { [unowned(unsafe) self] in writeNow() }
  }

  private func writeNow() {
    let answers = waiting
    waiting = []
    pausesUntil = scheduler.now + min(Self.maxPause, UInt64(book.contents.size) * Self.pausePerByte)
    for (reply, answer) in answers { book.whenStored { answer($0.applied(to: reply)) } }
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
        return .failed("there is no room for more stickers: they have \(StickerStore.maxFileBytes >> 20) MiB")
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

  private func keep(_ changed: StickerStore, _ path: String) -> Reply {
    book.replace(with: changed)
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
