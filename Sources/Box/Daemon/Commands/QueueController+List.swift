// `queue list`: queue entries with titles from the media index. Control thread; never blocks.

import Console
import Library
import PlaybackModel
import Platform
import Player

extension QueueController {
  /// Nanoseconds that a list waits for the media index.
  private static var indexTimeout: UInt64 { 500_000_000 }

  /// Lists a part of the queue. Tracks that were never opened get their titles from the media index, if it responds in
  /// time and the list is at most one page long.
  ///
  /// - Parameters:
  ///   - from: First entry; nil: the beginning.
  ///   - count: Number of entries; nil: one page.
  ///   - answer: Called with the list.
  func list(_ from: QueuePosition?, _ count: Int?, _ answer: @escaping (Reply) -> Void) {
    let (start, count) = (from?.index ?? 0, count ?? Answer.pageRows)
    let unknown = player.queue.tracks.dropFirst(start).prefix(count).filter { Self.isInIndex($0) }
    guard !unknown.isEmpty, count <= Answer.pageRows else { return answer(list(from: start, count: count)) }
    let question = ListQuestion(scheduler, answer)
    question.timer.start(after: Self.indexTimeout) { [unowned(unsafe) self] in
      question.cancellation.cancel()
      question.answer(list(from: start, count: count))
    }
    library.describe(unknown.map { $0.path }, until: question.cancellation) { [unowned(unsafe) self] in
      question.answer(list(from: start, count: count, $0))
    }
  }

  /// Whether the title of a track can only come from the media index: it is a whole file that was never opened.
  private static func isInIndex(_ track: Track) -> Bool { track.title == nil && track.isWholeFile }

  func list(from start: Int, count: Int, _ known: [String: [LibraryField]] = [:]) -> Reply {
    let tracks = player.queue.tracks
    let priorities = player.queue.priorities
    let current = player.queue.current?.id
    let rate = player.machine.settings.rate
    var rows: [Row] = []
    for index in min(start, tracks.count)..<min(start + count, tracks.count) {
      var track = tracks[index]
      var length: FieldValue = track.length.map { .decimal(rate.seconds($0).value, decimals: 3) } ?? .none
      for field in Self.isInIndex(track) ? known[track.path] ?? [] : [] {
        switch field.name {
        case "title": track.title = field.value
        case "artist": track.artist = track.artist ?? field.value
        case "album": track.album = track.album ?? field.value
        case "number": track.trackNumber = track.trackNumber ?? Int(field.value)
        case "length": if track.length == nil { length = LibraryRows.value(field) }
        default: break
        }
      }
      let mark = track.id == current ? "> " : "  "
      rows.append(
        Row(
          mark + String(index + 1) + " " + track.nameInALine,
          [
            Field("position", index + 1), Field("title", track.displayName), Field("path", track.path),
            Field("current", track.id == current), Field("id", Int(clamping: track.id)),
            Field("artist", track.artist.map { .text($0) } ?? .none),
            Field("album", track.album.map { .text($0) } ?? .none),
            Field("number", track.trackNumber.map { .integer($0) } ?? .none),
            Field("length", length), Field("priority", Int(priorities[index])),
          ]))
    }
    let rest = tracks.count - start - rows.count
    let more = rest > 0 ? "; 'queue list \(start + rows.count + 1)' continues" : ""
    return .ok(Answer("\(tracks.count) \(tracks.count == 1 ? "track" : "tracks")" + more, rows: rows))
  }
}

/// A list that waits for the media index; replies exactly once.
private final class ListQuestion {
  let timer: DeadlineTimer
  let cancellation = Cancellation()
  private var onAnswer: ((Reply) -> Void)?

  init(_ scheduler: any Scheduler, _ answer: @escaping (Reply) -> Void) {
    timer = DeadlineTimer(scheduler)
    onAnswer = answer
  }

  func answer(_ reply: Reply) {
    timer.stop()
    let answer = onAnswer
    onAnswer = nil
    answer?(reply)
  }
}
