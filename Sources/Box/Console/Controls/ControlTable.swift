// The controls, bindings and live sources of a box, as commands have declared them. A value type; control
// thread.

import Controls
import PlaybackModel

/// Controls, bindings and live sources. Commands change the table, and it can be written as commands.
package struct ControlTable: Hashable, Sendable {
  /// The declared buttons, knobs, lights, readers and panels.
  package private(set) var declarations = ControlDeclarations()
  /// The gestures that run commands.
  package private(set) var bindings = BindingTable()
  /// The live sources. They are not controls, but are declared and saved in the same way.
  package private(set) var sources: [SourceDeclaration] = []

  /// Creates an empty table.
  package init() {}

  /// Applies a command. `list` and `simulate` change nothing.
  ///
  /// - Throws: `failed` if a limit is reached, or if the command names something that does not exist. The table is
  ///   unchanged then.
  package mutating func apply(_ command: ControlCommand) throws(ConsoleError) {
    switch command {
    case .list, .simulate: break
    case .button(let button):
      try check(declarations.buttons.filter { $0.name != button.name }.count, "buttons")
      removeControl(button.name)
      declarations.buttons.append(button)
    case .knob(let knob):
      try check(declarations.knobs.filter { $0.name != knob.name }.count, "knobs")
      removeControl(knob.name)
      declarations.knobs.append(knob)
    case .light(let light):
      declarations.lights.removeAll { $0.name == light.name && $0.colour == light.colour }
      try check(declarations.lights.count, "lights")
      declarations.lights.append(light)
    case .panel(let panel):
      declarations.panels.removeAll { $0.path == panel.path }
      try check(declarations.panels.count, "panels")
      declarations.panels.append(panel)
    case .reader(let reader):
      declarations.readers.removeAll { $0.name == reader.name }
      try check(declarations.readers.count, "readers")
      declarations.readers.append(reader)
    case .source(let name, let change): try declare(name, change)
    case .timing(let name?, let key, let milliseconds):
      guard declarations.timings.count < ControlDeclarations.limit || declarations.timings[name] != nil else {
        throw ConsoleError(.failed, "there are too many timings already")
      }
      var timing = declarations.timing(of: name)
      timing[key] = milliseconds
      declarations.timings[name] = timing
    case .timing(nil, let key, let milliseconds): declarations.timing[key] = milliseconds
    case .remove(let name):
      let (before, count) = (declarations, sources.count)
      sources.removeAll { $0.name == name }
      removeControl(name)
      declarations.lights.removeAll { $0.name == name }
      declarations.readers.removeAll { $0.name == name }
      declarations.timings[name] = nil
      guard declarations != before || sources.count != count else { throw Self.unknown(name) }
    case .bind(let binding): try bindings.bind(binding)
    case .unbind(let controls, let gesture):
      guard bindings.unbind(controls, gesture) > 0 else {
        throw ConsoleError(.failed, "nothing is bound there; 'controls' lists what is")
      }
    }
  }

  /// Controls that bindings name but that are not declared, without duplicates.
  var undeclared: [ControlName] {
    var names: [ControlName] = []
    for binding in bindings.bindings {
      for name in binding.trigger.controls where !isDeclared(name) && !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// Whether a button or a knob of that name is declared.
  package func isDeclared(_ name: ControlName) -> Bool {
    declarations.buttons.contains { $0.name == name } || declarations.knobs.contains { $0.name == name }
  }

  private mutating func declare(_ name: ControlName, _ change: SourceChange) throws(ConsoleError) {
    if let place = sources.firstIndex(where: { $0.name == name }) {
      if case .format = change, sources[place].source.origin.isTimed {
        throw ConsoleError(
          .failed, name.text + " has the format that its server sends; it cannot be chosen here")
      }
      return change.apply(to: &sources[place].source)
    }
    guard case .origin(let origin) = change else {
      throw ConsoleError(
        .failed,
        "there is no source '" + name.text + "'; declare it first: source " + name.text + " alsa DEVICE")
    }
    guard sources.count < SourceDeclaration.limit else {
      throw ConsoleError(
        .failed, "there are " + String(SourceDeclaration.limit) + " sources already; 'remove' one")
    }
    sources.append(SourceDeclaration(name, LiveSource(origin)))
  }

  private mutating func removeControl(_ name: ControlName) {
    declarations.buttons.removeAll { $0.name == name }
    declarations.knobs.removeAll { $0.name == name }
  }

  private func check(_ count: Int, _ what: String) throws(ConsoleError) {
    guard count < ControlDeclarations.limit else {
      throw ConsoleError(
        .failed, "there are " + String(ControlDeclarations.limit) + " " + what + " already; 'remove' one")
    }
  }

  private static func unknown(_ name: ControlName) -> ConsoleError {
    ConsoleError(
      .failed, "there is no control '" + name.text + "'; 'controls' lists them",
      inFile: "there is no control '" + name.text + "' before this line; declare it, or remove the line")
  }
}
