// Additions to replies: whether a change was stored, and warnings about names that do not exist. Control thread; never
// blocks.

import Console
import Controls
import Platform

extension CommandController {
  /// Sends the reply of a command that stores a name, with a warning if it names nothing that exists now.
  func answer(_ reply: Reply, checking command: Command, _ answer: @escaping (Reply) -> Void) {
    guard reply.isOK else { return answer(reply) }
    // Names that must exist have been checked before the change.
    let names = command.references.filter { !$0.thing.isRequired }
    guard !names.isEmpty else { return answer(reply) }
    let known = names.compactMap { warning($0) }
    media.check(names) { warnings in
      let all = known + warnings
      guard !all.isEmpty else { return answer(reply) }
      answer(reply.adding("warning: " + all.joined(separator: "; ")))
    }
  }

  /// Warning about a name that is known without storage, without a full stop; nil if it exists.
  private func warning(_ reference: NamedReference) -> String? {
    switch reference.thing {
    case .output: return configuration.problem(ofOutput: reference.name)
    case .button:
      guard let name = ControlName(reference.name), !controls.table.isDeclared(name) else { return nil }
      return "there is no button '" + name.text + "'; 'controls' lists them"
    default: return nil
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
