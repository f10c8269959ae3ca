// Declarations of the commands that query and update the index of the music. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let library: [CommandDeclaration] = [
    CommandDeclaration(
      "find", filter.repeated, .queue, "Lists tracks by their tags and places.",
      "Takes a tag and its value, or several, all of which hold: title, artist, album, albumartist, track, disc, genre, date, any; "
        + "base is a folder with all in it, folder one without the folders in it; or an expression as clients of MPD have "
        + "it, with ==, !=, contains, starts_with, AND and !. 'sort artist' sorts, with a hyphen the other way round; also by "
        + "modified and added. 'window 50:100' lists from the 51st to the 100th; the first 50 are listed where nothing is said.",
      examples: [
        "find artist \"Nina Simone\"", "find base Jazz album Blue sort -added window 0:20",
        "find \"((artist == 'Harbour') AND (!(album contains 'live')))\"",
      ]
    ) { .library(.find($0)) },
    CommandDeclaration(
      "search", filter.repeated, .queue, "Lists tracks by parts of their tags.",
      "As 'find', but capital letters do not matter, and a part of the tag is enough. One word alone is looked for in all tags, "
        + "and in the names of files without a title.",
      examples: ["search harbour", "search artist simone album blue"]
    ) { .library(.search($0)) },
    CommandDeclaration(
      "list", tag, filter.repeated.optional, .queue, "Lists the distinct values of a tag.",
      "Conditions are those of 'find'. 'group albumartist' lists them for each album artist.",
      examples: [
        "list artist", "list album artist \"Nina Simone\"", "list album group albumartist", "list genre",
      ]
    ) { .library(.list([$0] + ($1 ?? []))) },
    CommandDeclaration(
      "count", filter.repeated.optional, .queue, "Counts tracks, and how long they play.",
      "Conditions are those of 'find'. 'group artist' counts for each artist.",
      examples: ["count", "count artist Kraftwerk", "count group artist"]
    ) { .library(.count($0 ?? [])) },
    CommandDeclaration(
      "library", .library(.summary), .queue, "Tells what the index of the music holds.",
      "'set library.enabled on' makes an index of what is in media.root and on sticks. It is brought up to date when the box "
        + "starts, when a stick appears, and by 'library update'; at idle priority, so that no music notices."
    ),
    CommandDeclaration(
      "library update", .library(.update), .queue, "Looks for music that is new, has changed or is gone."),
    CommandDeclaration(
      "library rebuild", .library(.rebuild), .queue, "Makes the index afresh."),
    CommandDeclaration(
      "library faults", window.repeated.optional, .queue, "Lists the files that cannot be read, and why.",
      examples: ["library faults", "library faults window 50:100"]
    ) { .library(.faults($0 ?? [])) },
    CommandDeclaration(
      "library queue", Arguments.position.optional, Arguments.count(most: PlayQueue.limit).optional, .queue,
      "Lists what the index knows of the queue's entries, from a position on.",
      "Tags, lengths and dates of files that were not opened yet, for programs that show the queue. Lists 50 entries where no COUNT "
        + "is given.",
      examples: ["library queue", "library queue 200 10"]
    ) { .library(.queue(from: $0, count: $1)) },
  ]

  private static let tag = Argument<String>(
    "TAG", "a tag: title, artist, album, albumartist, track, disc, genre or date",
    [
      .words([
        Choice("artist"), Choice("album"), Choice("albumartist"), Choice("title"), Choice("track"),
        Choice("disc"),
        Choice("genre"), Choice("date"),
      ])
    ]
  ) { $0.utf8.isEmpty ? nil : $0 }

  private static let filter = Argument<String>("FILTER", "a tag and its value, or an expression") { $0 }
  private static let window = Argument<String>("window", "'window' and rows such as 50:100") { $0 }
}
