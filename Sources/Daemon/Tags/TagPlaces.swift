// Where the music of tags is left, and where it goes on. Control thread; never waits.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player

/// Knows whose music is in the queue, and how far that has come.
final class TagPlaces {
  /// What tags do and where they were left.
  let book: KeptFile<TagBook>
  /// Whether the tag whose music is in the queue was taken from its reader.
  var wasLifted = false

  /// Where the next track begins that is opened for a tag.
  private var beginning: TagPlace?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ book: KeptFile<TagBook>,
    feed: EventFeed
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.book = book
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .began(let track, _): note(track, at: Seconds(0))
      case .left(let track, let facts): leave(track, facts)
      case .transition(let transition): if transition.to.kind == .finished { end() }
      case .queue(_, tracks: 0): forget()
      default: break
      }
    }
  }

  /// The tag whose music is in the queue; nil: something else is.
  var current: TagID? { book.contents.current }

  /// Where a tag's music goes on; nil: at its beginning.
  func place(of tag: TagID) -> TagPlace? {
    guard configuration.settings.tagsResume else { return nil }
    return book.contents.entry(tag)?.place
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
    book.change { $0.current = tag }
    book.keep()
  }

  /// The first track that is opened begins at a place, if it is the one.
  func begin(at place: TagPlace?) { beginning = place }

  /// Where a track begins, asked once; nil where no tag says.
  func position(of track: Track) -> Seconds? {
    guard let place = beginning else { return nil }
    beginning = nil
    return place.isIn(track) ? place.position : nil
  }

  /// The box ends: what is heard is left, and goes on with the box.
  func finish(_ then: @escaping () -> Void) {
    noteHeard()
    book.finish(within: 2_000_000_000, then)
  }

  // What is in the file is written when a tag's music is left: until then the checkpoint knows better.
  private func noteHeard() {
    guard outputs.openedPlayer != nil, let track = outputs.player.machine.state.heardTrack else { return }
    let player = outputs.player
    note(track, at: player.machine.settings.rate.seconds(player.position))
  }

  private func note(_ track: Track, at position: Seconds) {
    guard let current, holds(track) else { return }
    let place = TagPlace(path: track.path, section: track.section, position: position)
    book.change { $0.leave(current, at: place) }
  }

  /// What a fade has left behind is not where the music goes on.
  private func leave(_ track: Track, _ facts: TrackFacts) {
    guard let current, holds(track), let position = facts.position, !facts.isOver,
      book.contents.entry(current)?.place?.isIn(track) == true
    else { return }
    note(track, at: position)
    book.keep()
  }

  /// Heard to its end, it begins at the beginning.
  private func end() {
    guard let current else { return }
    book.change { $0.leave(current, at: nil) }
    book.keep()
  }

  /// The queue is nobody's.
  private func forget() {
    wasLifted = false
    guard current != nil else { return }
    book.change { $0.current = nil }
    book.keep()
  }

  /// Whether a track is one of the queue, and no former one's.
  private func holds(_ track: Track) -> Bool {
    outputs.openedPlayer?.queue.tracks.contains { $0.id == track.id } ?? false
  }
}
