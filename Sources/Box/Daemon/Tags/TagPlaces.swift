// Where the music of tags is left, and where it goes on. Control thread; never waits.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player

/// Knows whose music is in the queue, and how far that has come.
final class TagPlaces {
  /// What tags do and where they were left.
  let book: PersistentFile<TagStore>
  /// Whether the tag whose music is in the queue was taken from its reader.
  var wasLifted = false

  /// Where a tag's music begins.
  enum Beginning {
    /// At this place, if it is in the first track that is opened.
    case place(TrackPlace)
    /// At its beginning, whatever bookmarks say.
    case start
  }

  /// Where the next track begins that is opened for a tag; nil: no tag says.
  private var beginning: Beginning?
  /// The entry of the queue that was heard last of the tag's music.
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

  /// The state of the player.
  var state: PlayerState.Kind { outputs.openedPlayer?.machine.state.kind ?? .idle }

  /// The tag whose music is in the queue; nil: something else is.
  var current: TagID? { book.contents.current }

  /// Where a tag's music begins.
  func beginning(of tag: TagID) -> Beginning {
    guard configuration.settings.tagsResume, let place = book.contents.entry(tag)?.place else {
      return .start
    }
    return .place(place)
  }

  /// Something else is about to be played.
  func leave() {
    beginning = nil
    guard current != nil else { return }
    noteHeard()
    forget()
  }

  /// The queue is a tag's from now on.
  func take(_ tag: TagID) {
    wasLifted = false
    guard current != tag else { return }
    heard = nil
    book.change { $0.current = tag }
    book.keep()
  }

  /// The first track that is opened begins there; nil: where no tag says.
  func begin(at beginning: Beginning?) { self.beginning = beginning }

  /// Where a track begins, asked once; nil where no tag says.
  func position(of track: Track) -> Seconds? {
    guard let beginning else { return nil }
    self.beginning = nil
    switch beginning {
    case .place(let place): return place.isIn(track) ? place.position : nil
    case .start: return Seconds(0)
    }
  }

  /// The box ends: what is heard is left, and goes on with the box.
  func finish(_ then: @escaping () -> Void) {
    noteHeard()
    book.finish(then)
  }

  // What is in the file is written when a tag's music is left: until then the checkpoint knows better.
  private func noteHeard() {
    guard let player = outputs.openedPlayer, let track = player.machine.state.heardTrack else { return }
    switch player.machine.state.kind {
    // Where it was left was told then.
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

  /// What a fade has left behind is not where the music goes on. Where nothing follows what was heard to its end, it begins at the
  /// beginning.
  private func leave(_ track: Track, _ facts: TrackFacts) {
    guard let current, heard == track.id else { return }
    if facts.isOver {
      book.change { $0.leave(current, at: nil) }
    } else if let position = facts.position {
      note(track, at: position)
    }
    book.keep()
  }

  /// The queue is nobody's.
  private func forget() {
    wasLifted = false
    heard = nil
    guard current != nil else { return }
    book.change { $0.current = nil }
    book.keep()
  }

  /// Whether a track is one of the queue, or was until that was emptied, and no former one's.
  private func holds(_ track: Track) -> Bool {
    track.id == heard || outputs.openedPlayer?.queue.tracks.contains { $0.id == track.id } ?? false
  }
}
