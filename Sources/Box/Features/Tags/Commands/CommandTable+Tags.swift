// Declarations of the RFID tag commands. Pure; any thread.

extension CommandTable {
  static let tags: [CommandDeclaration] = [
    CommandDeclaration(
      "tag", Arguments.newTag, .controls, "Lists the tags, or sets what a tag does.",
      "A tag carries out its command when it comes to a reader ('reader'). What it plays continues where it was left, unless tags.resume "
        + "is off. tags.again and tags.removed say what happens when it comes again, and when it is taken away. Tags are kept over a power "
        + "cut without 'save'.",
      examples: [
        "tag", "tag 0012345678 play Albums/Harbour", "tag 04:a2:1b:77 play http://radio.example/live.mp3",
        "tag 0099 sleep 30",
      ]
    ) { .tag($0) },
    CommandDeclaration(
      "tag learn", Arguments.learning, .controls, "Gives the next tag that comes to a reader a command.",
      "Without a command, the tag plays what is being played. It waits for a minute. Meant for a button, too.",
      examples: ["tag learn", "tag learn play Albums/Harbour", "tag learn off"]
    ) { .tag($0) },
    CommandDeclaration(
      "tag remove", Arguments.tagOrAll, .controls, "Forgets a tag, or all.",
      examples: ["tag remove 0012345678", "tag remove all"]
    ) { .tag($0.map { .remove($0) } ?? .clear) },
    CommandDeclaration(
      "tag swipe", Arguments.tag, .controls, "Does what a tag does, as if a reader had reported it.",
      examples: ["tag swipe 0012345678"]
    ) { .tag(.swipe($0)) },
    CommandDeclaration(
      "tag lift", .tag(.lift), .controls, "Does what happens when the tag is taken from its reader."),
  ]
}
