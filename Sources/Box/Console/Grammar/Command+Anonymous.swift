// Formats commands without private data, for reports that users publish: no paths, no user-chosen names, no
// PINs. Pure; any thread.
// The switches have no default case, so that each new command needs a decision about its private parts.

import Controls
import PlaybackModel
import Platform

extension Command {
  /// Formats the command.
  ///
  /// - Parameter name: Returns the replacement for a private text.
  package func anonymousLine(_ name: (String) -> String) -> String {
    switch self {
    case .play(let path): "play" + (path.map { " " + name($0) } ?? "")
    case .playOffered: "play offered"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .seek(let target): "seek " + target.line
    case .finishFade: "finish-fade"
    case .retry: "retry"
    case .reset: "reset"
    case .volume(let change): "volume" + (change.map { " " + $0.line } ?? "")
    case .mute: "mute"
    case .sleep(let timer): "sleep" + (timer.map { " " + $0.line } ?? "")
    case .alarm(let command): "alarm" + command.anonymousWords(name)
    case .snooze(let minutes): "snooze" + (minutes.map { " " + String($0) } ?? "")
    case .limits(.show): "limits"
    case .limits(.lift(let minutes)): "limits lift " + String(minutes)
    case .limits(.holdAgain): "limits lift off"
    case .announce(let path, let volume, let duck):
      "announce " + name(path) + (volume.map { " volume " + String($0) } ?? "") + " duck " + duck.word
    case .stopAnnouncements: "announce stop"
    case .test(let subject): "test " + subject.line
    case .equalizer: "eq"
    case .clearEqualizer: "eq clear"
    case .queue(let command): "queue" + command.anonymousWords(name)
    case .media(let path): "media" + (path.map { " " + name($0) } ?? "")
    case .library(let command): command.words.reduce(command.verb) { $0 + " " + name($1) }
    case .picture(let command): "picture" + command.anonymousWords(name)
    case .sticker(let command): "sticker" + command.anonymousWords(name)
    case .playlist(let command): "playlist" + command.anonymousWords(name)
    case .bookmarks: "bookmarks"
    case .clearBookmarks: "bookmarks clear"
    case .set(let setting, let value): "set " + setting.key + " " + setting.anonymous(value, name)
    case .cycle(let setting): "cycle " + setting.key
    case .unset(let setting): "unset " + (setting?.key ?? "all")
    case .show(let selection): "show" + selection.words
    case .diff: "diff"
    case .save: "save"
    case .controls(.source(let source, let change)):
      "source " + name(source.text) + change.anonymousWords(name)
    case .controls(let command): command.verb
    case .board: "board"
    case .sources(.list): "sources"
    case .sources(.listen(let source)): "listen " + name(source.text)
    case .tag(let command): "tag" + command.anonymousWords(name)
    case .status: "status"
    case .current: "current"
    case .watch(let subjects): "watch" + (subjects.isEmpty ? " off" : subjects.words)
    case .idle(let subjects): "idle" + subjects.words
    case .history(let count): "history " + String(count)
    case .log(let count): "log " + String(count)
    case .stats: "stats"
    case .report(let withPaths): withPaths ? "report with paths" : "report"
    case .standby: "standby"
    case .wake: "wake"
    case .interruptionBegin: "interruption begin"
    case .interruptionEnd(let shouldResume): "interruption end " + (shouldResume ? "resume" : "stay")
    case .powerFailing: "power-failing"
    case .shutdown: "shutdown"
    case .format(let format): "format " + format.word
    case .pin: "pin ****"
    case .help: "help"
    case .exit: "exit"
    }
  }
}

extension Settings {
  /// The `set` line for a setting's current value, with private texts replaced.
  ///
  /// - Parameters:
  ///   - setting: The setting.
  ///   - name: Returns the replacement for a private text.
  package func anonymousLine(_ setting: Setting, _ name: (String) -> String) -> String {
    "set " + setting.key + " " + setting.anonymous(value(setting), name)
  }
}

