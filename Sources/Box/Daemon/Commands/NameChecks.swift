// Warnings about names in commands that name nothing that exists. Control thread; never blocks.

import Console
import Controls
import Platform

/// Checks the names that a command has stored.
final class NameChecks {
  private let configuration: ConfigurationStore
  private let controls: ControlsController
  private let media: MediaController

  init(_ configuration: ConfigurationStore, _ controls: ControlsController, _ media: MediaController) {
    self.configuration = configuration
    self.controls = controls
    self.media = media
  }

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
}
