// Formats commands as complete lines, which programs send to the box. Pure; any thread.

import Controls
import PlaybackModel

extension Command {
  /// The complete line. For each command that `Interpreter.parse` returns, it parses this line to the same command.
  ///
  /// Names, PINs and passwords are not hidden: for reports there is `anonymousLine`. A name with control characters
  /// makes a line that the box refuses; see `CommandLineText.canHold`. Times are exact to a microsecond.
  package var line: String {
    switch self {
    case .queue(.add(let paths)):
      // A line has a limited number of words. The alias `add` leaves room for as many paths as a user can type.
      let isShort = paths.count > CommandLineText.maxWords - 2
      return CommandLineText.line(of: (isShort ? ["add"] : ["queue", "add"]) + paths)
    case .set(let setting, let value):
      return CommandLineText.line(of: ["set", setting.key] + setting.declaration.words(value))
    case .controls(let command): return command.line
    case .board(let name): return CommandLineText.line(of: ["board", name])
    case .tag(.set(let tag, let command)):
      return CommandLineText.line(of: ["tag", tag.text, command.line])
    case .tag(.learn(let command?)): return CommandLineText.line(of: ["tag", "learn", command.line])
    case .pin(let pin): return CommandLineText.line(of: ["pin", pin])
    case .help(let topic): return CommandLineText.line(of: ["help"] + topic.words)
    // These hide nothing but names.
    default: return anonymousLine { CommandLineText.quoted($0) }
    }
  }
}

extension ControlCommand {
  fileprivate var line: String {
    switch self {
    case .list: "controls"
    case .button(let button): ControlTable.line(button)
    case .knob(let knob): ControlTable.line(knob)
    case .light(let light): ControlTable.line(light)
    case .panel(let panel): ControlTable.line(panel)
    case .reader(let reader): ControlTable.line(reader)
    case .timing(let name, let key, let milliseconds):
      "timing " + (name?.text ?? "all") + " " + key.name + " " + String(milliseconds)
    case .source(let name, let change):
      "source " + name.text + change.anonymousWords { CommandLineText.quoted($0) }
    case .remove(let name): "remove " + name.text
    case .bind(let binding): binding.line
    case .unbind(let controls, let gesture):
      "unbind " + controls.map { $0.text }.joined(separator: "+") + (gesture.map { " " + $0.name } ?? "")
    case .simulate(let input): "simulate " + input.text
    }
  }
}

extension HelpTopic {
  fileprivate var words: [String] {
    switch self {
    case .overview: []
    case .chapter(let group): [group.word]
    case .everything: ["all"]
    case .settings: ["settings"]
    case .events: ["events"]
    case .lights: ["lights"]
    case .setting(let setting): [setting.key]
    case .settingGroup(let group): [group]
    case .command(let words): words
    }
  }
}
