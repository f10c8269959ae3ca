// Bookmarks: long tracks resume where they were left. Control thread.

import Checkpoints
import Console
import Media
import PlaybackModel
import Platform
import Player

/// Sets and removes bookmarks when tracks end or are left.
final class BookmarkController {
  /// A track left with less than this remaining counts as finished; longer than any crossfade.
  private static let tail = Seconds(20)
  /// A track must have played at least this long to get a bookmark.
  private static let minimum = Seconds(5)

  private var store: PersistentFile<Bookmarks>?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  /// Called when the file was read or reading failed.
  var onRead: () -> Void = {}
  private let machine: any Machine
  private let worker: any BackgroundWorker
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, on machine: any Machine,
    worker: any BackgroundWorker, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.machine = machine
    self.worker = worker
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .began(let track, _): take(track)
      case .left(let track, let facts): leave(track, facts)
      default: break
      }
    }
  }

  /// Starts reading the file next to the checkpoint.
  ///
  /// - Returns: False if there is no checkpoint, and so nothing to read.
  func open() -> Bool {
    guard let path = configuration.started.checkpointPath else { return false }
    let store = PersistentFile<Bookmarks>(on: machine, worker: worker)
    store.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    self.store = store
    store.open(path + ".bookmarks") { [unowned(unsafe) self] in onRead() }
    return true
  }

  /// All bookmarks, the most recently set last; nil until the file is read.
  var places: [TrackPlace]? { store.flatMap { $0.isRead ? $0.contents.entries : nil } }

  /// Resume position of a track that is played without an explicit position; nil: its beginning.
  func position(of track: Track) -> Seconds? {
    guard configuration.settings.bookmarkLength != nil else { return nil }
    return store?.contents.position(of: track.path, section: track.section)
  }

  // A bookmark is removed when its track starts, so that a repeat begins at the start. The file is written when the
  // track is left; if the power fails before that, the checkpoint holds the position.
  private func take(_ track: Track) {
    guard configuration.settings.bookmarkLength != nil else { return }
    store?.change { $0.remove(track.path, section: track.section) }
  }

  private func leave(_ track: Track, _ facts: TrackFacts) {
    mark(track, facts)
    store?.keep()
  }

  private func mark(_ track: Track, _ facts: TrackFacts) {
    guard let store, let shortest = configuration.settings.bookmarkLength, let position = facts.position,
      !MediaList.isStream(track.path) || facts.length != nil
    else { return }
    // A file of unknown length counts as long.
    guard facts.length ?? shortest >= shortest else { return }
    let isNearEnd = facts.length.map { $0.value - position.value < Self.tail.value } ?? false
    if facts.isOver || isNearEnd || position < Self.minimum {
      store.change { $0.remove(track.path, section: track.section) }
    } else {
      store.change { $0.set(track.path, section: track.section, to: position) }
    }
  }

  /// Sets a bookmark for the current track and writes the file.
  ///
  /// - Parameter then: Called when the file is written or writing failed.
  func finish(_ then: @escaping () -> Void) {
    guard let store else { return then() }
    let player = outputs.player
    switch player.machine.state.kind {
    case .playing, .paused, .buffering, .seeking, .preparingCrossfade:
      guard let track = player.machine.state.currentTrack else { break }
      let rate = player.machine.settings.rate
      mark(
        track,
        TrackFacts(
          length: player.measured(track).length.map { rate.seconds($0) },
          position: rate.seconds(player.position)))
    case .crossfading, .crossfadePaused, .fadingOut, .idle, .preparing, .ready, .finished, .failed: break
    }
    store.finish(then)
  }

  // MARK: Commands

  /// Carries out `bookmarks`.
  func list() -> Reply {
    guard let store else { return none }
    let entries = store.contents.entries
    let rows = entries.reversed().map { entry in
      Row(
        Decimal.clock(seconds: entry.position.value) + " " + entry.path
          + (entry.section.map { ", the track at " + Decimal.clock(seconds: Double($0.start) / 75) } ?? ""),
        [
          Field("path", entry.path), Field("seconds", Int(entry.position.value)),
          Field("begins", entry.section.map { .decimal(Double($0.start) / 75, decimals: 3) } ?? .none),
        ])
    }
    return .ok(
      Answer(
        "\(entries.count) \(entries.count == 1 ? "bookmark" : "bookmarks")"
          + (store.unread.map { "; " + $0 } ?? ""), rows: rows))
  }

  /// Carries out `bookmarks clear`.
  func clear() -> Reply {
    guard let store else { return none }
    store.change { $0.clear() }
    store.keep()
    return .ok("no bookmarks")
  }

  private var none: Reply {
    configuration.isRead
      ? .failed("nothing is remembered: checkpoint.path is off") : configuration.unread
  }
}

extension Box {
  /// The bookmarks; nil until their file is read. Used by the simulator.
  package var bookmarks: [TrackPlace]? { owners.bookmarks.places }
}
