// The names of music, files, folders and devices inside a command, for checking that they exist. Pure; any thread.

import PlaybackModel

extension Command {
  /// Names stored for later use: by an alarm, a tag, a button binding, a live source or a setting.
  package var references: [NamedReference] {
    let music: [String] =
      switch self {
      case .tag(.set(_, let typed)), .tag(.learn(let typed?)): typed.command.playedNames
      case .alarm(.add(_, _, let name)): [name]
      case .controls(.bind(let binding)): binding.command.playedNames
      default: []
      }
    switch self {
    case .set(let setting, let value):
      guard let thing = setting.names else { return [] }
      switch value {
      case .text(let name): return [NamedReference(thing, name)]
      case .list(let names): return names.map { NamedReference(thing, $0) }
      default: return []
      }
    case .controls(.source(_, .origin(.fifo(let path)))): return [NamedReference(.file, path)]
    case .controls(.source(_, .origin(.capture(let device)))): return [NamedReference(.output, device)]
    default: return music.map { NamedReference(.music, $0) }
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
