// Per-tag resume positions, and which tag's music is in the queue. Control thread; never blocks.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player

/// Tracks the progress of the music that a tag has started.
final class TagPlaces {
  /// Commands and resume positions of all tags.
  let book: PersistentFile<TagStore>
  /// Whether the tag whose music is in the queue has been removed from its reader.
  var wasLifted = false
  /// Argument of the `play` command that filled the queue; nil if the queue was filled otherwise.
  var playedName: String?

  /// Start position of a tag's music.
  enum Beginning {
    /// At this position, if it is in the first track that is opened.
    case place(TrackPlace)
    /// At the beginning, regardless of bookmarks.
    case start
  }

  /// Start position of the next track that is opened; nil: not set by a tag.
  private var beginning: Beginning?
  /// Id of the last audible queue entry of the tag's music.
  private var heard: UInt64?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ book: PersistentFile<TagStore>,
    feed: EventFeed
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.book = book
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .began(let track, _): note(track, at: Seconds(0))
      case .left(let track, let facts): leave(track, facts)
      case .queue(_, tracks: 0): leave()
      default: break
      }
    }
  }

  /// Kind of the player's current state.
  var state: PlayerState.Kind { outputs.openedPlayer?.machine.state.kind ?? .idle }

  /// Tag whose music is in the queue; nil: the music is not from a tag.
  var current: TagID? { book.contents.current }

  /// What `play` would need as its argument to play the queue's music again, or else the path of the audible track; nil
  /// if the queue is empty.
  var nameOfMusic: String? {
    guard let player = outputs.openedPlayer, !player.queue.isEmpty else { return nil }
    return playedName ?? player.machine.state.heardTrack?.path
  }

  /// Start position of a tag's music.
  func beginning(of tag: TagID) -> Beginning {
    guard configuration.settings.tagsResume, let place = book.contents.entry(tag)?.place else {
      return .start
    }
    return .place(place)
  }

  /// Saves the tag's position before other music replaces the queue.
  func leave() {
    beginning = nil
    guard current != nil else { return }
    noteHeard()
    forget()
  }

  /// Records that the queue is a tag's music.
  func take(_ tag: TagID) {
    wasLifted = false
    guard current != tag else { return }
    heard = nil
    book.change { $0.current = tag }
    book.keep()
  }

  /// Sets the start position of the first track to be opened; nil: not set by a tag.
  func begin(at beginning: Beginning?) { self.beginning = beginning }

  /// Start position of a track; consumes the value set by `begin(at:)`.
  func position(of track: Track) -> Seconds? {
    guard let beginning else { return nil }
    self.beginning = nil
    switch beginning {
    case .place(let place): return place.isIn(track) ? place.position : nil
    case .start: return Seconds(0)
    }
  }

  /// Saves the position and writes the file, at shutdown.
  func finish(_ then: @escaping () -> Void) {
    noteHeard()
    book.finish(then)
  }

  // The file is written only when a tag's music is left; until then the checkpoint has the position.
  private func noteHeard() {
    guard let player = outputs.openedPlayer, let track = player.machine.state.heardTrack else { return }
    switch player.machine.state.kind {
    // The position was recorded when the track was left.
    case .idle, .finished, .failed: return
    default: break
    }
    note(track, at: player.machine.settings.rate.seconds(player.position))
  }

  private func note(_ track: Track, at position: Seconds) {
    guard let current, holds(track) else { return }
    heard = track.id
    let place = TrackPlace(path: track.path, section: track.section, position: position)
    book.change { $0.leave(current, at: place) }
  }

  /// Saves the position at which a track was left. The outgoing track of a fade is ignored. After the last track has
  /// ended, the tag starts at the beginning.
  private func leave(_ track: Track, _ facts: TrackFacts) {
    guard let current, heard == track.id else { return }
    if facts.isOver {
      book.change { $0.leave(current, at: nil) }
    } else if let position = facts.position {
      note(track, at: position)
    }
    book.keep()
  }

  /// Records that the queue's music belongs to no tag.
  private func forget() {
    wasLifted = false
    heard = nil
    guard current != nil else { return }
    book.change { $0.current = nil }
    book.keep()
  }

  /// Whether a track belongs to the current queue, or did until that was cleared.
  private func holds(_ track: Track) -> Bool {
    track.id == heard || outputs.openedPlayer?.queue.tracks.contains { $0.id == track.id } ?? false
  }
}
