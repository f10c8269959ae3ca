// Declarations of the commands about saved playlists. Pure; any thread.

import PlaybackModel

extension Arguments {
  static let playlistName = Argument<PlaylistName>(
    "NAME", "a playlist's name of up to 100 bytes without slashes, in quotes if it contains spaces"
  ) { PlaylistName($0) }

  static let saving = oneOf([
    (Choice("append", "adds to it"), PlaylistCommand.Saving.appending),
    (Choice("replace", "puts the queue in its place"), .replacing),
  ])
}

extension CommandTable {
  static let playlists: [CommandDeclaration] = [
    CommandDeclaration(
      "playlist", .playlist(.list), .queue, "Lists the playlists that the box keeps.",
      "'play playlist:NAME' plays a playlist, and playlist:NAME is accepted in place of a path: 'queue add', 'alarm', 'tag', 'bind'. "
        + "They are kept over a power cut without 'save'. Playlists among the music are files, which these commands do not change.",
      examples: ["playlist"]),
    CommandDeclaration(
      "playlist show", Arguments.path, Arguments.position.optional,
      Arguments.count(most: PlayQueue.limit).optional,
      .queue, "Lists the tracks of a playlist, from a position on.",
      "Also those of a file or folder. Lists 50 where no COUNT is given.",
      examples: ["playlist show Evening", "playlist show Evening 51 100", "playlist show Albums/mix.m3u"]
    ) { .playlist(.show(name: $0, from: $1, count: $2)) },
    CommandDeclaration(
      "playlist save", Arguments.playlistName, Arguments.saving.optional, .queue,
      "Keeps what is in the queue as a playlist.",
      "An existing playlist of that name is kept, unless 'append' or 'replace' is given.",
      examples: ["playlist save Evening", "playlist save Evening replace"]
    ) { .playlist(.save($0, $1 ?? .anew)) },
    CommandDeclaration(
      "playlist add", Arguments.playlistName, Arguments.path, Arguments.position.optional, .queue,
      "Adds a file, folder, playlist or stream to a playlist.",
      "At the end, or before the track at a position. A playlist that is not there is made.",
      examples: [
        "playlist add Evening \"Kind of Blue\"", "playlist add Stations http://radio.example/live.mp3 1",
      ]
    ) { .playlist(.add($0, path: $1, at: $2)) },
    CommandDeclaration(
      "playlist remove", Arguments.playlistName, Arguments.position, Arguments.position.optional, .queue,
      "Removes a track of a playlist, or several.",
      "With a second position it removes all from the first to that one.",
      examples: ["playlist remove Evening 3", "playlist remove Evening 3 7"]
    ) { .playlist(.remove($0, $1, through: $2)) },
    CommandDeclaration(
      "playlist move", Arguments.playlistName, Arguments.position, Arguments.position, .queue,
      "Moves a track of a playlist to another position.", "", examples: ["playlist move Evening 5 1"]
    ) { .playlist(.move($0, from: $1, to: $2)) },
    CommandDeclaration(
      "playlist clear", Arguments.playlistName, .queue, "Empties a playlist.",
      examples: ["playlist clear Evening"]
    ) { .playlist(.clear($0)) },
    CommandDeclaration(
      "playlist rename", Arguments.playlistName, Arguments.playlistName, .queue,
      "Gives a playlist another name.",
      examples: ["playlist rename Evening \"Late evening\""]
    ) { .playlist(.rename($0, to: $1)) },
    CommandDeclaration(
      "playlist delete", Arguments.playlistName, .queue, "Forgets a playlist.",
      examples: ["playlist delete Evening"]
    ) { .playlist(.delete($0)) },
  ]
}
