// Long tracks go on where they were left. Control thread.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player

extension Box {
  /// What is left of a track that counts as heard to its end: more than the longest fade.
  private static var tail: Seconds { Seconds(20) }
  /// What is heard of a track before it is worth a bookmark.
  private static var least: Seconds { Seconds(5) }

  func openBookmarks() {
    guard let path = settings.checkpointPath else { return }
    do throws(SystemError) {
      let keeper = try BookmarkKeeper(beside: path, on: machine)
      keeper.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
      keeper.read()
      bookmarks = keeper
    } catch {
      log.write(.warning, "No bookmarks: \(error.description).")
    }
  }

  /// Where a track begins that nobody asked a position of.
  func startPosition(_ track: Track) -> Frames? {
    guard settings.bookmarkLength != nil else { return nil }
    return bookmarks?.bookmarks.position(of: track.path, section: track.section).map {
      player.machine.settings.rate.frames($0)
    }
  }

  // A bookmark is used up when its track is heard: repeated, it begins at its beginning. In the file it stays
  // until the track is left; a power cut meanwhile is the checkpoint's matter.
  func player(_ player: Player, began track: Track) {
    guard settings.bookmarkLength != nil else { return }
    bookmarks?.bookmarks.remove(track.path, section: track.section)
  }

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    guard let bookmarks else { return }
    mark(track, at: position, isOver: isOver)
    bookmarks.keep()
  }

  private func mark(_ track: Track, at position: Frames, isOver: Bool) {
    let rate = player.machine.settings.rate
    guard let least = settings.bookmarkLength, let length = track.length, rate.seconds(length) >= least else {
      return
    }
    if isOver || rate.seconds(length - position) < Self.tail || rate.seconds(position) < Self.least {
      bookmarks?.bookmarks.remove(track.path, section: track.section)
    } else {
      bookmarks?.bookmarks.set(track.path, section: track.section, to: rate.seconds(position))
    }
  }

  /// The daemon ends: the track that is heard is left, too. Calls `then` when the file is written, or could not be.
  func finishBookmarks(_ then: @escaping () -> Void) {
    guard let bookmarks else { return then() }
    switch player.machine.state.kind {
    case .playing, .paused, .buffering, .seeking, .preparingCrossfade:
      if let track = player.machine.state.currentTrack { mark(track, at: player.position, isOver: false) }
    case .crossfading, .crossfadePaused, .fadingOut, .idle, .preparing, .ready, .finished, .failed: break
    }
    bookmarks.finish(within: 5_000_000_000, then)
  }

  // MARK: Commands

  func listBookmarks() -> Reply {
    guard let bookmarks else { return .failed("nothing is remembered: checkpoint.path is off") }
    let entries = bookmarks.bookmarks.entries
    let rows = entries.reversed().map { entry in
      Row(
        Decimal.clock(seconds: entry.position.value) + " " + entry.path
          + (entry.section.map { ", the track at " + Decimal.clock(seconds: Double($0.start) / 75) } ?? ""),
        [
          Field("path", entry.path), Field("seconds", Int(entry.position.value)),
          Field("begins", entry.section.map { .decimal(Double($0.start) / 75, decimals: 3) } ?? .none),
        ])
    }
    return .ok(Answer("\(entries.count) \(entries.count == 1 ? "bookmark" : "bookmarks")", rows: rows))
  }

  func clearBookmarks() -> Reply {
    guard let bookmarks else { return .failed("nothing is remembered: checkpoint.path is off") }
    bookmarks.bookmarks.clear()
    bookmarks.keep()
    return .ok("no bookmarks")
  }
}
