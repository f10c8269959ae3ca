// The music paths, names and URLs inside a command, for checking that they exist. Pure; any thread.

import PlaybackModel

extension Command {
  /// Paths, names and URLs stored for later use: by an alarm, a tag, a button binding or a setting.
  package var references: [String] {
    switch self {
    case .tag(.set(_, let typed)), .tag(.learn(let typed?)): typed.command.playedNames
    case .alarm(.add(_, _, let name)): [name]
    case .controls(.bind(let binding)): binding.command.playedNames
    case .set(let setting, .text(let path)) where setting.namesMusic: [path]
    default: []
    }
  }

  /// Paths, names and URLs that the command plays or queues itself.
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
  /// Whether the setting's value is the path of something that is played.
  package var namesMusic: Bool {
    self == .alarmFallback || self == .streamFallback
      || (declaration.group == "cues" && declaration.kind == .path)
  }
}
