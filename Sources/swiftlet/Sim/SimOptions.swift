// The command line of `swiftlet sim`. Main thread.

import Platform

/// What `swiftlet sim` was told.
struct SimOptions {
  static let help = """
    swiftlet sim [--board NAME] [--device NAME] [--media FOLDER] [--state FOLDER]
      A box on the desk: the daemon with a board's buttons, knob and lights drawn in this terminal and its
      serial console below them. F1, F2 … are the buttons: a key is a press, Shift and the key leaves the
      button down until the key alone lets it go (for long presses and chords; terminals that report releases,
      such as kitty, foot or WezTerm, need no Shift). PgUp and PgDn turn the knob. Ctrl-C ends it.

      --board NAME     the board whose buttons and bindings are tried (default: sim)
      --device NAME    the ALSA device (default: default; null: no sound)
      --media FOLDER   where the music is (default: the working directory)
      --state FOLDER   keeps configuration and position there, to be found again the next time

    """

  var board = "sim"
  var device = "default"
  var media: String
  var state: String?

  enum Reading {
    case options(SimOptions)
    case help
    case refused(String)
  }

  static func read(_ arguments: [String]) -> Reading {
    var options = SimOptions(media: Executable.workingFolder)
    var words = arguments[...]
    while let word = words.popFirst() {
      switch word {
      case "--help", "-h": return .help
      case "--board", "--device", "--media", "--state":
        guard let value = words.popFirst() else { return .refused("\(word) wants a value") }
        switch word {
        case "--board": options.board = value
        case "--device": options.device = value
        case "--media": options.media = Executable.absolute(value)
        default: options.state = Executable.absolute(value)
        }
      default: return .refused("there is no option '\(word)'")
      }
    }
    return .options(options)
  }
}