extension Setting {
  /// The value as command text, with private texts replaced.
  fileprivate func anonymous(_ value: SettingValue, _ name: (String) -> String) -> String {
    let declaration = declaration
    switch value {
    case .special: return CommandLineText.line(of: declaration.words(value))
    case .text(let text):
      // A short replacement would reveal which PIN it is: PINs have as few as four digits.
      return declaration.isSecret ? "****" : declaration.defaultText == text ? text : name(text)
    case .list(let texts):
      return CommandLineText.line(of: texts.map { $0 == declaration.defaultText ? $0 : name($0) })
    case .integer, .decimal, .choice, .isOn, .timeOfDay, .band:
      return declaration.isSecret ? "****" : CommandLineText.line(of: declaration.words(value))
    }
  }
}

extension ReplyFormat {
  fileprivate var word: String {
    switch self {
    case .text: "text"
    case .json: "json"
    case .lines: "lines"
    }
  }
}

extension SeekTarget {
  fileprivate var line: String {
    switch self {
    case .to(let time): time.line
    case .by(let time): (time.value < 0 ? "" : "+") + time.line
    case .fraction(let part): Decimal.exact(part, times: 100) + "%"
    case .live: "live"
    }
  }
}

extension Seconds {
  fileprivate var line: String { Decimal.exact(value, times: 1) }
}

extension Decimal {
  /// Formats a multiple of a number with three decimals, or with six if three are not exact.
  fileprivate static func exact(_ value: Double, times factor: Double) -> String {
    let text = format(value * factor, decimals: 3)
    return parse(text[...]).map { $0 / factor } == value ? text : format(value * factor, decimals: 6)
  }
}

extension AnnouncementDuck {
  fileprivate var word: String {
    switch self {
    case .decibels(let count): String(count)
    case .pause: "pause"
    }
  }
}

extension TestSubject {
  fileprivate var line: String {
    switch self {
    case .tone: "tone"
    case .leds: "leds"
    case .buttons: "buttons"
    }
  }
}

extension SettingSelection {
  fileprivate var words: String {
    switch self {
    case .all: ""
    case .group(let group): " " + group
    case .one(let setting): " " + setting.key
    }
  }
}

extension QueueCommand {
  fileprivate func anonymousWords(_ name: (String) -> String) -> String {
    switch self {
    case .list(let from, let count):
      from.map { " list " + String($0.number) + (count.map { " " + String($0) } ?? "") } ?? ""
    case .add(let paths): paths.reduce(" add") { $0 + " " + name($1) }
    case .insert(let position, let path, let part):
      " insert " + (position.map { String($0.number) } ?? "next") + " " + name(path)
        + (part.map { " " + $0.text } ?? "")
    case .edit(let edit): " " + edit.line
    case .edits(let edits, let version):
      edits.reduce(" edit " + String(version)) { $0 + " \"" + $1.line + "\"" }
    case .shuffle(let isOn): " shuffle " + (isOn ? "on" : "off")
    case .repeat(let mode): " repeat " + mode.name
    case .jump(let place): " jump " + place.word
    case .cue(let place, let time):
      " cue " + place.word + (time.map { " " + $0.line } ?? "")
    }
  }
}

extension QueueEdit {
  /// The change as it is typed after `queue`.
  package var line: String {
    func number(_ position: QueuePosition?) -> String { position.map { " " + String($0.number) } ?? "" }
    return switch self {
    case .remove(let place, let last): "remove " + place.word + number(last)
    case .move(let place, let last, let to): "move " + place.word + number(last) + number(to)
    case .swap(let one, let other): "swap " + one.word + " " + other.word
    case .clear: "clear"
    case .clearUpcoming: "clear upcoming"
    case .mix(let first, let last): "mix" + number(first) + number(last)
    case .prioritize(let place, let last, let priority):
      "priority " + String(priority) + " " + place.word + number(last)
    }
  }
}

extension ControlCommand {
  /// The verb alone: names of controls and bound commands are private.
  fileprivate var verb: String {
    switch self {
    case .list: "controls"
    case .button: "button"
    case .knob: "knob"
    case .light: "led"
    case .panel: "panel"
    case .reader: "reader"
    case .timing: "timing"
    case .source: "source"
    case .remove: "remove"
    case .bind: "bind"
    case .unbind: "unbind"
    case .simulate: "simulate"
    }
  }
}

extension EventSubjects {
  fileprivate var words: String {
    var words = ""
    for name in names { words += " " + name }
    return words
  }
}
