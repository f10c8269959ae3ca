// Names of music that a command keeps for later. Pure; any thread.

import PlaybackModel

extension Command {
  /// Paths, names and URLs that the command has the box look for later, when an alarm rings, a tag comes or a button is pressed.
  package var references: [String] {
    switch self {
    case .tag(.set(_, let typed)), .tag(.learn(let typed?)): typed.command.playedNames
    case .alarm(.add(_, _, let name)): [name]
    case .controls(.bind(let binding)): binding.command.playedNames
    case .set(let setting, .text(let path)) where setting.namesMusic: [path]
    default: []
    }
  }

  /// Paths, names and URLs that the command plays itself.
  package var playedNames: [String] {
    switch self {
    case .play(let name?): [name]
    case .announce(let name, _, _): [name]
    case .queue(.add(let names)): names
    case .queue(.insert(_, let name, _)): [name]
    default: []
    }
  }
}

extension Setting {
  /// Whether its value is a path of something that is played.
  package var namesMusic: Bool {
    self == .alarmFallback || self == .streamFallback
      || (declaration.group == "cues" && declaration.kind == .path)
  }
}
