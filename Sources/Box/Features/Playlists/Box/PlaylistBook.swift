// The stored playlists and their file. Control thread; never blocks.

import Checkpoints
import Console
import Media
import PlaybackModel
import Platform

/// Keeps the stored playlists, and resolves `playlist:NAME` to tracks.
final class PlaylistBook {
  /// The file of the playlists.
  let file: PersistentFile<PlaylistStore>
  private let known: KnownFile<PlaylistStore>

  init(
    _ configuration: ConfigurationStore, _ file: PersistentFile<PlaylistStore>, scheduler: any Scheduler,
    log: Log
  ) {
    self.file = file
    known = KnownFile(file, ending: ".playlists", configuration, scheduler: scheduler, log: log)
  }

  /// The playlists; none while they are not loaded.
  var contents: PlaylistStore { file.contents }

  /// The playlist file, for tracking failed writes.
  var stored: any StoredState { file }

  /// Loads the file next to the checkpoint, if there is one; no-op while the configuration is not loaded.
  func open() { known.open() }

  /// Writes unsaved playlists and calls `then`, whether or not the write succeeded.
  func finish(_ then: @escaping () -> Void) {
    known.end()
    file.finish(then)
  }

  /// Runs `action` once the playlists are loaded, or `refuse` if they cannot be read, since unread playlists must not
  /// be overwritten.
  func whenKnown(_ refuse: @escaping (ConsoleError) -> Void, _ action: @escaping () -> Void) {
    known.run { [unowned(unsafe) self] in
      if let refusal = known.refusal { refuse(refusal) } else { action() }
    }
  }

  // MARK: Names

  /// Looks up the tracks of a stored playlist.
  func tracks(of name: PlaylistName, then: @escaping (MediaController.Lookup) -> Void) {
    whenKnown({ then(.refused($0)) }) { [unowned(unsafe) self] in
      guard let playlist = contents[name] else { return then(.refused(Self.missing(name))) }
      guard !playlist.tracks.isEmpty else {
        return then(.refused(ConsoleError(.failed, "the playlist '\(name.text)' is empty")))
      }
      then(.tracks(ExpandedMedia(playlist.tracks)))
    }
  }

  /// Completions for a path being typed.
  func paths(beginning text: String) -> [String] {
    guard text.utf8.starts(with: PlaylistName.scheme.utf8) else { return [] }
    var found: [String] = []
    for playlist in sorted where playlist.name.path.utf8.starts(with: text.utf8) {
      if found.count < Completion.maxCandidates { found.append(playlist.name.path) }
    }
    return found
  }

  /// All playlists, ordered by name.
  var sorted: [PlaylistStore.Playlist] {
    contents.playlists.sorted { NaturalOrder.isBefore($0.name.text, $1.name.text) }
  }

  /// The error for a playlist that does not exist.
  static func missing(_ name: PlaylistName) -> ConsoleError {
    ConsoleError(.failed, "there is no playlist '\(name.text)'; 'playlist' lists those of the box")
  }
}
