// Additions to a reply: whether a change was stored, and warnings about names without music. Control thread; never waits.

import Console
import Platform

extension CommandController {
  /// Answers a command that keeps a name of music for later, with a warning where there is nothing of that name now.
  func answer(_ reply: Reply, checking command: Command, _ answer: @escaping (Reply) -> Void) {
    let names = command.references
    guard reply.isOK, !names.isEmpty else { return answer(reply) }
    // Sounds of the box's own are opened by their paths.
    let isExact =
      if case .set(let setting, _) = command { setting.declaration.group == "cues" } else { false }
    media.check(names, isExact: isExact) { warnings in
      guard !warnings.isEmpty else { return answer(reply) }
      answer(reply.adding("warning: " + warnings.joined(separator: "; ")))
    }
  }

  /// Replies to a command that changed a state file, once the file is written or cannot be.
  func answer(_ reply: Reply, whenStoredBy file: any StoredState, _ answer: @escaping (Reply) -> Void) {
    guard reply.isOK else { return answer(reply) }
    file.whenStored { answer($0.applied(to: reply)) }
  }
}

extension AlarmCommand {
  /// Whether it changes the alarms that are stored.
  var changesAlarms: Bool {
    switch self {
    case .add, .remove, .clear, .turn: true
    case .list, .stop: false
    }
  }
}
