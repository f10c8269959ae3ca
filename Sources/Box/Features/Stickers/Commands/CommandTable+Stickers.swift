// Declarations of the sticker commands. Pure; any thread.

import Platform

extension CommandTable {
  static let stickers: [CommandDeclaration] = [
    CommandDeclaration(
      "sticker list", song, .queue, "Lists what clients of MPD have written about a song.",
      "Ratings, how often it was played and the like: names with values, stored without interpretation. SONG is the name that clients "
        + "have of it, from the folder with the music on.",
      examples: ["sticker list \"Kind of Blue/01 So What.flac\""]
    ) { .sticker(.list(path: $0)) },
    CommandDeclaration(
      "sticker set", song, name, value, .queue,
      "Writes something about a song, in the place of what had that name.",
      "It is on the storage when it is acknowledged; no 'save' is needed.",
      examples: ["sticker set \"Kind of Blue/01 So What.flac\" rating 10"]
    ) { .sticker(.set(path: $0, name: $1, value: $2)) },
    CommandDeclaration(
      "sticker delete", song, name.optional, .queue, "Takes a sticker from a song, or all of them.",
      examples: ["sticker delete \"Kind of Blue/01 So What.flac\" rating"]
    ) { .sticker(.delete(path: $0, name: $1)) },
    CommandDeclaration(
      "sticker find", name, folder.optional, from.optional, .queue,
      "Lists the songs that have a sticker of a name.",
      "Beneath a folder, and from a position on, where they are given.",
      examples: ["sticker find rating", "sticker find rating Jazz 51"]
    ) { .sticker(.find(name: $0, folder: $1 ?? "", from: $2 ?? 1)) },
  ]

  private static let song = Argument<String>("SONG", "the name of a song, from the folder with the music on")
  {
    $0.utf8.isEmpty || $0.utf8.count > 4096 ? nil : $0
  }
  private static let name = Argument<String>("NAME", "a sticker's name of up to 64 bytes without =") {
    $0.utf8.isEmpty || $0.utf8.count > 64 || $0.utf8.contains(0x3D) ? nil : $0
  }
  private static let value = Argument<String>("VALUE", "text of up to 1024 bytes") {
    $0.utf8.count > 1024 ? nil : $0
  }
  private static let folder = Argument<String>("FOLDER", "a folder, from that with the music on, or \"\"") {
    $0
  }
  private static let from = Argument<Int>("POSITION", "a number from 1 on") { word in
    SettingKind.integer(word, unit: "").flatMap { $0 >= 1 ? $0 : nil }
  }
}
