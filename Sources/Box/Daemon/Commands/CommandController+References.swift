// Additions to replies: whether a change was stored, and warnings about names without music. Control thread; never
// blocks.

import Console
import Platform

extension CommandController {
  /// Sends the reply of a command that stores a media name, with a warning if the name does not exist now.
  func answer(_ reply: Reply, checking command: Command, _ answer: @escaping (Reply) -> Void) {
    let names = command.references
    guard reply.isOK, !names.isEmpty else { return answer(reply) }
    // Cue sounds are opened by exact path; other names are searched for.
    let isExact =
      if case .set(let setting, _) = command { setting.declaration.group == "cues" } else { false }
    media.check(names, isExact: isExact) { warnings in
      guard !warnings.isEmpty else { return answer(reply) }
      answer(reply.adding("warning: " + warnings.joined(separator: "; ")))
    }
  }

  /// Sends the reply of a command that changed a state file, once the file is written or the write has failed.
  func answer(_ reply: Reply, whenStoredBy file: any StoredState, _ answer: @escaping (Reply) -> Void) {
    guard reply.isOK else { return answer(reply) }
    file.whenStored { answer($0.applied(to: reply)) }
  }
}

extension AlarmCommand {
  /// Whether the command changes the stored alarms.
  var changesAlarms: Bool {
    switch self {
    case .add, .remove, .clear, .turn: true
    case .list, .stop: false
    }
  }
}
