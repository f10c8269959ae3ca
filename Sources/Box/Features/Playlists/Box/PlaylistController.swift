// Commands about stored playlists. Control thread; never blocks.

import Checkpoints
import Console
import Library
import Media
import PlaybackModel
import Platform
import Player

/// Carries out `playlist`.
final class PlaylistController {
  /// Unix time (2001-09-09) below which the clock is considered unset.
  private static let firstTime: Int64 = 1_000_000_000
  private let book: PlaylistBook
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let library: LibraryController
  private let feed: EventFeed
  private let machine: any Machine

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ book: PlaylistBook,
    _ media: MediaController, _ library: LibraryController, on machine: any Machine, feed: EventFeed
  ) {
    self.machine = machine
    self.configuration = configuration
    self.outputs = outputs
    self.book = book
    self.media = media
    self.library = library
    self.feed = feed
  }

  // MARK: Commands

  /// Carries out `playlist` and its subcommands.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - cancellation: Cancels lookups.
  ///   - answer: Called with the reply, for changes once the file is written.
  func perform(
    _ command: PlaylistCommand, until cancellation: Cancellation, then answer: @escaping (Reply) -> Void
  ) {
    book.whenKnown({ answer(.error($0)) }) { [unowned(unsafe) self] in
      switch command {
      case .list: answer(list())
      case .show(let name, let from, let count): show(name, from, count, cancellation, answer)
      case .add(let name, let path, let place):
        media.find([path], until: cancellation) { [unowned(unsafe) self] lookup in
          switch lookup {
          case .tracks(let found):
            self.answer(
              change { () throws(ConsoleError) in try add(found.tracks, to: name, at: place) }.adding(
                found.note), whenStored: answer)
          case .refused(let error): answer(.error(error))
          }
        }
      default: self.answer(change { () throws(ConsoleError) in try perform(command) }, whenStored: answer)
      }
    }
  }

  private func answer(_ reply: Reply, whenStored answer: @escaping (Reply) -> Void) {
    guard reply.isOK else { return answer(reply) }
    book.file.whenStored { answer($0.applied(to: reply)) }
  }

  private func change(_ change: () throws(ConsoleError) -> Reply) -> Reply {
    do throws(ConsoleError) { return try change() } catch { return .error(error) }
  }

  private func perform(_ command: PlaylistCommand) throws(ConsoleError) -> Reply {
    switch command {
    case .list, .show, .add: preconditionFailure("these wait for storage, or change nothing")
    case .save(let name, let saving): return try save(name, saving)
    case .clear(let name):
      _ = try tracks(name)
      return try set(name, [])
    case .remove(let name, let first, let last):
      var tracks = try tracks(name)
      let end = try index(last ?? first, tracks)
      let start = try index(first, tracks)
      guard start <= end else {
        throw ConsoleError(.badValue, "the last position, \(end + 1), comes before the first, \(start + 1)")
      }
      tracks.removeSubrange(start...end)
      return try set(name, tracks)
    case .move(let name, let from, let to):
      var tracks = try tracks(name)
      let place = try index(to, tracks)
      let track = tracks.remove(at: try index(from, tracks))
      tracks.insert(track, at: place)
      return try set(name, tracks)
    case .rename(let name, let other): return try rename(name, to: other)
    case .delete(let name):
      _ = try tracks(name)
      try attempt { (book) throws(PlaylistFault) in book.remove(name) }
      return done(name, nil, "the playlist '\(name.text)' is deleted")
    }
  }

  private func save(_ name: PlaylistName, _ saving: PlaylistCommand.Saving) throws(ConsoleError) -> Reply {
    let queue = outputs.openedPlayer?.queue.tracks ?? []
    switch (saving, book.contents[name]) {
    case (.anew, .some):
      throw ConsoleError(
        .failed,
        "there is a playlist '\(name.text)' already; 'append' adds to it, 'replace' puts the queue in its place"
      )
    case (.appending, let playlist?): return try set(name, playlist.tracks + queue)
    default: return try set(name, queue)
    }
  }

  private func add(
    _ found: [Track], to name: PlaylistName, at place: QueuePosition?
  ) throws(ConsoleError) -> Reply {
    var tracks = book.contents[name]?.tracks ?? []
    // A new track may also be placed after the last one.
    let index = place.map { $0.index } ?? tracks.count
    guard index <= tracks.count else { throw Self.noPosition(index, tracks) }
    tracks.insert(contentsOf: found, at: index)
    return try set(name, tracks)
  }

  private func rename(_ name: PlaylistName, to other: PlaylistName) throws(ConsoleError) -> Reply {
    let count = try tracks(name).count
    guard book.contents[other] == nil else {
      throw ConsoleError(
        .failed, "there is a playlist '\(other.text)' already; 'playlist delete' makes room for another")
    }
    try attempt { (book) throws(PlaylistFault) in try book.rename(name, to: other) }
    feed.post(.playlist(name, tracks: nil))
    return done(other, count, "the playlist '\(name.text)' is called '\(other.text)' now")
  }

  private func set(_ name: PlaylistName, _ tracks: [Track]) throws(ConsoleError) -> Reply {
    // A board without a clock module (RTC) starts in 1970.
    let time = machine.utcSeconds > Self.firstTime ? machine.utcSeconds : nil
    try attempt { (book) throws(PlaylistFault) in try book.set(name, to: tracks, at: time) }
    let count = tracks.count
    return done(name, count, "\(count) \(count == 1 ? "track" : "tracks") in the playlist '\(name.text)'")
  }

  /// Applies a change to a copy first, so that a refused change has no effect.
  private func attempt(
    _ change: (inout PlaylistStore) throws(PlaylistFault) -> Void
  ) throws(ConsoleError) {
    var copy = book.contents
    do throws(PlaylistFault) {
      try change(&copy)
    } catch {
      switch error {
      case .tooMany:
        throw ConsoleError(
          .failed, "the box keeps \(PlaylistStore.maxCount) playlists already; 'playlist delete' makes room")
      case .tooLong: throw ConsoleError(.failed, "a playlist holds \(PlayQueue.limit) tracks at most")
      case .full:
        throw ConsoleError(
          .failed, "the playlists of the box would need more than 2 MiB; 'playlist delete' makes room")
      }
    }
    book.file.replace(with: copy)
  }

  private func done(_ name: PlaylistName, _ count: Int?, _ text: String) -> Reply {
    book.file.keep()
    feed.post(.playlist(name, tracks: count))
    return .ok(text + configuration.lossNote)
  }

  private func tracks(_ name: PlaylistName) throws(ConsoleError) -> [Track] {
    guard let playlist = book.contents[name] else { throw PlaylistBook.missing(name) }
    return playlist.tracks
  }

  private func index(_ position: QueuePosition, _ tracks: [Track]) throws(ConsoleError) -> Int {
    guard position.index < tracks.count else { throw Self.noPosition(position.index, tracks) }
    return position.index
  }

  private static func noPosition(_ index: Int, _ tracks: [Track]) -> ConsoleError {
    ConsoleError(
      .failed,
      "there is no position \(index + 1): the playlist has \(tracks.count) \(tracks.count == 1 ? "track" : "tracks")"
    )
  }

  // MARK: Lists

  private func list() -> Reply {
    let rows = book.sorted.map { playlist in
      let count = playlist.tracks.count
      return Row(
        playlist.name.text + ", \(count) \(count == 1 ? "track" : "tracks")",
        [
          Field("playlist", playlist.name.text), Field("tracks", count),
          Field("modified", playlist.modified.map { .text(UTCTime.text($0)) } ?? .none),
        ])
    }
    return .ok(
      Answer(
        rows.isEmpty
          ? "no playlists; 'playlist save NAME' keeps the queue as one"
          : "\(rows.count) \(rows.count == 1 ? "playlist" : "playlists")", rows: rows))
  }

  private func show(
    _ name: String, _ from: QueuePosition?, _ count: Int?, _ cancellation: Cancellation,
    _ answer: @escaping (Reply) -> Void
  ) {
    let page = { [unowned(unsafe) self] (tracks: [Track], note: String?) in
      let rows = PlaylistRows(tracks, of: name, from: from?.index ?? 0, count: count ?? Answer.pageRows)
      let rate = outputs.openedPlayer?.machine.settings.rate ?? PlayerSettings().rate
      library.describe(rows.files, until: cancellation) { answer(rows.reply($0, rate: rate).adding(note)) }
    }
    if let saved = PlaylistName(path: name) ?? PlaylistName(name), let playlist = book.contents[saved] {
      return page(playlist.tracks, nil)
    }
    media.find([name], until: cancellation) { lookup in
      switch lookup {
      case .tracks(let found): page(found.tracks, found.note)
      case .refused(let error): answer(.error(error))
      }
    }
  }
}
