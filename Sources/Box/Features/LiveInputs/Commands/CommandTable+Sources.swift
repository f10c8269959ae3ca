// Declarations of the commands about live sources. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let sources: [CommandDeclaration] = [
    CommandDeclaration(
      "source", Arguments.source, .outside, "Declares a live source, or says more about one.",
      "A receiver's output (exec), a FIFO, a captured device (alsa), or a Snapcast server that the box joins as a client (snapcast ADDRESS, "
        + "a number or a name, with a port if it is not 1704); the server supplies sample format and timing. While the source sounds, music stands still on its frame. 'exec' has "
        + "the shell run a command, so it is taken from the configuration file only. The default format is 44100:16:2, the default "
        + "latency 250 ms; takes-over says whether it is heard whenever its sound begins (always, the default), only where nothing "
        + "else is heard (idle), or only when 'listen' asks for it (never). 'remove' removes it.",
      examples: [
        "source airplay exec \"shairport-sync -o stdout\"", "source bluetooth fifo /run/bluetooth.pcm",
        "source line-in alsa plughw:1", "source line-in format 48000:16:2", "source line-in takes-over idle",
        "source airplay latency 400", "source kitchen snapcast 192.168.1.20",
        "source kitchen snapcast snapserver.local",
      ]
    ) { .controls(.source($0.0, $0.1)) },
    CommandDeclaration(
      "sources", .sources(.list), .outside, "Lists the live sources, and how each is doing."),
    CommandDeclaration(
      "listen", Arguments.controlName, .outside, "Selects a live source, overriding takes-over.",
      "A silent source is heard as soon as it sends sound. 'play' goes back to the music.",
      examples: ["listen line-in"]
    ) { .sources(.listen($0)) },
  ]
}
